/**
 * The methods of the protocol on stdin and stdout. What the agent CLI needs is in `mapper.mjs`,
 * `invocation.mjs` and `manifest.json`.
 * @typedef {import("./types.ts").Methods} Methods
 */
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { kill, killRun, lines, parentOf } from "./processes.mjs";
import { Run } from "./run.mjs";

/** @type {import("./types.ts").Manifest} */
const manifest = JSON.parse(readFileSync(new URL("../manifest.json", import.meta.url), "utf8"));
const { adapterId, version, vendor, protocol, capabilities } = manifest;
const [cliName] = manifest.cli.names;
/** Methods with the capability they need. Remove what you declare in the manifest and implement. */
const methodGates = new Map(Object.entries({
  "models/list": "models", "quota/get": "quota", "sessions/list": "sessions", "sessions/read": "sessions",
  "run/input": "input", "run/respond": "approvals",
}));
/** Options of `run/start` with the capability they need. */
const optionGates = Object.entries({
  model: "models", thinkingBudgetTokens: "thinkingBudget", system: "systemPrompt", allowedTools: "toolLists",
  deniedTools: "toolLists", permissionMode: "permissionModes", effort: "effort", skills: "skills",
  addDirs: "addDirs", policy: "policy", mcpServers: "mcpServers", outputSchema: "outputSchema",
  maxTurns: "maxTurns", attachments: "attachments", images: "images", tracePath: "tracePath",
});
const versionProbeMs = 2000;
const maxVersionChars = 4096;
const hostPollMs = 200;
/** @type {Run | null} */
let run = null;
/** @type {import("./types.ts").AdapterConfig | null} */
let config = null;
let isShuttingDown = false;
let onIdle = () => {};

class Refusal extends Error {
  /** @param {number} code @param {string} kind @param {string} message @param {object} [data] */
  constructor(code, kind, message, data) {
    super(message);
    this.error = { code, message, data: { kind, ...data } };
  }
}

/** @param {unknown} condition @param {ConstructorParameters<typeof Refusal>} refusal */
function require(condition, ...refusal) {
  if (!condition) throw new Refusal(...refusal);
}

/** @param {object} message */
function send(message) {
  const isWritable = process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const source = run?.child.stdout;
  if (isWritable || !source || source.isPaused()) return;
  source.pause(); // a host that does not read stops the agent CLI, not this process
  process.stdout.once("drain", () => source.resume());
}

function exit() {
  killRun(run?.mark ?? null);
  process.exit(0);
}

/** `cliPath` is exact: there is no fallback to PATH. */
function findCli() {
  const places = config?.cliPath ? [config.cliPath] :
    (process.env.PATH ?? "").split(delimiter).filter(Boolean).map((folder) => join(folder, cliName));
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

/** What `--version` prints. An agent CLI that hangs, or prints without end, is killed.
 * @param {string} path @returns {Promise<string | null>} */
function versionOf(path) {
  return new Promise((resolve) => {
    const child = spawn(path, ["--version"], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
    let output = "";
    const end = () => {
      clearTimeout(timer);
      if (child.pid) kill(-child.pid, "SIGKILL");
      child.stdout.destroy();
      resolve(/\d+\.\d+\.\d+/.exec(output)?.[0] ?? null);
    };
    const timer = setTimeout(end, versionProbeMs);
    child.on("error", end);
    child.stdout.on("end", end);
    child.stdout.on("data", (bytes) => {
      output += bytes;
      if (output.length > maxVersionChars) end();
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
    require(config === null, 1003, "already_initialized", "initialize was called before");
    const { min, max } = params.protocol;
    const message = "upgrade this adapter: it supports protocol 1 only";
    require(min <= 1 && max >= 1, 1001, "unsupported_protocol", message, { supported: protocol });
    config = params.config ?? {};
    const { hostPid } = params;
    if (hostPid) setInterval(() => parentOf(hostPid) ?? exit(), hostPollMs);
    return { protocol: 1, adapter: { id: adapterId, version, vendor }, capabilities };
  },

  async "adapter/detect"() {
    const found = findCli();
    const path = found && isExecutable(found) ? found : null;
    const version = path && (await versionOf(path));
    const meetsMin = version ? Number(version.split(".")[0]) >= 1 : null;
    return { installed: path !== null, path, version, meetsMin, auth: { state: "ok" }, capabilities };
  },

  /** Refuses what cannot work before a process starts. */
  "run/start"(params) {
    const { runId, cwd, prompt: { text }, session } = params;
    const texts = [runId, cwd, text, ...Object.values(params.env ?? {})];
    if (!texts.every((value) => typeof value === "string")) throw new TypeError("a string is missing");
    const isGiven = (/** @type {unknown} */ value) => Array.isArray(value) ? value.length > 0 : value != null;
    const given = new Map(Object.entries({ ...params, ...params.prompt }));
    const which = optionGates.find(([name]) => isGiven(given.get(name)))?.[1] ?? session?.mode ?? "new";
    require(which === "new", 1005, "capability_unsupported", `${which} is not declared`, { which });
    require(run?.params.runId !== runId, 1041, "run_id_in_use", `run ${runId} is still active`);
    require(!run, 1042, "too_many_runs", "this adapter process carries one run at a time");
    const isFolder = statSync(cwd, { throwIfNoEntry: false })?.isDirectory();
    require(isFolder, 1006, "config_invalid", `cwd ${cwd} is not a folder`);
    require(text.trim(), 1006, "config_invalid", "the prompt is empty");
    require(findCli(), 1010, "cli_not_found", `${cliName} was not found`, { hint: "put it on PATH" });
    return { runId };
  },

  "run/cancel"({ runId, graceMs }) {
    if (typeof runId !== "string") throw new TypeError("runId must be a string");
    const accepted = run?.params.runId === runId;
    if (accepted) run?.stop("cancel", graceMs);
    return { accepted };
  },

  async shutdown({ graceMs }) {
    isShuttingDown = true;
    const idle = new Promise((resolve) => { onIdle = () => resolve(null); });
    run?.stop("cancel", graceMs);
    if (run) await idle;
    return {};
  },
};

/** @param {string} method @param {any} params */
async function call(method, params) {
  const which = methodGates.get(method);
  if (method !== "ping") {
    require(config || method === "initialize", 1002, "not_initialized", "call initialize first");
    require(!isShuttingDown, 1004, "shutting_down", "shutdown was called");
    require(!which, 1005, "capability_unsupported", `${which} is not declared`, { which });
  }
  const handlers = /** @type {Record<string, (params: any) => any>} */ (methods);
  require(Object.hasOwn(handlers, method), -32601, "method_not_found", `unknown method ${method}`);
  try {
    return await handlers[method](params);
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
    const isRequest = message?.jsonrpc === "2.0" && typeof message.method === "string";
    require(isRequest, -32600, "invalid_request", "the line is not a request");
    if (message.id === undefined) return; // a notification
    const { method, params } = message;
    id = message.id;
    send({ id, result: await call(method, params ?? {}) });
    if (method === "run/start") startRun(params); // the response first, then the events
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
    throw new Refusal(-32700, "parse_error", "the line is not JSON");
  }
}

/** @param {import("./types.ts").StartRunParams} params */
function startRun(params) {
  const sendEvent = (/** @type {object} */ event) => send({ method: "run/event", params: event });
  run = new Run(params, findCli() ?? cliName, sendEvent, () => {
    run = null;
    onIdle();
  });
}

switch (process.argv.slice(2).join(" ")) {
  case "--manifest":
    process.stdout.write(`${JSON.stringify(manifest)}\n`);
    break;
  case "--stdio":
    process.stdin.on("data", lines(onRequest).push).on("end", exit).on("error", exit);
    process.stdout.on("error", exit); // the host has exited
    break;
  default:
    process.stderr.write(`od-adapter-${adapterId} is started by a host, not by hand\n`);
    process.exitCode = 2;
}
