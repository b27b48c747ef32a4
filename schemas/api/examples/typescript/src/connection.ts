// JSON-RPC over one connection: matches responses and notifications to calls and subscriptions.
// Transports and reconnecting are in other modules.

import { connectionLost, HostError, isObject, notUnderstood } from "./errors.js";
import { Subscription } from "./subscription.js";
import type { ErrorObject, RunEventParams } from "./types.js";

/** Sends messages. */
export interface Channel {
  send(message: string): void;
  close(): Promise<void>;
}

/** Receives the messages of a channel. */
export interface Listener {
  message(text: string): void;
  closed(error: HostError): void;
}

/** Opens a channel; resolves when it is ready. */
export type Open = (listener: Listener) => Promise<Channel>;

interface Pending {
  /** Runs before the next message is processed. */
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** One connection. */
export class Connection {
  #channel: Channel | undefined;
  #ended: HostError | undefined;
  #lastId = 0;
  readonly #pending = new Map<number, Pending>();
  readonly #subscriptions = new Map<string, Subscription>();

  /** Opens a connection. */
  static async open(open: Open): Promise<Connection> {
    const connection = new Connection();
    connection.#channel = await open({
      message: (text) => connection.#take(text),
      closed: (error) => connection.#end(error),
    });
    return connection;
  }

  /** Why the connection has ended; undefined while it is open. */
  get ended(): HostError | undefined {
    return this.#ended;
  }

  /** Calls a method. */
  call(method: string, params: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => this.#send(method, params, { resolve, reject }));
  }

  /** Yields the events of a run; leaving the loop ends the subscription. */
  async *attach(runId: string, from: number, signal?: AbortSignal): AsyncGenerator<RunEventParams> {
    const subscription = await this.#subscribe({ runId, from });
    const stop = (): void => subscription.end();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      yield* subscription.events();
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#unsubscribe(subscription);
    }
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    this.#end(connectionLost("the client was closed", "create a new client"));
    await this.#channel?.close();
  }

  #subscribe(params: unknown): Promise<Subscription> {
    return new Promise((resolve, reject) => {
      // The next message may contain events, so the subscription must be registered before it is processed.
      const known = (id: unknown): void => {
        const subscription = new Subscription(String(id), (full) => this.#unsubscribe(full));
        this.#subscriptions.set(subscription.id, subscription);
        resolve(subscription);
      };
      this.#send("runs/attach", params, { resolve: known, reject });
    });
  }

  #unsubscribe(subscription: Subscription): void {
    if (!this.#subscriptions.delete(subscription.id) || this.#ended) return;
    // No need to wait for the response.
    this.call("runs/detach", [subscription.id]).catch(() => undefined);
  }

  #send(method: string, params: unknown, pending: Pending): void {
    if (this.#ended) return pending.reject(this.#ended);
    this.#lastId += 1;
    this.#pending.set(this.#lastId, pending);
    this.#channel?.send(JSON.stringify({ jsonrpc: "2.0", id: this.#lastId, method, params }));
  }

  #take(text: string): void {
    const message = parse(text);
    if (message === undefined) return this.#end(notUnderstood("received a message that is not JSON"));
    if (typeof message["method"] === "string") return this.#notified(message["params"]);
    const pending = this.#pending.get(message["id"] as number);
    if (pending === undefined) return;
    this.#pending.delete(message["id"] as number);
    const error = message["error"];
    if (error === undefined) pending.resolve(message["result"]);
    else pending.reject(new HostError(error as ErrorObject));
  }

  #notified(params: unknown): void {
    if (!isObject(params)) return;
    const subscription = this.#subscriptions.get(String(params["subscription"]));
    const { result, error } = params;
    if (isObject(result)) subscription?.push(result["events"] as RunEventParams[]);
    if (error !== undefined) subscription?.fail(new HostError(error as ErrorObject));
  }

  #end(error: HostError): void {
    if (this.#ended) return;
    this.#ended = error;
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
    for (const subscription of this.#subscriptions.values()) subscription.fail(error);
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
