// Server-sent events, as far as the host sends them: each message has one line of data.

import { LONGEST_SILENCE_MS } from "./silence.js";

/** One message: its type and its data. */
export interface Message {
  type: string;
  data: string;
}

/** The messages of a stream. Comments are passed over, and ids too: the data has them. */
export async function* serverSentMessages(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  let rest = "";
  let type = "";
  for await (const bytes of chunks(body)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("event: ")) type = line.slice("event: ".length);
      if (line.startsWith("data: ")) yield { type, data: line.slice("data: ".length) };
    }
  }
}

/** What comes, as long as something comes. Not every browser can loop over a stream itself. */
async function* chunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function inTime<T>(reading: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const tooLong = (): void => reject(new Error("the host has fallen silent"));
    const timer = setTimeout(tooLong, LONGEST_SILENCE_MS);
    reading.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
