// When a connection is taken for dead.

/** The host says something at least every 20 s: a ping, or a comment in a stream. */
export const LONGEST_SILENCE_MS = 60_000;

/** Calls `onSilence` when nothing was heard for so long. */
export class SilenceWatch {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly onSilence: () => void) {
    this.heard();
  }

  /** Something came. */
  heard(): void {
    this.end();
    this.#timer = setTimeout(this.onSilence, LONGEST_SILENCE_MS);
  }

  /** Nothing more is expected. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
