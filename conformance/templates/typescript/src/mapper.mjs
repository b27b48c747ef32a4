/**
 * The lines of one run to events. Pure: no clock, file or process. `my-agent` prints
 *   {"type": "text", "text": "…"}                                        a piece of the answer
 *   {"type": "tool_call", "id": "…", "name": "…", "input": {…}}          a tool call starts
 *   {"type": "tool_result", "id": "…", "ok": true, "output": "…"}        a tool call ends
 *   {"type": "usage", "input": 1, "output": 2, "cache_read": 3, "cache_write": 4, "cost": 0.1}
 *   {"type": "end"}                                                      the answer is complete
 * @typedef {import("./types.ts").KnownEvent} KnownEvent
 * @typedef {import("./types.ts").Unmapped} Unmapped
 * @typedef {Extract<KnownEvent, { type: "usage" }>} Usage
 */

const escapeSequences = /\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])/g;

/** @type {Map<string, import("./types.ts").ToolKind>} */
const kindsOfTools = new Map([["shell", "execute"]]);
const maxCostUsd = 1e9;

export class Mapper {
  totals = { textBytes: 0, toolCalls: 0, filesChanged: 0 };
  /** The CLI printed its last message: only this completes a run, an exit code proves nothing. */
  isComplete = false;
  messageCount = 0;
  inMessage = false;
  /** The agent CLI's ids of open calls, and the ids in the events, which are unique. @type {Map<string, string>} */
  openCalls = new Map();
  /** @type {Set<string>} */
  callIds = new Set();
  /** @type {Map<string, Unmapped>} */
  unmapped = new Map();
  /** The last one; each replaces the one before. @type {Usage | null} */
  usage = null;

  /** @param {string} line @returns {KnownEvent[]} */
  onLine(line) {
    const message = parseObject(line);
    if (!message) return []; // noise
    const { type, id } = message;
    if (type === "text" && typeof message.text === "string") return this.onText(message.text);
    if (type === "tool_call" && typeof id === "string" && !this.openCalls.has(id)) return this.onToolCall(id, message);
    if (type === "tool_result" && this.openCalls.has(id)) {
      return [this.closeCall(id, message.ok === true ? "ok" : "error", message.output)];
    }
    if (type === "usage" && Number.isSafeInteger(message.input)) return this.onUsage(message);
    if (type === "end") {
      this.isComplete = true;
      return [];
    }
    return this.onUnknown(message);
  }

  /** Closes what is still open. @param {boolean} isCancelled @returns {KnownEvent[]} */
  onExit(isCancelled) {
    const status = isCancelled ? "cancelled" : "unknown";
    const repeated = [...this.unmapped.values()].filter(({ count }) => count > 1);
    return [
      ...this.closeMessage(),
      ...[...this.openCalls.keys()].map((id) => this.closeCall(id, status)),
      ...repeated.map((entry) => ({ type: /** @type {const} */ ("unmapped"), ...entry })),
      ...(this.usage ? [this.usage] : []),
    ];
  }

  /** @param {string} text @returns {KnownEvent[]} */
  onText(text) {
    /** @type {KnownEvent[]} */
    const events = [];
    if (!this.inMessage) events.push({ type: "message_started", messageId: `message-${++this.messageCount}` });
    this.inMessage = true;
    const clean = text.replace(escapeSequences, "").toWellFormed();
    this.totals.textBytes += Buffer.byteLength(clean);
    return [...events, { type: "text_delta", messageId: `message-${this.messageCount}`, text: clean }];
  }

  /** @returns {KnownEvent[]} */
  closeMessage() {
    if (!this.inMessage) return [];
    this.inMessage = false;
    return [{ type: "message_stopped", messageId: `message-${this.messageCount}` }];
  }

  /** @param {string} id @param {{ name?: unknown, input?: unknown }} call @returns {KnownEvent[]} */
  onToolCall(id, { name, input = {} }) {
    this.totals.toolCalls++;
    const toolCallId = this.callIds.has(id) ? `${id} (${this.totals.toolCalls})` : id;
    this.openCalls.set(id, toolCallId);
    this.callIds.add(toolCallId);
    return [
      ...this.closeMessage(),
      { type: "tool_call_started", toolCallId, name: String(name), kind: kindsOfTools.get(String(name)) ?? "other" },
      { type: "tool_call_ready", toolCallId, input },
    ];
  }

  /** @param {string} id @param {string} status @param {unknown} [output] @returns {KnownEvent} */
  closeCall(id, status, output = null) {
    const toolCallId = this.openCalls.get(id) ?? id;
    this.openCalls.delete(id);
    return { type: "tool_result", toolCallId, status, output };
  }

  /** @param {Record<string, unknown>} message @returns {KnownEvent[]} */
  onUsage({ input, output, cache_read, cache_write, cost }) {
    const count = (/** @type {unknown} */ value) => Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0;
    const counts = [input, output, cache_read, cache_write].map(count);
    const [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens] = counts;
    this.usage = {
      type: "usage", scope: "run", cumulative: true, source: "cli",
      inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens,
      totalTokens: Math.min(Number.MAX_SAFE_INTEGER, counts.reduce((sum, tokens) => sum + tokens, 0)),
      costUsd: typeof cost === "number" && cost >= 0 && cost < maxCostUsd ? cost : null,
    };
    return [];
  }

  /** A later version of the CLI prints it. Field names hold no secrets, values may.
   * @param {Record<string, unknown>} message @returns {KnownEvent[]} */
  onUnknown(message) {
    const nativeType = String(message.type ?? "no type").slice(0, 200).toWellFormed();
    const sample = Object.keys(message).join(" ").slice(0, 200).toWellFormed();
    const entry = this.unmapped.get(nativeType) ?? { nativeType, sample, count: 0 };
    this.unmapped.set(nativeType, { ...entry, count: entry.count + 1 });
    return entry.count === 0 ? [{ type: "unmapped", ...entry, count: 1 }] : [];
  }
}

/** @param {string} line @returns {Record<string, any> | null} */
function parseObject(line) {
  try {
    const message = JSON.parse(line);
    return typeof message === "object" && !Array.isArray(message) ? message : null;
  } catch {
    return null;
  }
}
