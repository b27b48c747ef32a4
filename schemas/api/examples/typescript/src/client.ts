// The client interface of every transport: calls, and the events of a run.

import type { Methods, RunEventParams } from "./types.js";

/** The name of a method. */
export type MethodName = keyof Methods;

/** The parameters of a method; optional if all of its fields are optional. */
export type ParamsOf<Name extends MethodName> = {} extends Methods[Name]["params"]
  ? [params?: Methods[Name]["params"]]
  : [params: Methods[Name]["params"]];

/** The result of a method. */
export type ResultOf<Name extends MethodName> = Methods[Name]["result"];

/** Options of `events`. */
export interface EventsOptions {
  /** The sequence number of the first event; absent means 0. */
  from?: number;
  /** Ends the subscription; the run continues. */
  signal?: AbortSignal;
  /** How long to retry without an event; absent means one minute. */
  reconnectTimeoutMs?: number;
}

/** A client of the host, the same over WebSocket, HTTP and stdio. */
export interface Client {
  /** Calls a method. Throws a `HostError`. */
  call<Name extends MethodName>(method: Name, ...params: ParamsOf<Name>): Promise<ResultOf<Name>>;

  /**
   * Yields the events of a run, each once and in order, until `done`. Reconnects after a lost connection
   * and continues at the next event. Leaving the loop ends the subscription; the run continues.
   */
  events(runId: string, options?: EventsOptions): AsyncGenerator<RunEventParams, void, undefined>;

  /** Closes the connection. */
  close(): Promise<void>;
}
