// The WebSocket transport, in Node and in browsers.

import type { Client } from "./client.js";
import type { Channel, Listener } from "./connection.js";
import { connectionLost, errorInReply, type HostError } from "./errors.js";
import { openClient } from "./rpc.js";
import { IdleTimer } from "./idle.js";

/** The address and token of the host. */
export interface ConnectOptions {
  /** The address that `od-host serve` prints, such as `http://127.0.0.1:7456`. */
  url: string;
  /** The content of the host's token file. */
  token: string;
}

/** Connects over WebSocket. Throws a `HostError`. */
export function connect(options: ConnectOptions): Promise<Client> {
  const url = options.url.replace(/^http/, "ws");
  const hasOwn = typeof globalThis.WebSocket === "function";
  const open = hasOwn ? openInBrowser : openInNode;
  return openClient((listener) => open(url, options.token, listener));
}

/** A browser cannot send headers here, so the token is sent as a subprotocol. It hides pings, too. */
function openInBrowser(url: string, token: string, listener: Listener): Promise<Channel> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, ["od.v1", `od.token.${token}`]);
    const closed = new Promise<void>((done) => socket.addEventListener("close", () => done()));
    const close = (): Promise<void> => (socket.close(), closed);
    socket.addEventListener("open", () => resolve({ send: (text) => socket.send(text), close }));
    socket.addEventListener("message", (event) => listener.message(String(event.data)));
    socket.addEventListener("close", (event) => {
      const error = lost(url, event.reason || `code ${event.code}`);
      reject(error);
      listener.closed(error);
    });
  });
}

/** Node 20 has no built-in WebSocket; with `ws` the token is sent as a header. */
async function openInNode(url: string, token: string, listener: Listener): Promise<Channel> {
  const { WebSocket } = await import("ws");
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
    const closed = new Promise<void>((done) => socket.once("close", () => done()));
    const close = (): Promise<void> => (socket.close(), closed);
    let idleTimer: IdleTimer | undefined;
    let reason = "";
    socket.on("unexpected-response", (_request, response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => {
        reject(errorInReply(response.statusCode ?? 0, Buffer.concat(parts).toString()));
      });
    });
    socket.on("open", () => {
      idleTimer = new IdleTimer(() => socket.terminate());
      resolve({ send: (text) => socket.send(text), close });
    });
    socket.on("ping", () => idleTimer?.reset());
    socket.on("message", (data: Buffer) => {
      idleTimer?.reset();
      listener.message(data.toString());
    });
    socket.on("error", (error) => (reason = error.message));
    socket.on("close", (code) => {
      idleTimer?.stop();
      const error = lost(url, reason || `code ${code}`);
      reject(error);
      listener.closed(error);
    });
  });
}

function lost(url: string, reason: string): HostError {
  return connectionLost(`no connection to ${url}: ${reason}`, "is od-host serve running there?");
}
