// @ts-check
/**
 * An adapter on Node 20 without packages, for Linux: to read and to copy. Here are the manifest and
 * the methods; `run.mjs` has what a run says, `machine.mjs` lines and processes.
 * @typedef {import("../../../schemas/v1/types.ts").Methods} Methods
 */
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { endDescendants, kill, lines, parentOf } from "./machine.mjs";
import { Run } from "./run.mjs";

const [version, vendor, protocol] = ["0.1.0", "Example Ltd", { min: 1, max: 1 }];
const capabilities = { run: {}, textDeltas: {}, tools: {}, usage: { cost: true } };
/** @type {import("../../../schemas/v1/types.ts").Manifest} */
const manifest = {
  manifestVersion: "1.0", adapterId: "tally", displayName: "Tally", version, vendor, protocol, capabilities,
  cli: { names: ["tally-agent"], versionMin: "1.0.0", transport: "stdio" }, auth: { methods: [] },
};
/** Methods, and options of `run/start`, that need a capability which this adapter does not have. */
const gates = new Map(Object.entries({
  "models/list": "models", "quota/get": "quota", "sessions/list": "sessions", "sessions/read": "sessions",
  "run/input": "input", "run/respond": "approvals",
}));
const options = Object.entries({
  model: "models", thinkingBudgetTokens: "thinkingBudget", system: "systemPrompt", allowedTools: "toolLists",
  deniedTools: "toolLists", permissionMode: "permissionModes", effort: "effort", skills: "skills",
  addDirs: "addDirs", policy: "policy", mcpServers: "mcpServers", outputSchema: "outputSchema",
  maxTurns: "maxTurns", attachments: "attachments", images: "images", tracePath: "tracePath",
});
/** @type {Run | null} */
let run = null;
/** @type {import("../../../schemas/v1/types.ts").AdapterConfig | null} */
let config = null;
let isStopping = false;
let onIdle = () => {};

class Refusal extends Error {
  /** @param {number} code @param {string} kind @param {string} message @param {object} [data] */
  constructor(code, kind, message, data) {
    super(message);
    this.error = { code, message, data: { kind, ...data } };
  }
}

/** @param {unknown} condition @param {ConstructorParameters<typeof Refusal>} refusal */
function need(condition, ...refusal) {
  if (!condition) throw new Refusal(...refusal);
}

/** @param {object} message */
function send(message) {
  const hasRoom = process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const source = run?.child.stdout;
  if (hasRoom || !source || source.isPaused()) return;
  source.pause(); // a host that does not read stops the agent CLI, not this process
  process.stdout.once("drain", () => source.resume());
}

function leave() {
  endDescendants(run?.mark ?? null);
  process.exit(0);
}

/** `cliPath` is meant exactly: there is no fallback to PATH. */
function findCli() {
  const places = config?.cliPath ? [config.cliPath] :
    (process.env.PATH ?? "").split(delimiter).filter(Boolean).map((folder) => join(folder, "tally-agent"));
  return places.find((path) => existsSync(path)) ?? null;
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** What `--version` says; an agent CLI that hangs or floods is ended and has none.
 * @param {string} path @returns {Promise<string | null>} */
function versionOf(path) {
  return new Promise((resolve) => {
    const child = spawn(path, ["--version"], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
    let said = "";
    const end = () => {
      clearTimeout(late);
      if (child.pid) kill(-child.pid, "SIGKILL");
      child.stdout.destroy();
      resolve(/\d+\.\d+\.\d+/.exec(said)?.[0] ?? null);
    };
    const late = setTimeout(end, 2000);
    child.on("error", end);
    child.stdout.on("end", end);
    child.stdout.on("data", (bytes) => {
      said += bytes;
      if (said.length > 4096) end();
    });
  });
}

/**
 * @template {keyof Methods} Name
 * @typedef {(params: Methods[Name]["params"]) => Methods[Name]["result"] | Promise<Methods[Name]["result"]>} Handler
 */
/** @type {{ [Name in keyof Methods]?: Handler<Name> }} */
const methods = {
  ping: () => ({}),
  "adapter/health": () => ({ status: "ok", message: "ready", details: { openRuns: run ? 1 : 0 } }),

  initialize(params) {
    need(config === null, 1003, "already_initialized", "initialize was called before");
    const { min, max } = params.protocol;
    const text = "upgrade this adapter: it speaks protocol 1 only";
    need(min <= 1 && max >= 1, 1001, "unsupported_protocol", text, { supported: protocol });
    config = params.config ?? {};
    const { hostPid } = params;
    if (hostPid) setInterval(() => parentOf(hostPid) ?? leave(), 200);
    return { protocol: 1, adapter: { id: "tally", version, vendor }, capabilities };
  },

  async "adapter/detect"() {
    const found = findCli();
    const path = found && isExecutable(found) ? found : null;
    const version = path && (await versionOf(path));
    const meetsMin = version ? Number(version.split(".")[0]) >= 1 : null;
    return { installed: path !== null, path, version, meetsMin, auth: { state: "ok" }, capabilities };
  },

  /** All that can be refused is refused here, before a process starts. */
  "run/start"(params) {
    const { runId, cwd, prompt: { text }, session } = params;
    const texts = [runId, cwd, text, ...Object.values(params.env ?? {})];
    if (!texts.every((value) => typeof value === "string")) throw new TypeError("a text is no text");
    const isGiven = (/** @type {unknown} */ value) => Array.isArray(value) ? value.length > 0 : value != null;
    const given = new Map(Object.entries({ ...params, ...params.prompt }));
    const which = options.find(([name]) => isGiven(given.get(name)))?.[1] ?? session?.mode ?? "new";
    need(which === "new", 1005, "capability_unsupported", `this adapter does not declare ${which}`, { which });
    need(run?.params.runId !== runId, 1041, "run_id_in_use", `a run ${runId} is alive already`);
    need(!run, 1042, "too_many_runs", "this adapter process carries one run at a time");
    need(statSync(cwd, { throwIfNoEntry: false })?.isDirectory(), 1006, "config_invalid", `there is no folder ${cwd}`);
    need(text.trim(), 1006, "config_invalid", "the prompt is empty");
    need(findCli(), 1010, "cli_not_found", "found no tally-agent", { hint: "put it on PATH" });
    return { runId };
  },

  "run/cancel"({ runId, graceMs }) {
    if (typeof runId !== "string") throw new TypeError("runId is no text");
    const accepted = run?.params.runId === runId;
    if (accepted) run?.stop("cancel", graceMs ?? 2000);
    return { accepted };
  },

  async shutdown({ graceMs }) {
    isStopping = true;
    const over = new Promise((resolve) => { onIdle = () => resolve(null); });
    run?.stop("cancel", graceMs ?? 2000);
    if (run) await over;
    return {};
  },
};

/** @param {string} method @param {any} params */
async function call(method, params) {
  const which = gates.get(method);
  if (method !== "ping") {
    need(config || method === "initialize", 1002, "not_initialized", "initialize has not been called");
    need(!isStopping, 1004, "shutting_down", "shutdown was called");
    need(!which, 1005, "capability_unsupported", `this adapter does not declare ${which}`, { which });
  }
  const known = /** @type {Record<string, (params: any) => any>} */ (methods);
  need(Object.hasOwn(known, method), -32601, "method_not_found", `there is no method ${method}`);
  try {
    return await known[method](params);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Refusal(-32602, "invalid_params", `${method}: ${error.message}`);
  }
}

/** @param {string} line */
async function onRequest(line) {
  let id = null;
  try {
    const message = parse(line);
    const isMessage = message?.jsonrpc === "2.0" && typeof message.method === "string";
    need(isMessage, -32600, "invalid_request", "the line is no request");
    if (message.id === undefined) return; // a notification
    const { method, params } = message;
    id = message.id;
    send({ id, result: await call(method, params ?? {}) });
    if (method === "run/start") begin(params); // the answer first, then the events
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    send({ id, error: error.error });
  }
}

/** @param {string} line @returns {any} */
function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    throw new Refusal(-32700, "parse_error", "the line is no JSON");
  }
}

/** @param {import("./run.mjs").StartRunParams} params */
function begin(params) {
  const tell = (/** @type {object} */ event) => send({ method: "run/event", params: event });
  run = new Run(params, findCli() ?? "tally-agent", tell, () => {
    run = null;
    onIdle();
  });
}

switch (process.argv.slice(2).join(" ")) {
  case "--manifest":
    process.stdout.write(`${JSON.stringify(manifest)}\n`);
    break;
  case "--stdio":
    process.stdin.on("data", lines(onRequest).push).on("end", leave).on("error", leave);
    process.stdout.on("error", leave); // nobody reads any more
    break;
  default:
    process.stderr.write("od-adapter-tally is started by a host, not by hand\n");
    process.exitCode = 2;
}
