/** Processes. Nothing here knows the protocol or the agent CLI. */
import { readFileSync, readdirSync, readlinkSync } from "node:fs";

const maxKillRounds = 400;

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
 * @param {number | undefined} root its descendants belong to the run too; this process means all of its children
 */
export function killRun(mark, root) {
  for (let round = 0; round < maxKillRounds; round++) {
    const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
    const parents = new Map(pids.map((pid) => [pid, parentOf(pid)]));
    const hasMark = (/** @type {number} */ pid) => mark !== null && markOf(pid) === mark;
    const found = new Set(pids.filter((pid) => parents.get(pid) !== null && hasMark(pid)));
    if (root === process.pid || parents.get(root ?? 0) === process.pid) found.add(Number(root));
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
