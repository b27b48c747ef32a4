/**
 * One run: starts the agent CLI, feeds its lines to the mapper, enforces time limits, ends it with
 * everything it started.
 * @typedef {import("./types.ts").StartRunParams} StartRunParams
 * @typedef {import("./types.ts").KnownEvent} KnownEvent
 */
import { spawn } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { invocation } from "./invocation.mjs";
import { cliName, environment } from "./manifest.mjs";
import { Mapper } from "./mapper.mjs";
import { kill, killRun, markOf } from "./processes.mjs";
import { lines } from "./wire.mjs";

const tickMs = 50;
const heartbeatMs = 5000;
/** How long the agent CLI may run after its final message. */
const lingerMs = 3000;
const killMs = 1000;
export const defaultGraceMs = 2000;
/** Exit codes of a shell that could not start the program. */
const notStarted = [126, 127];

export class Run {
  mapper = new Mapper();
  seq = 0;
  isFinished = false;
  hasOutput = false;
  hasClosed = false;
  isTerminated = false;
  completedAt = Infinity;
  terminateAt = Infinity;
  /** Why it was stopped: `cancel`, or the time limit that was reached. @type {string | null} */
  stopReason = null;
  /** @type {Error | null} */
  spawnError = null;

  /** Starts the agent CLI; events follow after `begin`. Throws if the trace file cannot be written.
   * @param {StartRunParams} params
   * @param {string} path
   * @param {(run: Run, event: KnownEvent) => void} sendEvent
   * @param {() => void} onFinished
   */
  constructor(params, path, sendEvent, onFinished) {
    this.params = params;
    this.path = path;
    this.sendEvent = sendEvent;
    this.onFinished = onFinished;
    this.trace = params.tracePath ? openSync(params.tracePath, "a", 0o600) : null;
    this.startedAt = this.lastOutputAt = this.lastEventAt = performance.now();
    const { arguments: args, env, stdin } = invocation(params);
    this.arguments = args;
    this.stdin = stdin;
    // A session of its own, and file descriptor 3 as the mark that its descendants inherit.
    this.child = spawn(path, args, {
      cwd: params.cwd, env: environment({ ...env, ...params.env }), detached: true,
      stdio: ["pipe", "pipe", "ignore", "pipe"],
    });
    this.mark = markOf(this.child.pid);
    this.child.on("error", (error) => { this.spawnError = error; });
  }

  /** Emits the first event, then those of the agent CLI. */
  begin() {
    this.emit({ type: "run_started", cliPath: this.path, pid: this.child.pid ?? null, argv: this.arguments });
    const { stdin, stdout, stdio } = this.child;
    for (const stream of stdio) stream?.on("error", () => {}); // the CLI closed it; its output decides
    stdin?.end(this.stdin);
    const { push, flush } = lines((line) => this.onLine(line));
    stdout?.on("data", (bytes) => {
      [this.lastOutputAt, this.hasOutput] = [performance.now(), true];
      if (this.trace !== null) writeSync(this.trace, bytes);
      push(bytes);
    });
    stdout?.on("end", () => {
      flush();
      this.hasClosed = true;
      this.finishIfExited();
    });
    this.child.on("exit", () => this.finishIfExited());
    this.timer = setInterval(() => this.tick(performance.now()), tickMs);
  }

  /** @param {Buffer | null} line */
  onLine(line) {
    if (line) this.mapper.onLine(line.toString()).forEach((event) => this.emit(event));
    if (this.mapper.isComplete) this.completedAt = Math.min(this.completedAt, performance.now());
  }

  /** Enforces time limits, emits heartbeats, kills what outlives the CLI. @param {number} now */
  tick(now) {
    if (!this.child.pid) return this.finish(null);
    if (this.child.stdout?.isPaused()) this.lastOutputAt = now; // the host does not read, so the CLI has to wait
    const { totalMs, idleMs, startMs } = this.params.timeouts ?? {};
    const isOver = (/** @type {number | null | undefined} */ limit, /** @type {number} */ since) =>
      this.completedAt === Infinity && now - since > (limit || Infinity);
    if (isOver(totalMs, this.startedAt)) this.stop("total", defaultGraceMs);
    if (isOver(idleMs, this.lastOutputAt)) this.stop("idle", defaultGraceMs);
    if (!this.hasOutput && isOver(startMs, this.startedAt)) this.stop("start", defaultGraceMs);
    if (now > this.terminateAt && !this.isTerminated) this.isTerminated = this.signal("SIGTERM");
    const silentMs = Math.round(now - this.lastOutputAt);
    if (now - this.lastEventAt > heartbeatMs) this.emit({ type: "heartbeat", silentMs });
    const endedAt = Math.min(this.completedAt, this.hasClosed ? this.lastOutputAt : Infinity);
    if (this.hasExited() || now > Math.min(endedAt + lingerMs, this.terminateAt + killMs)) killRun(this.mark, this.child.pid);
  }

  hasExited() {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** @param {KnownEvent} event */
  emit(event) {
    this.lastEventAt = performance.now();
    this.sendEvent(this, event);
  }

  /** SIGINT, then SIGTERM, then SIGKILL. A second call can only shorten the time.
   * @param {string} reason @param {number} graceMs */
  stop(reason, graceMs) {
    if (!this.stopReason) this.signal("SIGINT");
    this.stopReason ??= reason;
    this.terminateAt = Math.min(this.terminateAt, performance.now() + graceMs);
  }

  /** @param {NodeJS.Signals} signal */
  signal(signal) {
    if (!this.isFinished && this.child.pid) kill(-this.child.pid, signal);
    return true;
  }

  finishIfExited() {
    if (!this.hasClosed || !this.hasExited()) return;
    killRun(this.mark, this.child.pid);
    this.finish(this.child.exitCode);
  }

  /** @param {number | null} exitCode */
  finish(exitCode) {
    if (this.isFinished) return;
    this.isFinished = true;
    clearInterval(this.timer);
    if (this.trace !== null) closeSync(this.trace);
    this.mapper.onExit(this.stopReason === "cancel").forEach((event) => this.emit(event));
    const signal = this.child.signalCode ? constants.signals[this.child.signalCode] : null;
    const [status, stopReason, evidence, errorKind] = this.outcome(exitCode, signal);
    const ending = signal === null ? `exited with code ${exitCode}` : `was ended by signal ${signal}`;
    if (errorKind) this.emitError(errorKind, ending);
    const durationMs = Math.round(performance.now() - this.startedAt);
    const totals = { ...this.mapper.totals, costUsd: this.mapper.usage?.costUsd ?? null };
    this.emit({ type: "done", status, stopReason, evidence, errorKind, exitCode, signal, durationMs, totals });
    this.onFinished();
  }

  /** @param {string} kind @param {string} ending */
  emitError(kind, ending) {
    const which = this.stopReason;
    const [message, hint] =
      kind === "timeout" ? [`${cliName} reached the time limit ${which}`, `raise timeouts.${which}Ms`] :
      this.spawnError ? [`${cliName} could not be started: ${this.spawnError.message}`, "check that it is a program"] :
      [`${cliName} ${ending} before its answer was complete`, `run ${cliName} in a terminal to see its messages`];
    this.emit({ type: "error", kind, message, hint, fatal: true, data: which ? { which } : null });
  }

  /** Status, stop reason, evidence and error kind of `done`.
   * @param {number | null} exitCode @param {number | null} signal @returns {[string, string, string, string | null]} */
  outcome(exitCode, signal) {
    const isComplete = this.completedAt < Infinity;
    const evidence = isComplete ? "native_result" : signal === null ? "exit_code" : "signal";
    if (this.stopReason === "cancel") return ["cancelled", "cancelled", evidence, null];
    if (this.stopReason) return ["timed_out", "cancelled", "watchdog", "timeout"];
    if (isComplete) return ["completed", "end_turn", evidence, null];
    const neverStarted = this.spawnError || (!this.hasOutput && notStarted.includes(exitCode ?? 0));
    return ["failed", "error", evidence, neverStarted ? "cli_spawn_failed" : "cli_crashed"];
  }
}
