// A queue between the connection that receives events and the loop that reads them.

import type { HostError } from "./errors.js";
import type { RunEventParams } from "./types.js";

/** The most events that wait for a slow reader; the host's journal keeps the rest. */
const MAX_WAITING_EVENTS = 4_096;

/** One subscription. */
export class Subscription {
  #waiting: RunEventParams[][] = [];
  #count = 0;
  #ended = false;
  #error: HostError | undefined;
  #wake: () => void = () => undefined;

  /** Calls `onFull` and accepts no more events when the reader is too slow. */
  constructor(
    readonly id: string,
    private readonly onFull: (subscription: Subscription) => void,
  ) {}

  /** Adds events; an empty list means that no more will follow. */
  push(events: RunEventParams[]): void {
    if (this.#ended) return;
    if (events.length === 0) return this.end();
    this.#waiting.push(events);
    this.#count += events.length;
    if (this.#count > MAX_WAITING_EVENTS) {
      this.#ended = true;
      this.onFull(this);
    }
    this.#wake();
  }

  /** Ends the subscription with an error. */
  fail(error: HostError): void {
    this.#error ??= error;
    this.end();
  }

  /** Ends the subscription. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Yields the events in order. */
  async *events(): AsyncGenerator<RunEventParams> {
    for (;;) {
      const events = this.#waiting.shift();
      if (events !== undefined) {
        this.#count -= events.length;
        yield* events;
      } else if (this.#error !== undefined) {
        throw this.#error;
      } else if (this.#ended) {
        return;
      } else {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }
}
