// Server-sent events, as far as the host sends them: each message has one line of data.

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
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("event: ")) type = line.slice("event: ".length);
      if (line.startsWith("data: ")) yield { type, data: line.slice("data: ".length) };
    }
  }
}
