// Events between the connection that brings them and the loop that takes them.

import type { HostError } from "./errors.js";
import type { RunEventParams } from "./types.js";

/** So many events wait for a slow reader; the host's journal keeps the rest. */
const MOST_WAITING = 4_096;

/** One subscription. */
export class Subscription {
  #waiting: RunEventParams[][] = [];
  #count = 0;
  #ended = false;
  #error: HostError | undefined;
  #wake: () => void = () => undefined;

  /** `onFull` is told when the reader is too slow; no more is taken then. */
  constructor(
    readonly id: string,
    private readonly onFull: (subscription: Subscription) => void,
  ) {}

  /** Takes what came; no events mean that no more will come. */
  push(events: RunEventParams[]): void {
    if (this.#ended) return;
    if (events.length === 0) return this.end();
    this.#waiting.push(events);
    this.#count += events.length;
    if (this.#count > MOST_WAITING) {
      this.#ended = true;
      this.onFull(this);
    }
    this.#wake();
  }

  /** Nothing more will come, because something went wrong. */
  fail(error: HostError): void {
    this.#error ??= error;
    this.end();
  }

  /** Nothing more will come. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** What came, in order. */
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
