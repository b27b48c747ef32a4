// Tests of `events` against a scripted host.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Client } from "./client.js";
import type { Listener, Open } from "./connection.js";
import { CONNECTION_LOST, connectionLost, HostError } from "./errors.js";
import { openClient } from "./rpc.js";
import type { RunEventParams } from "./types.js";

const LAST = 9_999;

/** What a script controls of one subscription. */
interface Attached {
  from: number;
  /** The number of earlier attachments. */
  attempt: number;
  isDetached(): boolean;
  send(numbers: number[]): void;
  lose(): void;
}

/** A host with one run, whose subscriptions follow a script. */
class ScriptedHost {
  readonly attachedFrom: number[] = [];
  #detached = new Set<string>();

  constructor(private readonly script: (attached: Attached) => void) {}

  readonly open: Open = async (listener) => ({
    send: (text) => queueMicrotask(() => this.#take(JSON.parse(text), listener)),
    close: async () => undefined,
  });

  #take({ id, method, params }: { id: number; method: string; params: never }, listener: Listener): void {
    const answer = (result: unknown): void =>
      listener.message(JSON.stringify({ jsonrpc: "2.0", id, result }));
    if (method === "runs/get") return answer({ state: "completed" });
    if (method === "runs/detach") return (this.#detached.add(params[0]), answer(true));
    assert.equal(method, "runs/attach");
    const { from } = params as { from: number };
    const subscription = `s${this.attachedFrom.length}`;
    answer(subscription);
    this.attachedFrom.push(from);
    this.script({
      from,
      attempt: this.attachedFrom.length - 1,
      isDetached: () => this.#detached.has(subscription),
      send: (numbers) => {
        const params = { subscription, result: { events: numbers.map(event) } };
        listener.message(JSON.stringify({ jsonrpc: "2.0", method: "runs/event", params }));
      },
      lose: () => listener.closed(connectionLost("the test closed it", "reconnect it")),
    });
  }
}

function event(seq: number): RunEventParams {
  const type = seq === LAST ? "done" : "heartbeat";
  return { runId: "run-1", seq, ts: 0, event: { type } };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

async function numbers(client: Client, from: number): Promise<number[]> {
  const seen: number[] = [];
  for await (const event of client.events("run-1", { from, reconnectTimeoutMs: 1_000 })) seen.push(event.seq);
  return seen;
}

test("duplicates are dropped and gaps filled", async () => {
  const host = new ScriptedHost(({ from, attempt, send }) => {
    if (attempt === 0) send([from, from + 1, from + 1, from, from + 2, from + 5]);
    else send(range(from, LAST));
  });
  const client = await openClient(host.open);
  assert.deepEqual(await numbers(client, 9_000), range(9_000, LAST));
  assert.deepEqual(host.attachedFrom, [9_000, 9_003]);
});

test("events continue after a lost connection", async () => {
  const host = new ScriptedHost(({ from, send, lose }) => {
    send(range(from, Math.min(from + 399, LAST)));
    if (from + 400 <= LAST) lose();
  });
  const client = await openClient(host.open);
  assert.deepEqual(await numbers(client, 9_000), range(9_000, LAST));
  assert.deepEqual(host.attachedFrom, [9_000, 9_400, 9_800]);
});

test("a slow reader loses no events", async () => {
  const host = new ScriptedHost(({ from, isDetached, send }) => {
    const batches = range(0, Math.floor((LAST - from) / 100));
    const next = (): void => {
      const start = from + 100 * (batches.shift() ?? 0);
      send(range(start, Math.min(start + 99, LAST)));
      // Detaching is a message too: it arrives before the next batch.
      if (batches.length > 0) queueMicrotask(() => queueMicrotask(() => isDetached() || next()));
    };
    next();
  });
  const client = await openClient(host.open);
  const seen: number[] = [];
  for await (const event of client.events("run-1")) {
    // Read nothing before all batches have arrived.
    if (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    seen.push(event.seq);
  }
  assert.deepEqual(seen, range(0, LAST));
  assert.ok(host.attachedFrom.length > 1, `attached only once: ${host.attachedFrom}`);
});

test("no events after the last event", async () => {
  const host = new ScriptedHost(({ send }) => send([]));
  const client = await openClient(host.open);
  assert.deepEqual(await numbers(client, LAST + 1), []);
});

test("an unreachable host is an error after the timeout", async () => {
  let isReachable = true;
  const host = new ScriptedHost(({ lose }) => ((isReachable = false), lose()));
  const open: Open = (listener) =>
    isReachable ? host.open(listener) : Promise.reject(connectionLost("connection refused", "start it"));
  const client = await openClient(open);
  const kind = (error: unknown): boolean =>
    error instanceof HostError && error.kind === CONNECTION_LOST && error.hint === "start it";
  await assert.rejects(numbers(client, 0), kind);
});

test("an abort signal ends the events", async () => {
  const host = new ScriptedHost(({ send }) => send([0]));
  const client = await openClient(host.open);
  const controller = new AbortController();
  const events = client.events("run-1", { signal: controller.signal });
  await events.next();
  setImmediate(() => controller.abort());
  await assert.rejects(events.next(), { name: "AbortError" });
});
