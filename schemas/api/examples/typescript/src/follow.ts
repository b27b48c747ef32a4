// The events of a run without a gap or a double, whatever happens to the connection.

import type { EventsOptions } from "./client.js";
import { connectionLost, HostError } from "./errors.js";
import type { RunEventParams, RunState } from "./types.js";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Where events come from: one connection's worth of them, and how the run stands. */
export interface Source {
  /** The events from a number on; ends, or throws a retryable `HostError`, when the connection does. */
  attach(runId: string, from: number, signal?: AbortSignal): AsyncIterable<RunEventParams>;
  /** How the run stands. */
  state(runId: string): Promise<RunState>;
}

/** The events of a run until `done`. */
export async function* follow(
  source: Source,
  runId: string,
  options: EventsOptions,
): AsyncGenerator<RunEventParams, void, undefined> {
  const patience = new Patience(options.patienceMs ?? 60_000, options.signal);
  let next = options.from ?? 0;
  let isOver = false;
  for (;;) {
    options.signal?.throwIfAborted();
    const before = next;
    let lost = connectionLost(`the events of ${runId} ended before the run did`, "ask again");
    try {
      for await (const event of source.attach(runId, next, options.signal)) {
        if (event.seq < next) continue;
        // A gap: what is missing is asked for again.
        if (event.seq > next) break;
        next += 1;
        patience.renew();
        yield event;
        if (event.event.type === "done") return;
      }
      options.signal?.throwIfAborted();
      if (next > before) continue;
      // Nothing came. When the run was over before, nothing will.
      if (isOver) return;
      const state = await source.state(runId);
      isOver = state !== "queued" && state !== "running";
      if (isOver) continue;
    } catch (error) {
      if (!(error instanceof HostError) || !error.retryable) throw error;
      lost = error;
    }
    await patience.pause(lost);
  }
}

/** Pauses that double, until they have lasted too long together. */
class Patience {
  #pauseMs = FIRST_PAUSE_MS;
  #leftMs: number;

  constructor(
    private readonly totalMs: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#leftMs = totalMs;
  }

  renew(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#leftMs = this.totalMs;
  }

  /** Waits a little, or gives up with what went wrong. */
  async pause(error: HostError): Promise<void> {
    if (this.#leftMs <= 0) throw error;
    const pauseMs = Math.min(this.#pauseMs, this.#leftMs);
    this.#leftMs -= pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    await sleep(pauseMs, this.signal);
  }
}

/** Waits, but not longer than the signal allows. */
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
