// The HTTP transport: one request per call, server-sent events for runs.

import type { Client, EventsOptions, MethodName, ParamsOf, ResultOf } from "./client.js";
import { connectionLost, errorInReply, HostError, isObject, notUnderstood } from "./errors.js";
import { follow } from "./follow.js";
import { serverSentMessages } from "./sse.js";
import type { ErrorObject, RunEventParams, RunState } from "./types.js";
import type { ConnectOptions } from "./websocket.js";

/** Returns a client over HTTP. Connects on the first call. */
export function http(options: ConnectOptions): Client {
  return new HttpClient(options.url.replace(/\/+$/, ""), options.token);
}

class HttpClient implements Client {
  #lastId = 0;

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  async call<Name extends MethodName>(
    method: Name,
    ...params: ParamsOf<Name>
  ): Promise<ResultOf<Name>> {
    this.#lastId += 1;
    const body = JSON.stringify({ jsonrpc: "2.0", id: this.#lastId, method, params: params[0] ?? {} });
    const headers = { "content-type": "application/json" };
    const text = await this.#text(await this.#fetch("/", { method: "POST", headers, body }));
    const reply: unknown = JSON.parse(text);
    if (!isObject(reply)) throw notUnderstood(`the response to ${method} is not JSON-RPC`);
    if (reply["error"] !== undefined) throw new HostError(reply["error"] as ErrorObject);
    return reply["result"] as ResultOf<Name>;
  }

  events(runId: string, options: EventsOptions = {}): AsyncGenerator<RunEventParams, void, undefined> {
    return follow(this, runId, options);
  }

  async *attach(runId: string, from: number, signal?: AbortSignal): AsyncGenerator<RunEventParams> {
    const path = `/runs/${encodeURIComponent(runId)}/events?from=${from}`;
    const headers = { accept: "text/event-stream" };
    const response = await this.#fetch(path, { headers, ...(signal && { signal }) });
    if (response.body === null) throw notUnderstood(`the response to ${path} has no body`);
    try {
      for await (const { type, data } of serverSentMessages(response.body)) {
        if (type === "stream_failed") throw new HostError(JSON.parse(data) as ErrorObject);
        yield JSON.parse(data) as RunEventParams;
      }
    } catch (error) {
      throw this.#lost(error, signal);
    }
  }

  async state(runId: string): Promise<RunState> {
    return (await this.call("runs/get", { runId })).state;
  }

  async close(): Promise<void> {
    // Nothing to close: every request has its own connection.
  }

  async #fetch(path: string, request: RequestInit): Promise<Response> {
    const headers = { ...request.headers, authorization: `Bearer ${this.token}` };
    let response: Response;
    try {
      response = await fetch(this.url + path, { ...request, headers });
    } catch (error) {
      throw this.#lost(error, request.signal ?? undefined);
    }
    if (!response.ok) throw errorInReply(response.status, await this.#text(response));
    return response;
  }

  async #text(response: Response): Promise<string> {
    try {
      return await response.text();
    } catch (error) {
      throw this.#lost(error, undefined);
    }
  }

  #lost(error: unknown, signal: AbortSignal | undefined): unknown {
    if (error instanceof HostError || signal?.aborted) return error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return connectionLost(`no connection to ${this.url}: ${cause}`, "is od-host serve running there?");
  }
}
