/** Lines of the protocol. Nothing here knows the agent CLI. */

const maxLineBytes = 16 << 20;
/** Room for `truncated`. */
const reservedBytes = 64;
/** The member of an event that may be too long for a line. */
const payloads = new Map(Object.entries({ text_delta: "text", tool_call_ready: "input", tool_result: "output" }));
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Splits bytes, not text, into lines: a character whose bytes arrive separately stays whole.
 * @param {(line: Buffer | null) => void} onLine gets null in place of a line above the limit, which is not stored
 */
export function lines(onLine) {
  let [parts, size] = [/** @type {Buffer[]} */ ([]), 0];
  const flush = () => {
    const line = size > maxLineBytes ? null : Buffer.concat(parts);
    [parts, size] = [[], 0];
    if (!line || line.some((byte) => byte > 32)) onLine(line);
  };
  /** @param {Buffer} bytes */
  const keep = (bytes) => {
    size += bytes.length;
    if (size > maxLineBytes) parts = [];
    else parts.push(bytes);
  };
  /** @param {Buffer} bytes */
  const push = (bytes) => {
    for (let end; (end = bytes.indexOf(10)) >= 0; bytes = bytes.subarray(end + 1)) {
      keep(bytes.subarray(0, end));
      flush();
    }
    keep(bytes);
  };
  return { push, flush };
}

/** The id of a request as it was written: `JSON.parse` rounds large numbers. @param {string} text @param {unknown} id */
export function writtenId(text, id) {
  if (typeof id !== "number") return JSON.stringify(id);
  let [depth, name, previous, found] = [0, "", "", ""];
  for (const [token] of text.matchAll(tokens)) {
    if (previous === ":" && depth === 1 && name === "id") found = token;
    if ("{[".includes(token)) depth++;
    else if ("}]".includes(token)) depth--;
    else if (token === ":" && depth === 1) name = JSON.parse(previous);
    previous = token;
  }
  return found;
}

/** @param {number | undefined | null} limit of the host */
export const lineLimit = (limit) => Math.min(limit ?? maxLineBytes, maxLineBytes);

/**
 * The lines of an event: a text that is too long becomes several events, another payload is shortened.
 * @param {Record<string, any>} event
 * @param {(event: object) => string} toLine
 * @param {number} limit in bytes
 * @returns {Generator<string, void>}
 */
export function* eventLines(event, toLine, limit) {
  const [name, line] = [payloads.get(event.type), toLine(event)];
  if (!name || Buffer.byteLength(line) <= limit) {
    yield line;
    return;
  }
  const room = Math.max(16, limit - Buffer.byteLength(toLine({ ...event, [name]: "" })) - reservedBytes);
  let text = typeof event[name] === "string" ? event[name] : JSON.stringify(event[name]);
  if (event.type === "text_delta") {
    while (text) {
      const piece = fitting(text, room);
      yield toLine({ ...event, text: piece });
      text = text.slice(piece.length);
    }
    return;
  }
  const kept = fitting(text, room);
  yield toLine({ ...event, [name]: kept, truncated: { bytes: Buffer.byteLength(text) - Buffer.byteLength(kept) } });
}

/** The longest beginning of a text, found by halving, whose JSON fits. @param {string} text @param {number} maxBytes */
function fitting(text, maxBytes) {
  let [low, high] = [1, Math.min(text.length, maxBytes)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (Buffer.byteLength(JSON.stringify(text.slice(0, middle))) - 2 <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, splitsCharacter(text, low) ? low + (low > 1 ? -1 : 1) : low);
}

/** @param {string} text @param {number} index */
function splitsCharacter(text, index) {
  return /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(index - 1, index + 1));
}
