/** The agent CLI on this machine and its version. Reads only. */
import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { cliName, environment, manifest } from "./manifest.mjs";
import { kill } from "./processes.mjs";

const probeMs = 2000;
const maxOutputChars = 4096;
/** By path, inode, size and time of the last change. @type {Map<string, string>} */
const versions = new Map();

/** The executable; `configured` is exact: there is no fallback to PATH. @param {string | null | undefined} configured */
export function findCli(configured) {
  const folders = (process.env.PATH ?? "").split(":").filter(isAbsolute);
  const onPath = manifest.cli.names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return (configured ? [configured] : onPath).find(isExecutable) ?? null;
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

/** @param {string | null | undefined} configured @param {boolean} refresh
 * @returns {Promise<import("./types.ts").DetectAdapterResult>} */
export async function detect(configured, refresh) {
  const path = findCli(configured);
  const version = path && (await versionOf(path, refresh));
  const { versionMin, versionTested } = manifest.cli;
  return {
    installed: path !== null, path, version, auth: { state: "ok" }, capabilities: manifest.capabilities,
    meetsMin: version ? compare(version, versionMin ?? "0") >= 0 : null,
    testedVersion: version ? ["older", "same", "newer"][compare(version, versionTested ?? "0") + 1] : null,
    evidence: [{ signal: "path", subject: configured ?? "PATH", found: path !== null }],
    guidance: path ? null : `install ${cliName} and put it on PATH`,
  };
}

/** Compares number by number; a missing number is 0. @param {string} one @param {string} other */
function compare(one, other) {
  const [left, right] = [one, other].map((version) => version.split(".").map(Number));
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference) return Math.sign(difference);
  }
  return 0;
}

/** @param {string} path @param {boolean} refresh */
async function versionOf(path, refresh) {
  const status = statSync(path, { throwIfNoEntry: false });
  const key = `${path} ${status?.ino} ${status?.size} ${status?.mtimeMs}`;
  if (refresh || !versions.has(key)) {
    const version = /\d{1,9}(\.\d{1,9})+/.exec(await printedVersion(path))?.[0];
    if (!version) return null;
    versions.set(key, version);
  }
  return versions.get(key) ?? null;
}

/** What `--version` prints. An agent CLI that hangs, or prints without end, is killed.
 * @param {string} path @returns {Promise<string>} */
function printedVersion(path) {
  return new Promise((resolve) => {
    const child = spawn(path, ["--version"], {
      env: environment(), detached: true, stdio: ["ignore", "pipe", "ignore"],
    });
    let output = "";
    const end = () => {
      clearTimeout(timer);
      if (child.pid) kill(-child.pid, "SIGKILL");
      child.stdout.destroy();
      resolve(output);
    };
    const timer = setTimeout(end, probeMs);
    child.on("error", end);
    child.stdout.on("end", end);
    child.stdout.on("data", (bytes) => {
      output += bytes;
      if (output.length > maxOutputChars) end();
    });
  });
}
