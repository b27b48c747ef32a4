/** The mapper against recorded output: `node --test tests/`. UPDATE_EXPECT=1 rewrites the events. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { invocation } from "../src/invocation.mjs";
import { Mapper } from "../src/mapper.mjs";
import { eventLines, writtenId } from "../src/wire.mjs";

const folder = dirname(dirname(fileURLToPath(import.meta.url)));

/** @param {string} stdout */
function replay(stdout) {
  const mapper = new Mapper();
  const events = stdout.split("\n").flatMap((line) => mapper.onLine(line));
  return { events: [...events, ...mapper.onExit(false)], isComplete: mapper.isComplete };
}

const recordings = readdirSync(join(folder, "recordings"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".stdout.jsonl"));
for (const recording of recordings) {
  test(`${recording} becomes the expected events`, () => {
    const file = join(folder, "recordings", recording);
    const { events, isComplete } = replay(readFileSync(file, "utf8"));
    assert.ok(isComplete);
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join("");
    const expected = file.replace(".stdout.", ".events.");
    if (process.env.UPDATE_EXPECT) writeFileSync(expected, text);
    assert.equal(text, readFileSync(expected, "utf8"));
  });
}

test("interrupted tool call is closed", () => {
  const { events, isComplete } = replay('{"type":"tool_call","id":"1","name":"shell"}\n');
  assert.deepEqual(events.at(-1), { type: "tool_result", toolCallId: "1", status: "unknown", output: null });
  assert.equal(isComplete, false);
});

test("unknown message is reported twice at most", () => {
  const { events } = replay('{"type":"future","key":"secret"}\n'.repeat(3));
  assert.deepEqual(events.map((event) => "count" in event && event.count), [1, 3]);
  assert.ok(!JSON.stringify(events).includes("secret"));
});

test("long text is split, long output is shortened and marked", () => {
  const [text, toLine] = ["ä\n\u0001🦜".repeat(100), (/** @type {object} */ event) => JSON.stringify(event)];
  const deltas = [...eventLines({ type: "text_delta", text }, toLine, 150)];
  assert.ok(deltas.every((line) => Buffer.byteLength(line) <= 150));
  assert.equal(deltas.map((line) => JSON.parse(line).text).join(""), text);
  const [line] = eventLines({ type: "tool_result", output: text }, toLine, 150);
  const { output, truncated } = JSON.parse(line);
  assert.ok(text.startsWith(output));
  assert.equal(Buffer.byteLength(output) + truncated.bytes, Buffer.byteLength(text));
});

test("id is repeated as it was written", () => {
  const text = '{"params":{"id":1},"id" : 12345678901234567890.0,"method":"ping"}';
  assert.equal(writtenId(text, JSON.parse(text).id), "12345678901234567890.0");
});

test("prompt goes to stdin", () => {
  const params = { runId: "run", cwd: "/", prompt: { text: "hello" } };
  assert.deepEqual(invocation(params), { arguments: [], env: {}, stdin: "hello" });
});

test("manifest is printed", () => {
  const printed = execFileSync(join(folder, "od-adapter-my-agent"), ["--manifest"], { encoding: "utf8" });
  assert.deepEqual(JSON.parse(printed), JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")));
});
