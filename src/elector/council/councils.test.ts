/** Councils of offices, kept between L and U by the holder of the office. Milliseconds. */
import { describe, expect, test } from "vitest";
import { type Scene, type Watched, watched } from "../../../test/support/watched.ts";
import { letHandlersWrite } from "../../../test/support/writing-handlers.ts";
import { hasSeat, memberNames } from "./councils.ts";

letHandlersWrite();

const keepAt = (node: number, at: number, L: number, U: number) => ({
  node,
  at,
  message: { kind: "keep", office: "audit", L, U },
});
const run = (scene: Partial<Scene> & Pick<Scene, "n" | "until">) => watched({ holders: [], detection: 3000, ...scene });
const seatedIn = (states: readonly (Watched | undefined)[]) =>
  states.flatMap((state) => (state !== undefined && hasSeat(state.councils, "audit") ? [state.name] : []));

describe("the council of an office", () => {
  test.each([
    [3, 3, 5, 2, 2],
    [10, 3, 5, 3, 5],
    [100, 3, 5, 3, 5],
    [100, 10, 20, 10, 20],
    [100, 4, 4, 4, 4],
    [30, 1, 1, 1, 1],
  ])(
    "among %i members, kept between %i and %i, has as many; they know it, and so does everybody",
    (n, L, U, least, most) => {
      const { states } = run({ n, until: 40_000, faults: { commands: [keepAt(0, 100, L, U)] } });
      const seated = seatedIn(states);
      expect(seated.length).toBeGreaterThanOrEqual(least);
      expect(seated.length).toBeLessThanOrEqual(most);
      for (const state of states) expect([...memberNames(state!.councils, "audit")].sort()).toEqual([...seated].sort());
    },
  );

  test("stays what it is when the office passes on", () => {
    const first = run({ n: 40, until: 20_000, faults: { commands: [keepAt(0, 100, 3, 6)] } });
    const before = seatedIn(first.states);
    const heir = first.states.findIndex((state) => !before.includes(state!.name) && state!.name !== "m0");
    for (const end of [
      { crashes: [{ node: 0, at: 20_000 }], commands: [keepAt(0, 100, 3, 6), keepAt(heir, 24_000, 3, 6)] },
      {
        commands: [
          keepAt(0, 100, 3, 6),
          { node: 0, at: 20_000, message: { kind: "give-up", office: "audit" } },
          keepAt(heir, 20_200, 3, 6),
        ],
      },
    ]) {
      const after = seatedIn(run({ n: 40, until: 40_000, faults: end }).states);
      expect(after).toEqual(expect.arrayContaining(before));
      expect(after.length).toBeLessThanOrEqual(6);
    }
  });

  test("is filled again when members crash or leave", () => {
    const commands = [keepAt(0, 100, 3, 5)];
    const [one, two, three, ...rest] = seatedIn(run({ n: 30, until: 10_000, faults: { commands } }).states);
    const numbers = [one, two, three].map((name) => Number(name.slice(1)));
    const faults = {
      commands,
      crashes: [{ node: numbers[0], at: 10_000 }],
      leaves: numbers.slice(1).map((node) => ({ node, at: 10_500 })),
    };
    const { states } = run({ n: 30, until: 30_000, faults });
    const live = seatedIn(states).filter((name) => ![one, two, three].includes(name));
    expect(live).toEqual(expect.arrayContaining(rest));
    expect(live.length).toBeGreaterThanOrEqual(3);
    expect(memberNames(states[0]!.councils, "audit").toSorted()).toEqual(live.toSorted());
  });

  test("costs some bytes a second", () => {
    const [short, long] = [60_000, 360_000].map((until) => {
      return run({ n: 30, until, faults: { commands: [keepAt(0, 100, 3, 5)] } }).councilBytes;
    });
    expect((long - short) / 300).toBeLessThan(30);
  });
});
