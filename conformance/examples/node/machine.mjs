// @ts-check
/** Lines and processes: what every adapter needs of the machine. Nothing of any protocol lives here. */
import { readFileSync, readdirSync, readlinkSync } from "node:fs";

const longestLine = 16 << 20;

/**
 * Splits bytes, not text, into lines: a character whose bytes arrive apart is not damaged.
 * @param {(line: string) => void} onLine
 */
export function lines(onLine) {
  let [parts, size] = [/** @type {Buffer[]} */ ([]), 0];
  const flush = () => {
    const line = Buffer.concat(parts).toString(); // empty when it was beyond the limit
    const isTooLong = size > longestLine;
    [parts, size] = [[], 0];
    if (isTooLong || line.trim()) onLine(line);
  };
  /** @param {Buffer} bytes */
  const keep = (bytes) => {
    size += bytes.length;
    if (size > longestLine) parts = [];
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

/** The parent of a living process. @param {number} pid */
export function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return "ZX".includes(state) ? null : Number(parent);
  } catch {
    return null;
  }
}

/** What a process has open as its file 3. @param {number | undefined} pid */
export function markOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/fd/3`);
  } catch {
    return null; // it is gone, or not ours to look at
  }
}

/**
 * Ends all that a run left. Tools may leave their group, session and parent, and Node cannot become
 * a subreaper: so the agent CLI gets one end of a pipe as its file 3, and whoever inherited that, or
 * descends from one who did, belongs to the run.
 * @param {string | null} mark that file, as markOf saw it in the agent CLI
 */
export function endDescendants(mark) {
  for (let round = 0; round < 400; round++) {
    const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
    const parents = new Map(pids.map((pid) => [pid, parentOf(pid)]));
    const isOurs = (/** @type {number} */ pid) => mark !== null && markOf(pid) === mark;
    const below = new Set([...parents.keys()].filter((pid) => parents.get(pid) !== null && isOurs(pid)));
    below.add(process.pid);
    for (let size = 0; size < below.size; ) {
      size = below.size;
      for (const [pid, parent] of parents) if (parent !== null && below.has(parent)) below.add(pid);
    }
    below.delete(process.pid);
    if (below.size === 0) return;
    for (const pid of below) kill(pid, "SIGKILL");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
}

/** @param {number} pid @param {NodeJS.Signals} signal */
export function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch { /* it is gone */ }
}
