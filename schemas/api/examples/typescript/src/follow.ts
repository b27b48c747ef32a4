// The events of a run without gaps or duplicates, across lost connections.

import type { EventsOptions } from "./client.js";
import { connectionLost, HostError } from "./errors.js";
import type { RunEventParams, RunState } from "./types.js";

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

/** A source of events: the events of one connection, and the state of the run. */
export interface Source {
  /** Yields events from a sequence number; ends or throws a retryable `HostError` with the connection. */
  attach(runId: string, from: number, signal?: AbortSignal): AsyncIterable<RunEventParams>;
  /** Returns the state of the run. */
  state(runId: string): Promise<RunState>;
}

/** Yields the events of a run until `done`. */
export async function* follow(
  source: Source,
  runId: string,
  options: EventsOptions,
): AsyncGenerator<RunEventParams, void, undefined> {
  const retryBudget = new RetryBudget(options.reconnectTimeoutMs ?? 60_000, options.signal);
  let next = options.from ?? 0;
  let hasEnded = false;
  for (;;) {
    options.signal?.throwIfAborted();
    const before = next;
    let lost = connectionLost(`the events of ${runId} ended before the run did`, "retry");
    try {
      for await (const event of source.attach(runId, next, options.signal)) {
        if (event.seq < next) continue;
        // A gap: attach again from the missing event.
        if (event.seq > next) break;
        next += 1;
        retryBudget.reset();
        yield event;
        if (event.event.type === "done") return;
      }
      options.signal?.throwIfAborted();
      if (next > before) continue;
      // No events. If the run had already ended, there are no more.
      if (hasEnded) return;
      const state = await source.state(runId);
      hasEnded = state !== "queued" && state !== "running";
      if (hasEnded) continue;
    } catch (error) {
      if (!(error instanceof HostError) || !error.retryable) throw error;
      lost = error;
    }
    await retryBudget.pause(lost);
  }
}

/** Pauses that double, up to a total time without an event. */
class RetryBudget {
  #pauseMs = FIRST_PAUSE_MS;
  #leftMs: number;

  constructor(
    private readonly totalMs: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#leftMs = totalMs;
  }

  reset(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#leftMs = this.totalMs;
  }

  /** Pauses, or throws the error when the budget is used up. */
  async pause(error: HostError): Promise<void> {
    if (this.#leftMs <= 0) throw error;
    const pauseMs = Math.min(this.#pauseMs, this.#leftMs);
    this.#leftMs -= pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
    await sleep(pauseMs, this.signal);
  }
}

/** Waits for a time or until the signal is aborted. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener("abort", wake);
  });
}
