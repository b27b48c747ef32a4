/** Lines and processes. Nothing here knows the protocol or the agent CLI. */
import { readFileSync, readdirSync, readlinkSync } from "node:fs";

const maxLineBytes = 16 << 20;
const maxKillRounds = 400;

/**
 * Splits bytes, not text, into lines: a character whose bytes arrive separately stays whole.
 * @param {(line: string) => void} onLine gets an empty line in place of one above the limit
 */
export function lines(onLine) {
  let [parts, size] = [/** @type {Buffer[]} */ ([]), 0];
  const flush = () => {
    const line = Buffer.concat(parts).toString();
    const isTooLong = size > maxLineBytes;
    [parts, size] = [[], 0];
    if (isTooLong || line.trim()) onLine(line);
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

/** The parent of a running process. @param {number} pid */
export function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return "ZX".includes(state) ? null : Number(parent);
  } catch {
    return null;
  }
}

/** What a process has open as file descriptor 3. @param {number | undefined} pid */
export function markOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/fd/3`);
  } catch {
    return null; // it has exited, or belongs to another user
  }
}

/**
 * Kills every process of a run. Tools may leave their group, session and parent, and Node cannot
 * become a subreaper. So the agent CLI gets one end of a pipe as file descriptor 3: each process
 * that inherited it, and each descendant of one, belongs to the run.
 * @param {string | null} mark that pipe, as `markOf` read it
 */
export function killRun(mark) {
  for (let round = 0; round < maxKillRounds; round++) {
    const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
    const parents = new Map(pids.map((pid) => [pid, parentOf(pid)]));
    const hasMark = (/** @type {number} */ pid) => mark !== null && markOf(pid) === mark;
    const found = new Set(pids.filter((pid) => parents.get(pid) !== null && hasMark(pid)));
    found.add(process.pid);
    for (let size = 0; size < found.size; ) {
      size = found.size;
      for (const [pid, parent] of parents) if (parent !== null && found.has(parent)) found.add(pid);
    }
    found.delete(process.pid);
    if (found.size === 0) return;
    for (const pid of found) kill(pid, "SIGKILL");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
}

/** @param {number} pid @param {NodeJS.Signals} signal */
export function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch { /* it has exited */ }
}
