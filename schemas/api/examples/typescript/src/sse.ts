// Server-sent events as the host sends them: each message has one line of data.

import { MAX_IDLE_MS } from "./idle.js";

/** One message: its type and its data. */
export interface Message {
  type: string;
  data: string;
}

/** Yields the messages of a stream. Comments and ids are skipped: the data contains the ids. */
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

/** Yields the chunks of a stream until it is idle too long. Not every browser can iterate over a stream. */
async function* chunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await withTimeout(reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function withTimeout<T>(reading: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const tooLong = (): void => reject(new Error("the host sends no data"));
    const timer = setTimeout(tooLong, MAX_IDLE_MS);
    reading.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
