/** What the contract promises a protocol, on the live host. */
import { expect, test } from "vitest";
import { runEvents } from "../../src/host/events.ts";
import { runLockstep } from "../../src/host/lockstep.ts";
import { LARGEST_MESSAGE } from "../../src/live/net/datagram.ts";
import { electionTopology } from "../../src/live/once/members.ts";
import { VirtualGroup } from "../../src/live/once/virtual-group.ts";
import { type VirtualMachine, VirtualNetwork } from "../../src/live/virtual-world.ts";
import { type AnyProtocol, SELF } from "../../src/protocol.ts";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { setUp } from "../../src/simulation/trial.ts";
import { decode, encode } from "../../src/wire/codec.ts";
import { loneNode } from "../support/lone-node.ts";
import { sum } from "./sum.ts";
import { type Behaviour, type Notes, witness } from "./witness.ts";

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

/** A node alone, with everything it does to the world in a list. */
function alone(behaviour: Behaviour, log: string[], saving: (machine: VirtualMachine) => void = () => {}) {
  const network = new VirtualNetwork(1);
  const machine = network.machine({ host: "10.0.0.1", port: 1 });
  const node = loneNode(
    witness("alone", behaviour),
    {
      world: machine.world,
      tau: 10,
      tolerance: 1000,
      store: {
        load: () => null,
        save: (saved) => {
          log.push(`saved ${saved}`);
          saving(machine);
        },
        close: () => {},
      },
    },
    {
      unicast: (to, arrival, message) => log.push(`to ${to} at ${arrival}: ${message}`),
      multicast: (message) => log.push(`to all: ${message}`),
      reported: () => log.push(`reported ${node.verdict.status}`),
      released: () => log.push("released"),
      failed: (error) => log.push(`failed: ${(error as Error).message}`),
    },
  );
  return { node, network, machine };
}

test("save, report, then effects leave", () => {
  const log: string[] = [];
  const { node } = alone(
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
  node.start();
  expect(log).toEqual([
    ...["still running", "saved state", "reported undecided", "to 2 at 0: hello", "to all: everybody", "released"],
  ]);
});

test("after a write that took long, overdue deadlines come before the effects leave", () => {
  const log: string[] = [];
  let writes = 0;
  const { node } = alone(
    {
      start: (_notes, ctx) => {
        ctx.deadline("limit", 10);
        ctx.send(0, "I lead");
      },
      expire: (notes, timer, ctx) => {
        log.push(timer);
        notes.status = "not-elected";
        ctx.send(0, "no more");
      },
      saved: () => "state",
    },
    log,
    (machine) => {
      if (writes++ === 0) machine.standStill(500);
    },
  );
  node.start();
  expect(log).toEqual([
    ...["saved state", "reported undecided", "limit", "saved state", "reported not-elected"],
    ...["to 1 at 1: I lead", "to 1 at 1: no more", "released"],
  ]);
});

test("after a standstill an overdue deadline comes before the node's last handler", () => {
  const log: string[] = [];
  const { node, machine } = alone(
    {
      start: (_notes, ctx) => ctx.deadline("limit", 10),
      expire: (_notes, timer) => log.push(timer),
      leave: () => log.push("leaves"),
    },
    log,
  );
  node.start();
  machine.standStill(500);
  node.leave();
  expect(log.filter((line) => line === "limit" || line === "leaves")).toEqual(["limit", "leaves"]);
});

test("a handler that fails sends nothing and ends the node", () => {
  const log: string[] = [];
  const { node } = alone(
    {
      receive: (_notes, _port, _message, ctx) => {
        ctx.send(0, "never");
        throw new Error("a fault of the protocol");
      },
    },
    log,
  );
  node.start();
  node.deliver(0, "x");
  node.deliver(0, "x");
  expect(log).toEqual(["reported undecided", "released", "failed: a fault of the protocol"]);
});

test("messages to itself arrive after the handler; peers and samples are those of the network", () => {
  const log: string[] = [];
  const { node, network } = alone(
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
  const told = ["reported undecided", "released"];
  node.start();
  network.runFor(1);
  expect(log).toEqual(["peers 20 30 10", "sample -1,0,1", "draws 0,false,true", ...told, "-1: to me", ...told]);
});

test("after a standstill: deadlines first, then what has arrived, then timers; the standstill is reported", async () => {
  // Whether timers or datagrams come first after a standstill is up to the operating system, here to the seed.
  for (let seed = 1; seed <= 8; seed++) {
    const notes: string[] = [];
    const protocol = witness("standstill", {
      start: ({ id }, ctx) => {
        if (id === 1) {
          ctx.arm("timer", 5);
          ctx.deadline("limit", 6);
        } else ctx.arm("speak", 2);
      },
      expire: (state, timer, ctx) => {
        if (timer === "speak") ctx.send(0, "hello");
        else notes.push(timer);
        if (timer !== "limit") state.status = "not-elected";
      },
      receive: (_state, _port, message) => notes.push(message),
    });
    const group = new VirtualGroup({ seed, ids: [1, 2] });
    const parts = [1, 2].map((id) => group.elect(id, protocol, {}, { tau: 20, stallLimit: 100 }));
    while (!parts.every(({ begun }) => begun)) group.network.runFor(1);
    group.of(1).machine.standStill(300);
    await group.finish(parts);
    expect(notes).toEqual(["limit", "hello", "timer"]);
    const { stalls } = parts[0].outcome!;
    expect(stalls.count).toBe(1);
    expect(stalls.longestMs).toBeGreaterThanOrEqual(300);
  }
});

test("after a standstill an overdue deadline comes before retransmissions", async () => {
  const log: string[] = [];
  const protocol = witness("talker", {
    assumes: { tolerates: [], multicast: false },
    start: ({ id }, ctx) => {
      if (id !== 1) return;
      ctx.deadline("limit", 40);
      ctx.arm("speak", 1);
    },
    expire: (notes, timer, ctx) => {
      log.push(timer);
      if (timer === "speak") ctx.send(0, "hello");
      else notes.status = "not-elected";
    },
  });
  const group = new VirtualGroup({ seed: 1, ids: [1, 2, 3] });
  const { machine, member } = group.of(1);
  const parts = [1, 2].map((id) => group.elect(id, protocol, {}, { gather: 300, timeout: 3000 }));
  while (log.length === 0) group.network.runFor(1);
  group.crash(2);
  group.network.runFor(100);
  const { sent } = member.counters;
  const before = sent.message;
  machine.standStill(2000);
  let watched = before;
  while (log.length < 2) {
    watched = sent.message;
    group.network.runFor(1);
  }
  expect(watched).toBe(before);
  await group.finish([parts[0]]);
  expect(parts[0].outcome!.measures.retransmissions).toBeGreaterThan(0);
});

test("commands come through SELF, reports go to the user, and what the user throws stops nothing", async () => {
  const heard: string[] = [];
  const errors: unknown[] = [];
  const protocol: AnyProtocol = {
    ...witness("servant", {
      receive: (notes, port, message) => {
        notes.lines.push(`${port} ${message}`);
        notes.status = message === "resign" ? "not-elected" : "elected";
      },
    }),
    report: ({ lines }: Notes) => lines,
  };
  const group = new VirtualGroup({ seed: 1, ids: [1] });
  let isLeading: AbortSignal | null = null;
  const part = group.elect(
    1,
    protocol,
    {},
    {
      onElected: (signal) => {
        isLeading = signal;
        signal.addEventListener("abort", () => heard.push("stop"));
      },
      onReport: (report) => {
        heard.push(JSON.stringify(report));
        throw new Error("a user's fault");
      },
      onError: (error) => errors.push(error),
    },
  );
  const { member } = group.of(1);
  member.command("lead");
  expect(isLeading!.aborted).toBe(false);
  member.command("resign");
  expect(isLeading!.aborted).toBe(true);
  await group.finish([part]);
  expect(part.outcome!.status).toBe("not-elected");
  expect(heard).toEqual(["[]", '["-1 lead"]', "stop", '["-1 lead","-1 resign"]']);
  expect(errors.length).toBe(3);
  expect(() => member.command("lead")).toThrow("no election named 1 runs here");
});

test("what a protocol does not accept is refused at the door", async () => {
  const odd = (accepts?: (message: unknown) => boolean): AnyProtocol => ({
    ...witness("odd", {
      start: (_notes, ctx) => {
        ctx.send(0, "strange");
        ctx.send(SELF, "mine");
      },
      receive: (notes, port) => {
        if (port !== SELF) throw new Error("a message of another version");
        notes.status = "not-elected";
      },
    }),
    ...(accepts && { accepts }),
  });
  const group = new VirtualGroup({ seed: 1, ids: [1, 2] });
  const outcomes = await group.electAll(odd((message) => message === "known"));
  expect(outcomes.map(({ status, drops }) => [status, drops.unacceptable])).toEqual(Array(2).fill(["not-elected", 1]));
  await expect(new VirtualGroup({ seed: 1, ids: [1, 2] }).electAll(odd())).rejects.toThrow("another version");
});

test("lives differ between members and between starts", async () => {
  const lives: number[] = [];
  const protocol: AnyProtocol = witness("born", {});
  const born: AnyProtocol = {
    ...protocol,
    init: (params, self, saved, ctx) => {
      lives.push(self.life);
      return { ...protocol.init(params, self, saved, ctx), status: "not-elected" };
    },
  };
  const group = new VirtualGroup({ seed: 1, ids: [1, 2] });
  await group.electAll(born);
  group.start(1);
  group.start(2);
  await group.electAll(born, {}, { name: "2" });
  expect(new Set(lives).size).toBe(4);
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
  const outcomes = await new VirtualGroup({ seed: 1, ids: upTo(n) }).electAll(protocol, {}, { multicast });
  expect(sum(outcomes, ({ messages }) => messages)).toBe(1);
  expect(new Set(from)).toEqual(new Set([5]));
  expect(from.length).toBe(n - 1);
  const relays = sum(outcomes, ({ measures }) => measures.relays);
  expect(relays).toBe(multicast === "fan-out" ? 0 : (n - 1) * 8);
});

test("a message that does not fit into a datagram is refused in words", async () => {
  const protocol = witness("talker", { start: (_notes, ctx) => ctx.send(0, "x".repeat(1400)) });
  await expect(new VirtualGroup({ seed: 1, ids: [1, 2] }).electAll(protocol)).rejects.toThrow(
    new RegExp(`^talker wants to send a message of 14\\d\\d bytes, but a datagram holds ${LARGEST_MESSAGE}$`),
  );
});

test("a tau below a millisecond is refused in words, and so is saved state without a place", async () => {
  const group = new VirtualGroup({ seed: 1, ids: [1] });
  await expect(group.electAll(witness("x", {}), {}, { tau: 1e-6 })).rejects.toThrow("tau must be at least 1 ms");
  await expect(group.electAll(witness("x", { saved: () => 1 }))).rejects.toThrow(/name a folder with state/);
});

test("given graphs: ports lead along the edges", () => {
  const protocol = witness("graph", { assumes: { topology: "connected" } });
  const members = [2, 4, 6, 8].map((id) => ({ id, host: "127.0.0.1", port: id }));
  const edges = [
    [2, 4],
    [8, 2],
    [6, 4],
  ] as const;
  const graph = electionTopology(protocol, { members, edges });
  expect([0, 1, 2, 3].map((v) => graph.degree(v))).toEqual([2, 2, 1, 1]);
  expect([graph.neighbour(0, 0), graph.neighbour(0, 1)]).toEqual([1, 3]);
  for (let v = 0; v < 4; v++) {
    for (let port = 0; port < graph.degree(v); port++) {
      expect(graph.neighbour(graph.neighbour(v, port), graph.arrival(v, port))).toBe(v);
    }
  }
  expect(() => electionTopology(protocol, { members, edges: [[2, 4]] })).toThrow(/leave the members in 3 parts/);
  expect(electionTopology(protocol, { members, edges: [] }).name).toBe("complete");
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
