import { describe, expect, test } from "vitest";
import { plantedBugs } from "../../../test/explorer/planted-bugs.ts";
import { type Toy, toy } from "../../../test/explorer/toy.ts";
import { expectRun } from "../../../test/support/found-runs.ts";
import { SELF } from "../../protocol.ts";
import { NEXT } from "../../topology/ring.ts";
import { explore } from "../explore.ts";

describe("random walks", () => {
  test("say how far they came, and never that all was visited", () => {
    const found = explore("chang-roberts", { n: 5, ids: [5, 4, 3, 2, 1], walks: 200 });
    expect(found).toMatchObject({ complete: false, violation: null, walks: { walks: 200, ended: 200 } });
    const all = explore("chang-roberts", { n: 5, ids: [5, 4, 3, 2, 1] });
    expect(found.walks!.configurations).toBeLessThanOrEqual(all.states);
    expect(found.walks!.configurations).toBeGreaterThan(all.states / 2);
    // After 150 walks there is little that is new.
    expect(found.walks!.fresh).toBeLessThan(0.05);
    expect(found.untried.map(({ what }) => what).join()).toContain("every other schedule");
  });

  test("are the same for the same seed", () => {
    const [one, again, other] = [1, 1, 2].map((seed) => explore("quorum", { n: 4, walks: 20, seed, properties: [] }));
    expect(again.walks).toEqual(one.walks);
    expect(other.walks).not.toEqual(one.walks);
  });

  const wrong = ["chang-roberts swallows its own id", "chang-roberts loses the announcement at the second node"];

  test.each(plantedBugs.filter(({ mistake }) => wrong.includes(mistake)))(
    "find what is wrong, as a run from the blank network: $mistake",
    ({ protocol, request }) => {
      const { violation } = explore(protocol, { ...request, walks: 300 });
      expectRun(violation!);
    },
  );

  test("cost what happens, not what there is: 300 nodes with 90,000 links, and a run that is kept", () => {
    const { violation, walks } = explore("tournament-async", { n: 300, walks: 1 });
    expect([violation?.property, walks?.ended]).toEqual(["some-leader", 1]);
    const { network, steps } = violation!;
    expect(network.crashed(steps.at(-1)!.after, 0)).toBe(false);
    // Asked for in any order, configurations are those of the walk.
    expect(steps[7].after).toEqual(steps.slice(0, 8).map(({ after }) => after)[7]);
  });

  test("heal a partition, also when no other may come: a message is lost, and the next one arrives", () => {
    const twice: Toy = {
      init(node, ctx) {
        if (node === 0) ctx.arm("first", 1);
        return { heard: [] };
      },
      receive: (state, message) => state.heard.push(message),
      expire(_, timer, ctx) {
        ctx.send(NEXT, timer);
        if (timer === "first") ctx.arm("second", 1);
      },
    };
    const never = {
      name: "never-the-second-alone",
      about: "",
      when: "always",
      violated: (view: { report?(node: number): unknown }) => (view.report!(1) === "second" ? "it is" : null),
    } as const;
    const own = { ...toy(twice), report: ({ heard }: { heard: string[] }) => heard.join() };
    const request = { n: 2, ids: [0, 1], walks: 300, properties: [never] };
    expect(explore(own, { ...request, partitions: 1 }).violation?.what).toBe("it is");
    expect(explore(own, { ...request, walks: 50 }).violation).toBeNull();
  });

  test("go where no search can: a ring of 200, every draw of a thousand values", () => {
    expect(explore("peterson", { n: 200, walks: 1 })).toMatchObject({ violation: null, walks: { ended: 1 } });
    const rare: Toy = {
      init(_node, ctx) {
        ctx.send(SELF, ctx.choose(1000));
        return { drawn: 0 };
      },
      receive: (state, message) => {
        state.drawn = message;
      },
    };
    const sixth = {
      name: "never-above-900",
      about: "",
      when: "always",
      violated: (view: { report?(node: number): unknown }) => ((view.report!(0) as number) > 900 ? "it is" : null),
    } as const;
    const own = { ...toy(rare), report: ({ drawn }: { drawn: number }) => drawn };
    expect(explore(own, { n: 1, ids: [0], walks: 100, properties: [sixth] }).violation?.what).toBe("it is");
  });
});
