// Functions that need Node: the host as a child process, and its token file.

import { spawn as spawnProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import type { Client } from "./client.js";
import type { Channel, Listener } from "./connection.js";
import { connectionLost } from "./errors.js";
import { openClient } from "./rpc.js";

/** How to start the host. */
export interface SpawnOptions {
  /** The program and its arguments, such as `["od-host", "serve", "--stdio"]`. */
  command: [program: string, ...args: string[]];
  /** The environment variables; absent means those of this process. */
  env?: NodeJS.ProcessEnv;
}

/** Starts a host and connects over its stdin and stdout; it inherits stderr. Throws a `HostError`. */
export function spawn(options: SpawnOptions): Promise<Client> {
  return openClient((listener) => openPipe(options, listener));
}

/** Reads the token of the host on this machine. */
export async function readToken(home?: string): Promise<string> {
  const folder = home ?? process.env["OD_HOME"] ?? join(homedir(), ".open-design");
  return (await readFile(join(folder, "token"), "utf8")).trim();
}

function openPipe({ command, env }: SpawnOptions, listener: Listener): Promise<Channel> {
  const [program, ...args] = command;
  const child = spawnProcess(program, args, { stdio: ["pipe", "pipe", "inherit"], env: env ?? process.env });
  const ended = new Promise<void>((done) => child.once("close", () => done()));
  const close = (): Promise<void> => (child.stdin.end(), ended);
  // After a broken pipe the process exits, and its exit status is the better error.
  child.stdin.on("error", () => undefined);
  eachLine(child.stdout, (line) => listener.message(line));
  return new Promise((resolve, reject) => {
    const send = (text: string): boolean => child.stdin.write(`${text}\n`);
    const lost = (reason: string): void => {
      const error = connectionLost(`${program} has exited: ${reason}`, "see its stderr");
      reject(error);
      listener.closed(error);
    };
    child.on("spawn", () => resolve({ send, close }));
    child.on("error", (error) => lost(error.message));
    child.on("close", (code, signal) => lost(signal ?? `exit status ${code}`));
  });
}

/** Only the byte `\n` ends a line: other line breaks occur inside messages. */
function eachLine(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest: Buffer[] = [];
  stream.on("data", (part: Buffer) => {
    let start = 0;
    for (let end = part.indexOf(10); end >= 0; end = part.indexOf(10, start)) {
      rest.push(part.subarray(start, end));
      const line = Buffer.concat(rest).toString();
      rest = [];
      start = end + 1;
      if (line.trim() !== "") take(line);
    }
    rest.push(part.subarray(start));
  });
}
