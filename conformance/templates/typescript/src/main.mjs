/**
 * The methods of the protocol on stdin and stdout. What the agent CLI needs is in `mapper.mjs`,
 * `invocation.mjs` and `manifest.json`.
 * @typedef {import("./types.ts").Methods} Methods
 * @typedef {Record<string, any>} JsonObject
 */
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { detect, findCli } from "./detection.mjs";
import { cliName, manifest } from "./manifest.mjs";
import { killRun, parentOf } from "./processes.mjs";
import { Run, defaultGraceMs } from "./run.mjs";
import { eventLines, lineLimit, lines, writtenId } from "./wire.mjs";

const { adapterId, version, vendor, protocol, capabilities } = manifest;
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
  maxTurns: "maxTurns", attachments: "attachments", images: "images", adapterOptions: "adapterOptions",
});
const codes = new Map(Object.entries({
  parse_error: -32700, invalid_request: -32600, method_not_found: -32601, invalid_params: -32602,
  unsupported_protocol: 1001, not_initialized: 1002, already_initialized: 1003, shutting_down: 1004,
  capability_unsupported: 1005, config_invalid: 1006, cli_not_found: 1010, run_id_in_use: 1041, too_many_runs: 1042,
}));
const hostPollMs = 200;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** @type {Run | null} */
let run = null;
/** @type {JsonObject | null} */
let config = null;
let maxLineBytes = lineLimit(null);
let isShuttingDown = false;
let onIdle = () => {};

class Refusal extends Error {
  /** @param {string} kind @param {string} message @param {object} [data] */
  constructor(kind, message, data) {
    super(message);
    this.error = { code: codes.get(kind), message, data: { kind, ...data } };
  }
}

/** @param {unknown} condition @param {ConstructorParameters<typeof Refusal>} refusal */
function require(condition, ...refusal) {
  if (!condition) throw new Refusal(...refusal);
}

/** A member of the parameters.
 * @param {JsonObject} params @param {string} name @param {string} type @param {any} [byDefault] */
function member(params, name, type, byDefault) {
  const value = params[name] ?? byDefault;
  const actual = Array.isArray(value) ? "array" : Number.isSafeInteger(value) ? "integer" : typeof value;
  require(actual === type, "invalid_params", `${name} is missing or has the wrong type`);
  return value;
}

/** Half a character, which an escape can contain, is replaced. @param {object} value */
const encode = (value) => JSON.stringify(value, (_, entry) => typeof entry === "string" ? entry.toWellFormed() : entry);

/** @param {string} line */
function send(line) {
  const isWritable = process.stdout.write(`${line}\n`);
  const source = run?.child.stdout;
  if (isWritable || !source || source.isPaused()) return;
  source.pause(); // a host that does not read stops the agent CLI, not this process
  process.stdout.once("drain", () => source.resume());
}

/** @param {string} id as it was written @param {object} outcome */
function respond(id, outcome) {
  send(`{"jsonrpc":"2.0","id":${id},${encode(outcome).slice(1)}`);
}

/** @param {Run} run @param {import("./types.ts").KnownEvent} event */
function sendEvent(run, event) {
  const toLine = (/** @type {object} */ part) => {
    const params = { runId: run.params.runId, seq: run.seq, ts: Date.now(), event: part };
    return encode({ jsonrpc: "2.0", method: "run/event", params });
  };
  for (const line of eventLines(event, toLine, maxLineBytes - 1)) {
    run.seq++;
    send(line);
  }
}

function exit() {
  killRun(run?.mark ?? null, process.pid);
  process.exit(0);
}

/**
 * @template {keyof Methods} Name
 * @typedef {(params: JsonObject) => Methods[Name]["result"] | Promise<Methods[Name]["result"]>} Handler
 */
/** @type {{ [Name in keyof Methods]?: Handler<Name> }} */
const methods = {
  ping: () => ({}),

  "adapter/health"() {
    const isFound = findCli(config?.cliPath) !== null;
    const message = `${cliName} is ${isFound ? "" : "not "}installed`;
    return { status: isFound ? "ok" : "unavailable", message, details: { openRuns: run ? 1 : 0 } };
  },

  initialize(params) {
    require(config === null, "already_initialized", "initialize was called before");
    const [min, max] = ["min", "max"].map((name) => member(member(params, "protocol", "object"), name, "integer"));
    const message = `no common protocol: upgrade ${min > 1 ? "this adapter" : "the host"}`;
    require(min <= 1 && max >= 1, "unsupported_protocol", message, { supported: protocol });
    const given = member(params, "config", "object", {});
    member(given, "cliPath", "string", "");
    maxLineBytes = lineLimit(member(member(params, "limits", "object", {}), "maxLineBytes", "integer", maxLineBytes));
    const hostPid = member(params, "hostPid", "integer", 0);
    if (hostPid > 0) setInterval(() => parentOf(hostPid) ?? exit(), hostPollMs);
    config = given;
    return { protocol: 1, adapter: { id: adapterId, version, vendor }, capabilities };
  },

  "adapter/detect": (params) => detect(config?.cliPath, member(params, "refresh", "boolean", false)),

  /** Refuses what cannot work before a process starts. */
  "run/start"(params) {
    const [runId, cwd] = ["runId", "cwd"].map((name) => member(params, name, "string"));
    const [prompt, session] = [member(params, "prompt", "object"), member(params, "session", "object", {})];
    const text = member(prompt, "text", "string");
    require(runId, "invalid_params", "runId is empty");
    const [env, limits] = [member(params, "env", "object", {}), member(params, "timeouts", "object", {})];
    for (const name of Object.keys(env)) member(env, name, "string");
    const values = [cwd, ...Object.keys(env), ...Object.values(env)];
    const isPassable = text.isWellFormed() && !values.some((value) => value.includes("\0"));
    require(isPassable, "invalid_params", "a zero byte or half a character cannot be passed to a process");
    for (const name of Object.keys(limits)) member(limits, name, "integer", 0);
    const isGiven = (/** @type {unknown} */ value) => value != null && !["[]", "{}"].includes(JSON.stringify(value));
    const given = new Map(Object.entries({ ...prompt, ...params }));
    const mode = ["resume", "fork"].includes(session.mode) ? session.mode : null;
    const which = optionGates.find(([name]) => isGiven(given.get(name)))?.[1] ?? mode;
    require(!which, "capability_unsupported", `${which} is not supported`, { which });
    require(run?.params.runId !== runId, "run_id_in_use", "a run with this id is active");
    require(!run, "too_many_runs", "this adapter process carries one run at a time");
    const isFolder = isAbsolute(cwd) && statSync(cwd, { throwIfNoEntry: false })?.isDirectory();
    require(isFolder, "config_invalid", "cwd is not the absolute path of a folder");
    require(text.trim(), "config_invalid", "the prompt is empty");
    const path = findCli(config?.cliPath);
    require(path, "cli_not_found", `${cliName} was not found`, { hint: `install ${cliName} and put it on PATH` });
    member(params, "tracePath", "string", "");
    startRun(/** @type {import("./types.ts").StartRunParams} */ (params), String(path));
    return { runId };
  },

  "run/cancel"(params) {
    const [runId, graceMs] = [member(params, "runId", "string"), member(params, "graceMs", "integer", defaultGraceMs)];
    const accepted = run?.params.runId === runId;
    if (accepted) run?.stop("cancel", graceMs);
    return { accepted };
  },

  async shutdown(params) {
    const graceMs = member(params, "graceMs", "integer", defaultGraceMs);
    isShuttingDown = true;
    const idle = new Promise((resolve) => { onIdle = () => resolve(null); });
    run?.stop("cancel", graceMs);
    if (run) await idle;
    return {};
  },
};

/** @param {import("./types.ts").StartRunParams} params @param {string} path */
function startRun(params, path) {
  const onFinished = () => {
    run = null;
    onIdle();
  };
  try {
    run = new Run(params, path, sendEvent, onFinished);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new Refusal("config_invalid", `tracePath or another parameter cannot be used: ${code}`);
  }
}

/** @param {string} method @param {unknown} params */
function call(method, params) {
  const which = methodGates.get(method);
  if (method !== "ping") {
    require(config || method === "initialize", "not_initialized", "call initialize first");
    require(!isShuttingDown, "shutting_down", "shutdown was called");
    require(!which, "capability_unsupported", `${which} is not supported`, { which });
  }
  const handlers = /** @type {Record<string, (params: object) => any>} */ (methods);
  require(Object.hasOwn(handlers, method), "method_not_found", `unknown method ${method.slice(0, 80)}`);
  const object = params ?? {};
  require(typeof object === "object" && !Array.isArray(object), "invalid_params", "params must be an object");
  return handlers[method](object);
}

/** @param {Buffer | null} line */
function onLine(line) {
  let id = "null";
  const refuse = (/** @type {unknown} */ error) => {
    if (!(error instanceof Refusal)) throw error;
    respond(id, { error: error.error });
  };
  try {
    const text = decode(line);
    const message = parse(text);
    const isMessage = message?.jsonrpc === "2.0" && !Array.isArray(message);
    if (isMessage && !("method" in message) && ("result" in message || "error" in message)) return; // a stray response
    const hasId = ["undefined", "string", "number"].includes(typeof message?.id);
    require(isMessage && hasId && typeof message.method === "string", "invalid_request", "the line is not a request");
    if (message.id === undefined) return; // a notification
    id = writtenId(text, message.id);
    const result = call(message.method, message.params);
    if (result instanceof Promise) result.then((value) => respond(id, { result: value }), refuse);
    else respond(id, { result });
    if (message.method === "run/start") run?.begin(); // the response first, then the events
  } catch (error) {
    refuse(error);
  }
}

/** @param {Buffer | null} line */
function decode(line) {
  require(line, "parse_error", "the line is longer than 16 MiB");
  try {
    return utf8.decode(/** @type {Buffer} */ (line));
  } catch {
    throw new Refusal("parse_error", "the line is not valid UTF-8");
  }
}

/** @param {string} line @returns {any} */
function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    throw new Refusal("parse_error", "the line is not JSON");
  }
}

switch (process.argv.slice(2).join(" ")) {
  case "--manifest":
    process.stdout.write(`${JSON.stringify(manifest)}\n`);
    break;
  case "--stdio":
    process.stdin.on("data", lines(onLine).push).on("end", exit).on("error", exit);
    process.stdout.on("error", exit).on("close", exit); // the host has exited
    process.on("SIGTERM", exit).on("SIGINT", exit);
    break;
  default:
    process.stderr.write(`od-adapter-${adapterId} is started by a host, not by hand\n`);
    process.exitCode = 2;
}
