// What every face gives: calls, and the events of a run. How they travel does not live here.

import type { Methods, RunEventParams } from "./types.js";

/** The name of a method. */
export type MethodName = keyof Methods;

/** The parameters of a method; where all of them may be absent, so may they. */
export type ParamsOf<Name extends MethodName> = {} extends Methods[Name]["params"]
  ? [params?: Methods[Name]["params"]]
  : [params: Methods[Name]["params"]];

/** What a method answers. */
export type ResultOf<Name extends MethodName> = Methods[Name]["result"];

/** Which events, and how long to try. */
export interface EventsOptions {
  /** The number of the first event; absent means 0, the first. */
  from?: number;
  /** Ends the watching; the run goes on. */
  signal?: AbortSignal;
  /** How long to try to reach the host again without any event; absent means a minute. */
  patienceMs?: number;
}

/** A client of the host, the same over WebSocket, HTTP and a pipe. */
export interface Client {
  /** Calls a method. Throws a `HostError`. */
  call<Name extends MethodName>(method: Name, ...params: ParamsOf<Name>): Promise<ResultOf<Name>>;

  /**
   * The events of a run, each once and in order, until `done`. A lost connection is made again and
   * the events go on where they were. Leaving the loop ends the watching; the run goes on.
   */
  events(runId: string, options?: EventsOptions): AsyncGenerator<RunEventParams, void, undefined>;

  /** Ends the connection. */
  close(): Promise<void>;
}
