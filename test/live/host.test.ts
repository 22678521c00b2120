/** What the contract promises a protocol, on the live host. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { runEvents } from "../../src/host/events.ts";
import { runLockstep } from "../../src/host/lockstep.ts";
import { LARGEST_MESSAGE } from "../../src/live/courier.ts";
import { topologyOf } from "../../src/live/network.ts";
import { LiveNode } from "../../src/live/node.ts";
import { type AnyProtocol, SELF } from "../../src/protocol.ts";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { setUp } from "../../src/simulation/trial.ts";
import { complete } from "../../src/topology/complete.ts";
import { decode, encode } from "../../src/wire/codec.ts";
import { LiveGroup, sum } from "./group.ts";
import { type Behaviour, type Notes, witness } from "./witness.ts";

let group: LiveGroup | null = null;
let node: LiveNode | null = null;
afterEach(async () => {
  await group?.close();
  node?.stop();
  group = null;
  node = null;
});

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

/** A node alone, with everything it does to the world in a list. */
function alone(behaviour: Behaviour, log: string[], extra: { stallLimit?: number } = {}): LiveNode {
  node = new LiveNode(
    {
      protocol: witness("alone", behaviour),
      params: {},
      topology: complete(3),
      node: 0,
      ids: [10, 20, 30],
      initiator: true,
      election: 1,
      tau: 10,
      stallLimit: extra.stallLimit ?? 1000,
      store: {
        load: () => null,
        save: (saved) => {
          log.push(`saved ${saved}`);
        },
      },
    },
    {
      unicast: (to, arrival, message) => log.push(`to ${to} at ${arrival}: ${message}`),
      multicast: (message) => log.push(`to all: ${message}`),
      settled: () => log.push("settled"),
      failed: (error) => log.push(`failed: ${(error as Error).message}`),
    },
  );
  return node;
}

const standStill = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end; );
};

test("effects leave when the handler has ended and its state is saved", () => {
  const log: string[] = [];
  const subject = alone(
    {
      start: (_notes, ctx) => {
        ctx.send(1, "hello");
        log.push("still running");
        ctx.multicast("everybody");
      },
      saved: () => "state",
    },
    log,
  );
  subject.start();
  expect(log).toEqual(["still running", "saved state", "to 2 at 0: hello", "to all: everybody", "settled"]);
  expect(subject.messages).toBe(2);
});

test("a handler that fails sends nothing and ends the node", () => {
  const log: string[] = [];
  const subject = alone(
    {
      receive: (_notes, _port, _message, ctx) => {
        ctx.send(0, "never");
        throw new Error("a fault of the protocol");
      },
    },
    log,
  );
  subject.start();
  subject.deliver(0, "x");
  subject.deliver(0, "x");
  expect(log).toEqual(["settled", "failed: a fault of the protocol"]);
});

test("messages to itself arrive after the handler; peers and samples are those of the network", async () => {
  const log: string[] = [];
  const subject = alone(
    {
      start: (_notes, ctx) => {
        ctx.send(SELF, "to me");
        log.push(`peers ${ctx.peer(0)} ${ctx.peer(1)} ${ctx.peer(SELF)}`);
        log.push(`sample ${ctx.sample(3, SELF).sort((a, b) => a - b)}`);
        log.push(`draws ${[ctx.choose(1), ctx.coin(0), ctx.coin(1)]}`);
      },
      receive: (_notes, port, message) => log.push(`${port}: ${message}`),
    },
    log,
  );
  subject.start();
  await expect.poll(() => log.includes("-1: to me"), { timeout: 30_000 }).toBe(true);
  expect(log).toEqual(["peers 20 30 10", "sample -1,0,1", "draws 0,false,true", "settled", "-1: to me", "settled"]);
});

/** Deep enough in the queue that what was sent before has left. */
const soon = (act: () => void, depth = 20): void => {
  process.nextTick(() => (depth === 0 ? act() : soon(act, depth - 1)));
};

test("after a standstill: deadlines first, then what has arrived, then timers; the standstill is reported", async () => {
  const notes: string[] = [];
  const protocol = witness("standstill", {
    start: ({ id }, ctx) => {
      if (id === 1) {
        ctx.arm("timer", 5);
        ctx.deadline("limit", 6);
      } else ctx.arm("speak", 1);
    },
    expire: (state, timer, ctx) => {
      if (timer === "speak") {
        ctx.send(0, "hello");
        // Both members live in this process: they stand still while the datagram waits in the socket.
        soon(() => standStill(300));
      } else notes.push(timer);
      if (timer !== "limit") state.status = "not-elected";
    },
    receive: (_state, _port, message) => notes.push(message),
  });
  group = await LiveGroup.open({ ids: [1, 2] });
  await group.elect(witness("introduction", { start: (n, ctx) => ctx.send(0, `from ${n.id}`), receive: decideAt(1) }));
  const [outcome] = await group.elect(protocol, {}, { tau: 20, stallLimit: 100 });
  expect(notes).toEqual(["limit", "hello", "timer"]);
  expect(outcome.stalls.count).toBeGreaterThan(0);
  expect(outcome.stalls.longestMs).toBeGreaterThanOrEqual(250);
});

const decideAt = (count: number) => (notes: Notes) => {
  notes.lines.push("");
  if (notes.lines.length === count) notes.status = "not-elected";
};

const electOptions = (group: LiveGroup, protocol: AnyProtocol) => ({
  protocol,
  params: {},
  membership: group.membership,
  initiator: true,
  name: "x",
  tau: 10,
  gather: 5000,
  stallLimit: 200,
  multicast: "auto" as const,
  state: null,
  timeout: 20_000,
  linger: 200,
});

test("what a protocol saves survives the process", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sortition-state-"));
  const protocol = witness("saver", {
    start: (notes) => {
      notes.lines.push(`life ${notes.lines.length + 1}`);
      notes.status = "not-elected";
    },
    saved: ({ lines }) => lines,
  });
  const seen: unknown[] = [];
  const spy: AnyProtocol = {
    ...protocol,
    saved: (state: Notes) => {
      seen.push([...state.lines]);
      return state.lines;
    },
  };
  for (let life = 0; life < 3; life++) {
    group = await LiveGroup.open({ ids: [7] });
    await group.member(7).elect({ ...electOptions(group, spy), state: folder, linger: 1 });
    await group.close();
  }
  expect(seen).toEqual([["life 1"], ["life 1", "life 2"], ["life 1", "life 2", "life 3"]]);
  expect(readdirSync(folder).length).toBe(1);
  group = await LiveGroup.open({ ids: [7] });
  await expect(group.member(7).elect(electOptions(group, spy))).rejects.toThrow(/name a folder with --state/);
  rmSync(folder, { recursive: true });
});

test.each(["fan-out", "epidemic"] as const)("multicast by %s counts once and reaches the others", async (multicast) => {
  const n = 24;
  const from: number[] = [];
  const protocol = witness("multicaster", {
    start: (notes, ctx) => {
      if (notes.id === 5) {
        ctx.multicast("news");
        notes.status = "not-elected";
      }
    },
    receive: (notes, port, _message, ctx) => {
      from.push(ctx.peer(port)!);
      notes.status = "not-elected";
    },
  });
  group = await LiveGroup.open({ ids: upTo(n) });
  const outcomes = await group.elect(protocol, {}, { multicast, timeout: 15_000 });
  expect(sum(outcomes, ({ messages }) => messages)).toBe(1);
  expect(new Set(from)).toEqual(new Set([5]));
  expect(from.length).toBe(outcomes.filter(({ status }) => status !== "undecided").length - 1);
  // Fan-out reaches all. With ln n + 4 = 8 targets each, a rumour that misses more than two of 23 has odds below 1e-6.
  expect(from.length).toBeGreaterThanOrEqual(multicast === "fan-out" ? n - 1 : n - 3);
  const relays = sum(outcomes, ({ datagrams }) => datagrams.relay);
  // Relays to a member that has left before it was introduced are never sent.
  expect(relays).toBeLessThanOrEqual(multicast === "fan-out" ? 0 : from.length * 8);
});

test("a message that does not fit into a datagram is refused in words", async () => {
  const protocol = witness("talker", { start: (_notes, ctx) => ctx.send(0, "x".repeat(1400)) });
  group = await LiveGroup.open({ ids: [1, 2] });
  await expect(group.elect(protocol)).rejects.toThrow(
    `talker wants to send a message of 1403 bytes, but a datagram holds ${LARGEST_MESSAGE}`,
  );
});

test("given graphs: ports lead along the edges", () => {
  const protocol = witness("graph", { assumes: { topology: "connected" } });
  const members = [2, 4, 6, 8].map((id) => ({ id, host: "127.0.0.1", port: id }));
  const edges = [
    [2, 4],
    [8, 2],
    [6, 4],
  ] as const;
  const graph = topologyOf(protocol, { members, edges });
  expect([0, 1, 2, 3].map((v) => graph.degree(v))).toEqual([2, 2, 1, 1]);
  expect([graph.neighbour(0, 0), graph.neighbour(0, 1)]).toEqual([1, 3]);
  for (let v = 0; v < 4; v++) {
    for (let port = 0; port < graph.degree(v); port++) {
      expect(graph.neighbour(graph.neighbour(v, port), graph.arrival(v, port))).toBe(v);
    }
  }
  expect(() => topologyOf(protocol, { members, edges: [[2, 4]] })).toThrow(/leave the members in 3 parts/);
  expect(topologyOf(protocol, { members, edges: [] }).name).toBe("complete");
});

test("messages of every protocol survive the codec: simulations through it give equal results", () => {
  for (const protocol of catalogue) {
    const settings = resolve({ protocol: protocol.name, n: 20 });
    const setup = setUp(settings, 0);
    const through: AnyProtocol = {
      ...protocol,
      receive: (state, port, message, ctx) => protocol.receive(state, port, decode(encode(message)), ctx),
    };
    const run = (subject: AnyProtocol) =>
      settings.host === "lockstep"
        ? runLockstep({ ...setup, protocol: subject })
        : runEvents({ ...setup, protocol: subject, delay: { kind: "exponential", mean: 1 }, fifo: true });
    expect([protocol.name, run(through)]).toEqual([protocol.name, run(protocol)]);
  }
});
