/**
 * One run: starts the agent CLI, feeds its lines to the mapper, enforces time limits, ends it with
 * everything it started.
 * @typedef {import("./types.ts").StartRunParams} StartRunParams
 * @typedef {import("./types.ts").KnownEvent} KnownEvent
 */
import { spawn } from "node:child_process";
import { invocation } from "./invocation.mjs";
import { Mapper } from "./mapper.mjs";
import { kill, killRun, lines, markOf } from "./processes.mjs";

const passedVariables = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|TZ|TMPDIR|(LC|XDG)_.*|(https?|no|all)_proxy)$/i;
const tickMs = 50;
const heartbeatMs = 5000;
const exitGraceMs = 1000;
const defaultGraceMs = 2000;
/** Exit codes of a shell that could not start the program. */
const notStarted = [126, 127];

export class Run {
  mapper = new Mapper();
  seq = 0;
  isFinished = false;
  hasOutput = false;
  hasClosed = false;
  completedAt = Infinity;
  /** Why it was stopped: `cancel`, or the time limit that was reached. @type {string | null} */
  stopReason = null;

  /**
   * @param {StartRunParams} params
   * @param {string} path
   * @param {(params: object) => void} sendEvent
   * @param {() => void} onFinished
   */
  constructor(params, path, sendEvent, onFinished) {
    this.params = params;
    this.sendEvent = sendEvent;
    this.onFinished = onFinished;
    this.startedAt = this.lastOutputAt = this.lastEventAt = performance.now();
    const passed = Object.entries(process.env).filter(([name]) => passedVariables.test(name));
    const { arguments: args, env: own, stdin } = invocation(params);
    const env = { ...Object.fromEntries(passed), TERM: "dumb", NO_COLOR: "1", ...own, ...params.env };
    // A session of its own, and file descriptor 3 as the mark that its descendants inherit.
    this.child = spawn(path, args, {
      cwd: params.cwd, env, detached: true, stdio: ["pipe", "pipe", "ignore", "pipe"],
    });
    this.mark = markOf(this.child.pid);
    this.child.on("error", (error) => this.finish("cli_spawn_failed", `could not start ${path}: ${error.message}`));
    this.emit({ type: "run_started", cliPath: path, pid: this.child.pid ?? null });
    if (this.child.pid) this.follow(stdin);
  }

  /** @param {string} text */
  follow(text) {
    const { stdin, stdout, stdio } = this.child;
    for (const stream of stdio) stream?.on("error", () => {}); // the CLI closed it; its output decides
    stdin?.end(text);
    const { push, flush } = lines((line) => this.onLine(line));
    stdout?.on("data", (bytes) => {
      [this.lastOutputAt, this.hasOutput] = [performance.now(), true];
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

  /** @param {string} line */
  onLine(line) {
    this.mapper.onLine(line).forEach((event) => this.emit(event));
    if (this.mapper.isComplete) this.completedAt = Math.min(this.completedAt, performance.now());
  }

  /** Enforces time limits, emits heartbeats, kills what outlives the CLI. @param {number} now */
  tick(now) {
    const { totalMs, idleMs, startMs } = this.params.timeouts ?? {};
    if (now - this.startedAt > (totalMs ?? Infinity)) this.stop("total");
    if (now - this.lastOutputAt > (idleMs ?? Infinity)) this.stop("idle");
    if (!this.hasOutput && now - this.startedAt > (startMs ?? Infinity)) this.stop("start");
    const silentMs = Math.round(now - this.lastOutputAt);
    if (now - this.lastEventAt > heartbeatMs) this.emit({ type: "heartbeat", silentMs });
    const endedAt = Math.min(this.completedAt, this.hasClosed ? this.lastOutputAt : Infinity);
    if (this.hasExited() || now - endedAt > exitGraceMs) killRun(this.mark);
  }

  hasExited() {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** @param {KnownEvent} event */
  emit(event) {
    this.lastEventAt = performance.now();
    this.sendEvent({ runId: this.params.runId, seq: this.seq++, ts: Date.now(), event });
  }

  /** SIGINT, then SIGTERM, then SIGKILL. @param {string} reason @param {number | null} [graceMs] */
  stop(reason, graceMs) {
    if (this.stopReason) return;
    this.stopReason = reason;
    const grace = graceMs ?? defaultGraceMs;
    this.signal("SIGINT");
    setTimeout(() => this.signal("SIGTERM"), grace).unref();
    setTimeout(() => this.isFinished || killRun(this.mark), grace + exitGraceMs).unref();
  }

  /** @param {NodeJS.Signals} signal */
  signal(signal) {
    if (!this.isFinished && this.child.pid) kill(-this.child.pid, signal);
  }

  finishIfExited() {
    if (!this.hasClosed || !this.hasExited()) return;
    killRun(this.mark);
    const { exitCode, signalCode } = this.child;
    const neverStarted = !this.hasOutput && notStarted.includes(Number(exitCode));
    const message = `my-agent ended with ${signalCode ?? exitCode} before its answer was complete`;
    this.finish(neverStarted ? "cli_spawn_failed" : "cli_crashed", message);
  }

  /** @param {string} crashKind @param {string} crashMessage */
  finish(crashKind, crashMessage) {
    if (this.isFinished) return;
    this.isFinished = true;
    clearInterval(this.timer);
    this.mapper.onExit(this.stopReason === "cancel").forEach((event) => this.emit(event));
    const [status, stopReason, evidence, errorKind] = this.outcome(crashKind);
    if (errorKind) {
      const message = errorKind === "timeout" ? `time limit ${this.stopReason} reached` : crashMessage;
      this.emit({ type: "error", kind: errorKind, message, fatal: true, data: { which: this.stopReason } });
    }
    const durationMs = Math.round(performance.now() - this.startedAt);
    const totals = { ...this.mapper.totals, costUsd: this.mapper.usage?.costUsd ?? null };
    this.emit({ type: "done", status, stopReason, evidence, errorKind, durationMs, totals });
    this.onFinished();
  }

  /** Status, stop reason, evidence and error kind of `done`.
   * @param {string} crashKind @returns {[string, string, string, string | null]} */
  outcome(crashKind) {
    if (this.stopReason === "cancel") return ["cancelled", "cancelled", "signal", null];
    if (this.stopReason) return ["timed_out", "cancelled", "watchdog", "timeout"];
    if (this.completedAt < Infinity) return ["completed", "end_turn", "native_result", null];
    return ["failed", "error", "exit_code", crashKind];
  }
}
