// The client over transports with whole messages: WebSocket and stdio.

import type { Client, EventsOptions, MethodName, ParamsOf, ResultOf } from "./client.js";
import { Connection, type Open } from "./connection.js";
import { connectionLost } from "./errors.js";
import { follow } from "./follow.js";
import type { RunEventParams, RunState } from "./types.js";

/** Opens the first connection and returns the client. */
export async function openClient(open: Open): Promise<Client> {
  const client = new RpcClient(open);
  await client.connection();
  return client;
}

class RpcClient implements Client {
  #connection: Promise<Connection> | undefined;
  #isClosed = false;

  constructor(private readonly open: Open) {}

  async call<Name extends MethodName>(
    method: Name,
    ...params: ParamsOf<Name>
  ): Promise<ResultOf<Name>> {
    const connection = await this.connection();
    return (await connection.call(method, params[0] ?? {})) as ResultOf<Name>;
  }

  events(runId: string, options: EventsOptions = {}): AsyncGenerator<RunEventParams, void, undefined> {
    return follow(this, runId, options);
  }

  async *attach(runId: string, from: number, signal?: AbortSignal): AsyncGenerator<RunEventParams> {
    const connection = await this.connection();
    yield* connection.attach(runId, from, signal);
  }

  async state(runId: string): Promise<RunState> {
    return (await this.call("runs/get", { runId })).state;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }

  /** Returns the current connection, or a new one when it has ended. */
  async connection(): Promise<Connection> {
    if (this.#isClosed) throw connectionLost("the client was closed", "create a new client");
    const current = await this.#connection?.catch(() => undefined);
    if (current !== undefined && current.ended === undefined) return current;
    this.#connection = Connection.open(this.open);
    return this.#connection;
  }
}
