// The promises of `events`, kept whatever a host or a connection does. The host here is a script.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Client } from "./client.js";
import type { Listener, Open } from "./connection.js";
import { CONNECTION_LOST, connectionLost, HostError } from "./errors.js";
import { openClient } from "./rpc.js";
import type { RunEventParams } from "./types.js";

const LAST = 9_999;

/** What a script can do with one subscription. */
interface Attached {
  from: number;
  /** How often it was attached before. */
  attempt: number;
  isDetached(): boolean;
  send(numbers: number[]): void;
  lose(): void;
}

/** A host with one run, whose subscriptions do as the script says. */
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
      lose: () => listener.closed(connectionLost("the cable was cut", "mend it")),
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
  for await (const event of client.events("run-1", { from, patienceMs: 1_000 })) seen.push(event.seq);
  return seen;
}

test("doubles are dropped and gaps are asked for again", async () => {
  const host = new ScriptedHost(({ from, attempt, send }) => {
    if (attempt === 0) send([from, from + 1, from + 1, from, from + 2, from + 5]);
    else send(range(from, LAST));
  });
  const client = await openClient(host.open);
  assert.deepEqual(await numbers(client, 9_000), range(9_000, LAST));
  assert.deepEqual(host.attachedFrom, [9_000, 9_003]);
});

test("a lost connection is made again and the events go on", async () => {
  const host = new ScriptedHost(({ from, send, lose }) => {
    send(range(from, Math.min(from + 399, LAST)));
    if (from + 400 <= LAST) lose();
  });
  const client = await openClient(host.open);
  assert.deepEqual(await numbers(client, 9_000), range(9_000, LAST));
  assert.deepEqual(host.attachedFrom, [9_000, 9_400, 9_800]);
});

test("a slow reader is detached and attached again, and loses nothing", async () => {
  const host = new ScriptedHost(({ from, isDetached, send }) => {
    const batches = range(0, Math.floor((LAST - from) / 100));
    const next = (): void => {
      const start = from + 100 * (batches.shift() ?? 0);
      send(range(start, Math.min(start + 99, LAST)));
      // The detaching is a message too: it comes before the next batch.
      if (batches.length > 0) queueMicrotask(() => queueMicrotask(() => isDetached() || next()));
    };
    next();
  });
  const client = await openClient(host.open);
  const seen: number[] = [];
  for await (const event of client.events("run-1")) {
    // Nothing is read before all that is sent has come.
    if (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    seen.push(event.seq);
  }
  assert.deepEqual(seen, range(0, LAST));
  assert.ok(host.attachedFrom.length > 1, `attached once only: ${host.attachedFrom}`);
});

test("after the last event there is nothing to wait for", async () => {
  const host = new ScriptedHost(({ send }) => send([]));
  const client = await openClient(host.open);
  assert.deepEqual(await numbers(client, LAST + 1), []);
});

test("a host that cannot be reached again is told after a while", async () => {
  let isThere = true;
  const host = new ScriptedHost(({ lose }) => ((isThere = false), lose()));
  const open: Open = (listener) =>
    isThere ? host.open(listener) : Promise.reject(connectionLost("nobody listens", "start it"));
  const client = await openClient(open);
  const kind = (error: unknown): boolean =>
    error instanceof HostError && error.kind === CONNECTION_LOST && error.hint === "start it";
  await assert.rejects(numbers(client, 0), kind);
});

test("watching ends when it is told to", async () => {
  const host = new ScriptedHost(({ send }) => send([0]));
  const client = await openClient(host.open);
  const watching = new AbortController();
  const events = client.events("run-1", { signal: watching.signal });
  await events.next();
  setImmediate(() => watching.abort());
  await assert.rejects(events.next(), { name: "AbortError" });
});
