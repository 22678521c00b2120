/** A machine that asks a peer, on the live host and in virtual time. */
import { expect, test } from "vitest";
import { type Machine, SELF } from "../../protocol.ts";
import type { LeaseAnswer, LeaseRequest } from "../../protocols/lease/messages.ts";
import { leaseId } from "../../protocols/lease/session.ts";
import { addressText } from "../net/udp.ts";
import type { Peer } from "./peers.ts";
import { ENGINE, enginePeer } from "./peers.ts";
import { VirtualOpenGroup } from "./virtual.ts";

interface State {
  readonly log: string[];
}

/** Says to the engine what it is told to, within 100 ms or not at all; writes down what happens. */
const asker: Machine<null, State, unknown, "limit", null, readonly string[]> = {
  name: "asker",
  assumes: {
    topology: "open",
    identity: "anonymous",
    timing: "partial",
    start: "common",
    knows: [],
    fifo: false,
    multicast: false,
    tolerates: [],
  },
  init: () => ({ log: [] }),
  receive(state, port, message, ctx) {
    if (port !== SELF) {
      const words = typeof message === "string" ? message : JSON.stringify(message);
      state.log.push(`${ctx.address(port)} says ${words}`);
    } else if (message === "to the first") ctx.send(ctx.link("10.0.0.1:7001"), "I am the engine");
    else if (message === "unlink") ctx.unlink(ctx.link(ENGINE));
    else {
      state.log.push(`asks ${JSON.stringify(message)}`);
      ctx.deadline("limit", 100);
      ctx.send(ctx.link(ENGINE), message);
    }
  },
  expire: (state, timer) => void state.log.push(timer),
  verdict: () => ({ status: "undecided", leader: null, term: 0 }),
  report: ({ log }) => log,
  bits: () => 1,
};

function scene(peerOf: (group: () => VirtualOpenGroup) => Peer) {
  const group: VirtualOpenGroup = new VirtualOpenGroup({
    seed: 1,
    machine: asker,
    params: () => null,
    peers: () => ({ [ENGINE]: peerOf(() => group) }),
  });
  const peer = group.start("a");
  return { group, log: () => peer.report as readonly string[] };
}

test("what a peer is asked leaves after the report, and its answer comes in on its port", () => {
  const reported: number[] = [];
  const { group, log } = scene((get) => ({
    ask(message, answer) {
      reported.push(get().of("a").reports);
      answer(`yes to ${message}`);
      get().network.at(get().network.now + 20, () => answer("and again"));
    },
  }));
  const before = group.of("a").reports;
  group.command("a", "this");
  expect(reported).toEqual([before + 1]);
  expect(log()).toEqual(['asks "this"']);
  group.run(50);
  expect(log()).toEqual(['asks "this"', "engine says yes to this", "engine says and again"]);
  group.command("a", "unlink");
  group.command("a", "that");
  group.run(50);
  expect(log().slice(3)).toEqual(['asks "that"', "engine says yes to that", "engine says and again"]);
});

test("an answer that waited while the process was paused comes after the deadlines that have passed", () => {
  const { group, log } = scene((get) => ({
    ask: (_message, answer) =>
      get().network.at(get().network.now + 50, () =>
        get()
          .of("a")
          .machine.hear(() => answer("late")),
      ),
  }));
  group.command("a", "this");
  group.pause("a", 1000);
  group.run(2000);
  expect(log()).toEqual(['asks "this"', "limit", "engine says late"]);
});

test("a member on the network has another port, and no member can be asked as a peer", () => {
  const { group, log } = scene(() => ({ ask() {} }));
  group.start("b");
  group.command("a", "this");
  group.command("b", "to the first");
  group.run(10);
  expect(log()).toEqual(['asks "this"', "10.0.0.2:7001 says I am the engine"]);
  const at = addressText(group.address("a"));
  expect(() =>
    new VirtualOpenGroup({
      seed: 1,
      machine: asker,
      params: () => null,
      peers: () => ({ [at]: { ask() {} } }),
    }).start("a"),
  ).toThrow("10.0.0.1:7001 is an address on the network");
});

test("a call that fails is an answer that says why; what is no request is dropped", async () => {
  const asked: LeaseRequest[] = [];
  const engine = {
    ask(request: LeaseRequest): Promise<LeaseAnswer> {
      asked.push(request);
      if (request.id === 1) throw new Error("not even begun");
      if (request.id === 2) return Promise.reject(Object.assign(new Error(""), { code: "ECONNREFUSED" }));
      return Promise.resolve({ kind: "seen", id: request.id, to: request.life, seats: [] });
    },
  };
  const answers: unknown[] = [];
  const peer = enginePeer(engine);
  for (const id of [1, 2, 3]) peer.ask({ kind: "look", id, life: 7 }, (answer) => answers.push(answer));
  const release = {
    kind: "release",
    id: 4,
    life: 7,
    seat: "leader",
    lease: leaseId("a", 7, 1),
    token: 1,
    reserve: null,
  };
  peer.ask(release, () => {});
  for (const other of [{ kind: "members", message: {} }, null, "look", 5]) peer.ask(other, () => answers.push(other));
  await new Promise(setImmediate);
  expect(answers).toHaveLength(3);
  expect(answers).toEqual(
    expect.arrayContaining([
      { kind: "failed", id: 1, to: 7, why: "not even begun" },
      { kind: "failed", id: 2, to: 7, why: "ECONNREFUSED" },
      { kind: "seen", id: 3, to: 7, seats: [] },
    ]),
  );
  expect(asked.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
});

test("after a pause, deadlines that have passed come before any other timer, however long that one is overdue", () => {
  const { group, log } = scene(() => ({ ask: () => {} }));
  const { node } = group.of("a");
  group.command("a", "this");
  let seen: readonly string[] = [];
  node.world.set(50, () => {
    seen = [...log()];
  });
  group.pause("a", 500);
  group.run(600);
  expect(seen).toEqual(['asks "this"', "limit"]);
});

test("a node that is closed handles nothing any more, neither timers nor commands", async () => {
  const { group } = scene(() => ({ ask: () => {} }));
  group.command("a", "this");
  const peer = group.of("a");
  const { reports } = peer;
  void peer.node.close();
  group.command("a", "that");
  group.run(500);
  expect(peer.reports).toBe(reports);
});
