// @ts-check
/**
 * One run of `tally-agent`: its lines in, events out. The agent takes a prompt on stdin and prints
 *   {"say": "text"}                                a piece of the answer
 *   {"call": "id", "name": "tool", "input": {…}}   a tool call begins
 *   {"result": "id", "ok": true, "output": "…"}    it is over
 *   {"tally": {"in": 1, "out": 2, "cached": 3, "stored": 4, "usd": 0.1}}   some may be absent
 *   {"bye": true}                                  the last word
 * @typedef {import("../../../schemas/v1/types.ts").StartRunParams} StartRunParams
 * @typedef {import("../../../schemas/v1/types.ts").KnownEvent} KnownEvent
 * @typedef {import("../../../schemas/v1/types.ts").Unmapped} Unmapped
 */
import { spawn } from "node:child_process";
import { endDescendants, kill, lines, markOf } from "./machine.mjs";

const passedOn = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|TZ|TMPDIR|(LC|XDG)_.*|(https?|no|all)_proxy)$/i;
/** Colours and titles that a terminal would obey and a page would show as rubbish. */
const escapes = /\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])/g;

export class Run {
  seq = 0;
  totals = { textBytes: 0, toolCalls: 0, filesChanged: 0 };
  messages = 0;
  isTalking = false;
  isOver = false;
  hasSpoken = false;
  hasClosed = false;
  /** When it said its last word. */
  lastWord = Infinity;
  /** @type {Map<string, Unmapped>} */
  strange = new Map();
  /** @type {Set<string>} */
  openCalls = new Set();
  /** @type {KnownEvent | null} */
  usage = null;
  /** Why it was stopped: `cancel`, or the limit of time that ran out. @type {string | null} */
  why = null;

  /**
   * @param {StartRunParams} params
   * @param {string} path
   * @param {(params: object) => void} tell sends an event
   * @param {() => void} onOver
   */
  constructor(params, path, tell, onOver) {
    this.params = params;
    this.tell = tell;
    this.onOver = onOver;
    this.began = this.heard = this.told = performance.now();
    const kept = Object.entries(process.env).filter(([name]) => passedOn.test(name));
    const env = { ...Object.fromEntries(kept), TERM: "dumb", NO_COLOR: "1", ...params.env };
    // A session of its own, and file 3 as the mark that all its descendants inherit.
    this.child = spawn(path, [], {
      cwd: params.cwd, env, detached: true, stdio: ["pipe", "pipe", "ignore", "pipe"],
    });
    this.mark = markOf(this.child.pid);
    this.child.on("error", (error) => this.finish("cli_spawn_failed", `could not start ${path}: ${error.message}`));
    this.emit({ type: "run_started", cliPath: path, pid: this.child.pid ?? null });
    if (this.child.pid) this.follow();
  }

  follow() {
    const { stdin, stdout, stdio } = this.child;
    for (const stream of stdio) stream?.on("error", () => {}); // it wants no more; what it says decides
    stdin?.end(this.params.prompt.text);
    const { push, flush } = lines((line) => this.onLine(line));
    stdout?.on("data", (bytes) => {
      [this.heard, this.hasSpoken] = [performance.now(), true];
      push(bytes);
    });
    stdout?.on("end", () => {
      flush();
      this.hasClosed = true;
      this.concludeIfGone();
    });
    this.child.on("exit", () => this.concludeIfGone());
    this.ticking = setInterval(() => this.guard(performance.now()), 50);
  }

  /** Heartbeats, limits of time, and an end for what outlives the CLI, its output or its last word.
   * @param {number} now */
  guard(now) {
    const { totalMs, idleMs, startMs } = this.params.timeouts ?? {};
    if (now - this.began > (totalMs ?? Infinity)) this.stop("total", 2000);
    if (now - this.heard > (idleMs ?? Infinity)) this.stop("idle", 2000);
    if (!this.hasSpoken && now - this.began > (startMs ?? Infinity)) this.stop("start", 2000);
    if (now - this.told > 5000) this.emit({ type: "heartbeat", silentMs: Math.round(now - this.heard) });
    const hasExited = this.child.exitCode !== null || this.child.signalCode !== null;
    const isLate = now - Math.min(this.lastWord, this.hasClosed ? this.heard : Infinity) > 1000;
    if (hasExited || isLate) endDescendants(this.mark);
  }

  /** @param {KnownEvent} event */
  emit(event) {
    this.told = performance.now();
    this.tell({ runId: this.params.runId, seq: this.seq++, ts: Date.now(), event });
  }

  /** @param {string} line */
  onLine(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return; // noise
    }
    if (typeof message !== "object" || message === null || Array.isArray(message)) return;
    const { say, call, result, tally, bye, ok } = message;
    if (typeof say === "string") this.onText(say.replace(escapes, "").toWellFormed());
    else if (typeof call === "string" && !this.openCalls.has(call)) this.onCall(call, message);
    else if (this.openCalls.has(result)) this.closeCall(result, ok === true ? "ok" : "error", message.output);
    else if (Number.isSafeInteger(tally?.in) && Number.isSafeInteger(tally?.out)) this.onTally(tally);
    else if (bye === true) this.lastWord = Math.min(this.lastWord, performance.now());
    else this.onStrange(Object.keys(message));
  }

  /** @param {string} text */
  onText(text) {
    if (!this.isTalking) this.emit({ type: "message_started", messageId: `m${++this.messages}` });
    this.isTalking = true;
    this.totals.textBytes += Buffer.byteLength(text);
    this.emit({ type: "text_delta", messageId: `m${this.messages}`, text });
  }

  endMessage() {
    if (this.isTalking) this.emit({ type: "message_stopped", messageId: `m${this.messages}` });
    this.isTalking = false;
  }

  /** @param {string} toolCallId @param {{ name?: unknown, input?: unknown }} call */
  onCall(toolCallId, { name, input = {} }) {
    this.endMessage();
    this.totals.toolCalls++;
    this.openCalls.add(toolCallId);
    this.emit({ type: "tool_call_started", toolCallId, name: String(name), kind: "other" });
    this.emit({ type: "tool_call_ready", toolCallId, input });
  }

  /** @param {string} toolCallId @param {string} status @param {unknown} [output] */
  closeCall(toolCallId, status, output = null) {
    this.openCalls.delete(toolCallId);
    this.emit({ type: "tool_result", toolCallId, status, output });
  }

  /** @param {Record<string, unknown>} tally */
  onTally(tally) {
    const count = (/** @type {unknown} */ value) => Math.max(0, Math.trunc(Number(value) || 0));
    const [input, output, read, written] = [tally.in, tally.out, tally.cached, tally.stored].map(count);
    this.usage = {
      type: "usage", scope: "run", cumulative: true, source: "cli", inputTokens: input, outputTokens: output,
      cacheReadTokens: read, cacheWriteTokens: written, totalTokens: input + output + read + written,
      costUsd: typeof tally.usd === "number" ? tally.usd : null,
    };
  }

  /** The names of fields hold no secrets, their values may. @param {string[]} fields */
  onStrange(fields) {
    const nativeType = (fields[0] ?? "{}").slice(0, 60).toWellFormed();
    const sample = fields.join(" ").slice(0, 200).toWellFormed();
    const known = this.strange.get(nativeType) ?? { nativeType, sample, count: 0 };
    this.strange.set(nativeType, { ...known, count: known.count + 1 });
    if (known.count === 0) this.emit({ type: "unmapped", ...known, count: 1 });
  }

  /** The CLI's own polite stop, then less polite ones. @param {string} why @param {number} graceMs */
  stop(why, graceMs) {
    if (this.why) return;
    this.why = why;
    this.signal("SIGINT");
    setTimeout(() => this.signal("SIGTERM"), graceMs).unref();
    setTimeout(() => this.isOver || endDescendants(this.mark), graceMs + 1000).unref();
  }

  /** @param {NodeJS.Signals} signal */
  signal(signal) {
    if (!this.isOver && this.child.pid) kill(-this.child.pid, signal);
  }

  concludeIfGone() {
    const { exitCode, signalCode } = this.child;
    if (!this.hasClosed || (exitCode === null && signalCode === null)) return;
    endDescendants(this.mark);
    // The shell that a file without a known form is given to says so when it is no program.
    const neverBegan = !this.hasSpoken && [126, 127].includes(Number(exitCode));
    const how = `tally-agent ended with ${signalCode ?? exitCode} and without its last word`;
    this.finish(neverBegan ? "cli_spawn_failed" : "cli_crashed", how);
  }

  /** @param {string} crash @param {string} message */
  finish(crash, message) {
    if (this.isOver) return;
    this.isOver = true;
    clearInterval(this.ticking);
    this.endMessage();
    for (const id of this.openCalls) this.closeCall(id, this.why === "cancel" ? "cancelled" : "unknown");
    for (const known of this.strange.values()) if (known.count > 1) this.emit({ type: "unmapped", ...known });
    if (this.usage) this.emit(this.usage);
    const [status, stopReason, evidence, errorKind] =
      this.why === "cancel" ? ["cancelled", "cancelled", "signal", null]
      : this.why ? ["timed_out", "cancelled", "watchdog", "timeout"]
      : this.lastWord < Infinity ? ["completed", "end_turn", "native_result", null]
      : ["failed", "error", "exit_code", crash];
    const text = errorKind === "timeout" ? `the limit of time ${this.why} ran out` : message;
    if (errorKind) this.emit({ type: "error", kind: errorKind, message: text, fatal: true, data: { which: this.why } });
    const costUsd = this.usage?.type === "usage" ? this.usage.costUsd : null;
    const durationMs = Math.round(performance.now() - this.began);
    const totals = { ...this.totals, costUsd };
    this.emit({ type: "done", status, stopReason, evidence, errorKind, durationMs, totals });
    this.onOver();
  }
}
