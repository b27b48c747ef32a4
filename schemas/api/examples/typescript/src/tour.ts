// An example of every common call, over any transport. Prints the results without values that differ each
// time, so that all transports and languages can be compared byte for byte.
//
//   node dist/tour.js --cwd DIR websocket URL        (DIR is empty, the token is in OD_TOKEN)
//   node dist/tour.js --cwd DIR http URL
//   node dist/tour.js --cwd DIR stdio od-host serve --stdio

import { basename } from "node:path";
import { randomUUID } from "node:crypto";

import { type Client, connect, HostError, http, isKnownEvent, type RunEventParams } from "./index.js";
import { spawn } from "./node.js";

const PROMPT = "Make a page about tea";

/** Events that depend on time. */
const TIMED_EVENTS = ["heartbeat", "status"];

async function open(transport: string | undefined, [target, ...args]: string[]): Promise<Client> {
  if (target === undefined) throw new Error("usage: tour.js --cwd DIR TRANSPORT TARGET…");
  const options = { url: target, token: process.env["OD_TOKEN"] ?? "" };
  switch (transport) {
    case "websocket":
      return connect(options);
    case "http":
      return http(options);
    case "stdio":
      return spawn({ command: [target, ...args] });
    default:
      throw new Error(`unknown transport: ${transport}`);
  }
}

async function tour(client: Client, cwd: string): Promise<object> {
  const info = await client.call("host/info");
  const { agents } = await client.call("agents/list");
  const demo = agents.find((agent) => agent.id === "demo");
  const { gates } = await client.call("agents/features", { agent: "demo" });
  const usedBefore = await used(client);

  const task = { cwd, prompt: { text: PROMPT }, model: "demo-1-fast" };
  const start = { agent: "demo", key: `tour-${randomUUID()}`, task };
  const first = await client.call("runs/start", start);
  const again = await client.call("runs/start", start);

  const events = await all(client.events(first.runId));
  const result = await client.call("runs/result", { runId: first.runId });
  const middle = Math.floor(events.length / 2);
  const rest = await all(client.events(first.runId, { from: middle }));
  const { runs } = await client.call("runs/list", { limit: 10, agent: "demo" });
  const usedAfter = await used(client);
  const { deleted } = await client.call("runs/delete", { runId: first.runId });

  return {
    host: { name: info.name, api: info.api },
    agent: { id: demo?.id, installed: demo?.installed, ready: demo?.ready },
    features: Object.fromEntries(gates.map((gate) => [gate.feature, gate.enabled])),
    start: { agent: first.agent, existing: first.existing },
    again: { existing: again.existing, sameRun: again.runId === first.runId },
    events: counted(events),
    gapless: events.every((event, index) => event.seq === index && event.runId === first.runId),
    text: text(events).replaceAll(cwd, "CWD"),
    result: {
      agent: result.agent,
      attempts: result.attempts.map((attempt) => attempt.agent),
      content: result.content.replaceAll(cwd, "CWD"),
      costStated: result.costUsd !== null && result.costUsd !== undefined,
      evidence: result.verdict.evidence,
      files: result.files.map((file) => `${file.op} ${basename(file.path)}`),
      lastSeqIsLast: result.lastSeq === events.at(-1)?.seq,
      status: result.verdict.status,
      tokens: result.usage?.totalTokens ?? 0,
    },
    middle: { same: JSON.stringify(rest) === JSON.stringify(events.slice(middle)) },
    listed: runs.filter((run) => run.runId === first.runId).map((run) => run.state),
    usage: { runs: usedAfter.runs - usedBefore.runs, tokens: usedAfter.totalTokens - usedBefore.totalTokens },
    deleted,
    afterwards: await failure(client.call("runs/get", { runId: first.runId })),
  };
}

async function all(events: AsyncIterable<RunEventParams>): Promise<RunEventParams[]> {
  const list: RunEventParams[] = [];
  for await (const event of events) list.push(event);
  return list;
}

async function used(client: Client): Promise<{ runs: number; totalTokens: number }> {
  const { rows } = await client.call("usage/summary", { by: "agent" });
  return rows.find((row) => row.group === "demo") ?? { runs: 0, totalTokens: 0 };
}

/** Counts consecutive events of the same type. */
function counted(events: RunEventParams[]): [string, number][] {
  const counts: [string, number][] = [];
  for (const { event } of events) {
    if (TIMED_EVENTS.includes(event.type)) continue;
    const last = counts.at(-1);
    if (last?.[0] === event.type) last[1] += 1;
    else counts.push([event.type, 1]);
  }
  return counts;
}

function text(events: RunEventParams[]): string {
  const deltas = events.map(({ event }) =>
    isKnownEvent(event) && event.type === "text_delta" ? event.text : "",
  );
  return deltas.join("");
}

async function failure(call: Promise<unknown>): Promise<object> {
  try {
    await call;
    return { kind: null };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return { code: error.code, kind: error.kind, retryable: error.retryable };
  }
}

/** Sorts members by name, so that every language writes the same text. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

async function main(): Promise<void> {
  const [option, cwd, transport, ...target] = process.argv.slice(2);
  if (option !== "--cwd" || cwd === undefined) throw new Error("usage: tour.js --cwd DIR TRANSPORT TARGET…");
  const client = await open(transport, target);
  try {
    console.log(JSON.stringify(sorted(await tour(client, cwd)), null, 2));
  } finally {
    await client.close();
  }
}

main().catch((error: unknown) => {
  const hint = error instanceof HostError && error.hint !== undefined ? `\nhint: ${error.hint}` : "";
  console.error(`error: ${error instanceof HostError ? `${error.kind}: ` : ""}${error}${hint}`);
  process.exitCode = 1;
});
