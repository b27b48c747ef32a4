// Detects dead connections.

/** The host sends data at least every 20 s: a ping, or a comment in a stream. */
export const MAX_IDLE_MS = 60_000;

/** Calls `onIdle` after `MAX_IDLE_MS` without data. */
export class IdleTimer {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly onIdle: () => void) {
    this.reset();
  }

  /** Restarts the timer after data has arrived. */
  reset(): void {
    this.stop();
    this.#timer = setTimeout(this.onIdle, MAX_IDLE_MS);
  }

  /** Stops the timer. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
