import { describe, expect, test } from "vitest";
import { type Ctx, type Toy, toy, toyProblem } from "../../test/explorer/toy.ts";
import { boxed } from "../../test/support/boxes.ts";
import { explore } from "../explorer/explore.ts";
import { search } from "../explorer/search/search.ts";
import { runEvents } from "../host/events.ts";
import { NO_FAULTS } from "../host/faults/faults.ts";
import { runLockstep } from "../host/lockstep.ts";
import type { EventsSetup } from "../host/setup.ts";
import { type AnyProtocol, type Port, SELF } from "../protocol.ts";
import { complete } from "../topology/complete.ts";
import { ring } from "../topology/ring.ts";
import { open } from "../topology/topology.ts";
import { catalogue, protocolNamed } from "./catalogue.ts";
import { childMeasures, childTimer, embed } from "./embed.ts";
import { resolveParameters } from "./parameters.ts";

const N = 6;

function setupOf(protocol: AnyProtocol, seed = 3): EventsSetup {
  const { topology, identity } = protocol.assumes;
  return {
    protocol,
    params: resolveParameters(protocol, {}, N),
    topology: topology === "ring" ? ring(N) : complete(N),
    ids: identity === "anonymous" ? null : Float64Array.from([5, 3, 6, 1, 4, 2]),
    initiators: null,
    crashed: [],
    faults: NO_FAULTS,
    seed,
    trial: 0,
    delay: { kind: "uniform", min: 0, max: 1 },
    fifo: true,
  };
}

const tower = (child: AnyProtocol) => boxed(boxed(boxed(child)));

describe("three levels deep", () => {
  const names = catalogue.filter(({ assumes }) => ["ring", "complete"].includes(assumes.topology)).map((p) => p.name);

  test.each(names)("%s runs on its host as without them", (name) => {
    const child = protocolNamed(name);
    const run = child.assumes.timing === "synchronous" ? runLockstep : runEvents;
    expect(run(setupOf(tower(child)))).toEqual(run(setupOf(child)));
  });

  test.each(["peterson", "time-slice", "known-highest"])("%s has the same configurations and ends", (name) => {
    const child = protocolNamed(name);
    const request = { n: 3, choices: 2 };
    const { cases: plain, violation: none } = explore(child, request);
    const { cases, violation } = explore(tower(child), request);
    expect(cases).toEqual(plain);
    expect([none, violation]).toEqual([null, null]);
  });
});

/** Gives all but its first neighbour, last first, to a child. */
const withView = (child: AnyProtocol): AnyProtocol => {
  const inside = (ctx: Ctx) =>
    embed(child, ctx, {
      name: "view",
      ports: [...ctx.ports()].slice(1).reverse(),
      wrap: (message) => message,
    });
  return {
    ...child,
    measures: childMeasures("view", child.measures),
    init: (params, self, saved, ctx) => child.init(params, self, saved, inside(ctx)),
    receive: (state, port, message, ctx) => child.receive(state, port, message, inside(ctx)),
    expire: (state, timer, ctx) => child.expire!(state, childTimer(timer, "view")!, inside(ctx)),
  };
};

describe("a view of some of the ports", () => {
  const drawn: unknown[] = [];
  const drawing: Toy = {
    init(node, ctx) {
      if (node === 0) drawn.push([ctx.degree, ctx.ports(), ctx.sample(2), ctx.sample(2, SELF), ctx.choose(1000)]);
      return [];
    },
  };

  test("is drawn from as a graph of that degree is", () => {
    const draw = (protocol: AnyProtocol, n: number) => {
      runEvents({ ...setupOf(protocol), topology: complete(n), ids: new Float64Array(n).map((_, i) => i) });
      return drawn.splice(0);
    };
    expect(draw(withView(toy(drawing)), N)).toEqual(draw(toy(drawing), N - 1));
  });

  test("gives every set its turn in the explorer, whatever the limit of draws", () => {
    const sets = toy({ init: (node, ctx) => (node === 0 ? ctx.sample(2).sort() : []) });
    const changes = { topology: complete(5), initiators: [0], choices: 2 };
    expect(search(toyProblem(withView(sets), 5, changes), { properties: [] }).states).toBe(3);
  });

  test("leads to the parent's ports, and to no others", () => {
    const seen: unknown[] = [];
    const talker = toy({
      init(node, ctx) {
        if (node !== 0) return [];
        seen.push(ctx.peer(0), ctx.peer(SELF));
        ctx.send(1, "second");
        ctx.multicast("all");
        ctx.send(SELF, "self");
        expect(() => ctx.send(N, "beyond")).toThrow("toy has no port 6: it has 4");
        for (const ask of [() => ctx.link("1"), () => ctx.unlink(0), () => ctx.address(0)]) {
          expect(ask).toThrow("toy handles links by address, but it runs on a fixed view of its parent's links");
        }
        return [];
      },
      receive: (_state, message, ctx) => seen.push(`${ctx.peer(SELF)} ${message}`),
    });
    const open: AnyProtocol = { ...talker, assumes: { ...talker.assumes, multicast: true } };
    const { messages } = runEvents({
      ...setupOf(withView(open)),
      topology: complete(N),
      ids: Float64Array.from([0, 1, 2, 3, 4, 5]),
      delay: { kind: "fixed", value: 1 },
    });
    const [last, self, ...heard] = seen;
    expect([last, self]).toEqual([5, 0]);
    expect(heard).toEqual(["4 second", "5 all", "4 all", "3 all", "2 all", "0 self"]);
    expect(messages).toBe(6);
  });

  test("outlives the parent's links: what is sent over one that has ended is lost; ids can be the view's own", () => {
    const heard: string[] = [];
    const talker = toy({
      init: () => [],
      receive: (_state, message, ctx) => {
        heard.push(`${ctx.peer(0)} ${message}`);
        for (const port of ctx.ports()) ctx.send(port, "to all");
      },
    });
    const parent: AnyProtocol = {
      ...talker,
      assumes: { ...talker.assumes, topology: "open", start: "common" },
      init(params, self, saved, ctx) {
        if (self.id !== 0) return talker.init(params, self, saved, ctx);
        const ports = ["1", "2"].map((address) => ctx.link(address));
        const inside = embed(talker, ctx, { name: "view", ports, ids: [71, 72], wrap: (message) => message });
        ctx.unlink(ports[0]);
        expect([inside.linked(0), inside.linked(1), inside.linked(2), ctx.linked(0)]).toEqual([
          true,
          true,
          false,
          false,
        ]);
        talker.receive(talker.init(params, self, saved, inside), SELF, "go", inside);
        return [];
      },
      receive: (_state, _port, message) => void heard.push(message),
    };
    runEvents({ ...setupOf(parent), topology: open(3), ids: Float64Array.from([0, 1, 2]) });
    expect(heard).toEqual(["71 go", "to all"]);
  });

  test("without multicast in the child's assumptions there is none", () => {
    const shouter = toy({ init: (_node, ctx) => ctx.multicast("all") });
    expect(() => runEvents({ ...setupOf(withView(shouter)), topology: complete(N) })).toThrow(
      "toy multicasts, but does not assume that it can",
    );
  });
});

describe("children side by side", () => {
  const clock = toy({
    init(_node, ctx) {
      ctx.arm("tick", 1);
      return { ticks: 0, heard: [] };
    },
    expire(state, timer, ctx) {
      state.ticks++;
      ctx.send(0, timer);
      ctx.measure("ticks", 1);
      if (state.ticks < 3) ctx.arm("tick", 1);
    },
    receive: (state, message) => state.heard.push(message),
    measures: { ticks: "sum" },
  });

  /** A second clock follows the first, with its name: what the first left behind is not for it. */
  const terms = (): AnyProtocol => {
    const inside = (state: { term: number }, ctx: Ctx) =>
      embed(clock, ctx, {
        name: "term",
        generation: state.term,
        wrap: (message) => ({ term: state.term, message }),
      });
    const begin = (state: { term: number; child: unknown }, ctx: Ctx) => {
      state.child = clock.init({}, {} as never, null, inside(state, ctx));
    };
    return {
      ...clock,
      measures: { ...childMeasures("term", clock.measures), refused: "sum" },
      init(_params, _self, _saved, ctx) {
        const state = { term: 1, child: null };
        begin(state, ctx);
        ctx.arm("next", 1.5);
        return state;
      },
      receive(state, port, { term, message }, ctx) {
        if (term !== state.term) ctx.measure("refused", 1);
        else clock.receive(state.child, port, message, inside(state, ctx));
      },
      expire(state, timer, ctx) {
        const tick = childTimer(timer, "term", state.term);
        if (tick !== null) clock.expire!(state.child, tick, inside(state, ctx));
        else if (timer !== "next") ctx.measure("refused", 1);
        else {
          state.term++;
          begin(state, ctx);
        }
      },
    };
  };

  test("what an ended child left behind is refused: its timer, and its message", () => {
    const { measures } = runEvents({
      ...setupOf(terms()),
      topology: ring(2),
      ids: Float64Array.from([0, 1]),
      delay: { kind: "fixed", value: 0.7 },
    });
    // Each ticks at 1 in term 1, and at 2.5, 3.5, 4.5 in term 2; the timer for 2 and the message for 1.7 come too late.
    expect(measures).toEqual({ "term/ticks": 2 * 4, refused: 2 * 2 });
  });

  test("timers and measures of each are its own", () => {
    const names = ["left", "right"] as const;
    const inside = (name: string, ctx: Ctx) =>
      embed(clock, ctx, { name, wrap: (message) => ({ child: name, message }) });
    const pair: AnyProtocol = {
      ...clock,
      measures: { ...childMeasures("left", clock.measures), ...childMeasures("right", clock.measures) },
      init: (_params, self, _saved, ctx) =>
        Object.fromEntries(names.map((name) => [name, clock.init({}, self, null, inside(name, ctx))])),
      receive: (state, port: Port, { child, message }, ctx) =>
        clock.receive(state[child], port, message, inside(child, ctx)),
      expire(state, timer, ctx) {
        for (const name of names) {
          const tick = childTimer(timer, name);
          if (tick !== null) clock.expire!(state[name], tick, inside(name, ctx));
        }
      },
    };
    const run = { ...setupOf(pair), topology: ring(2), ids: Float64Array.from([0, 1]) };
    expect(runEvents(run).measures).toEqual({ "left/ticks": 6, "right/ticks": 6 });
    expect(runLockstep(run).measures).toEqual({ "left/ticks": 6, "right/ticks": 6 });
  });
});
