/**
 * Keys that are replaced while a group runs, in virtual time and over seeds: messages are lost, repeated and on their way at each step, members
 * take it at different times, the leader dies in the midst of it, members are away through all of it, or join with one key alone.
 */
import { describe, expect, test } from "vitest";
import { obstacles } from "../../src/cli/commands/keys/edit.ts";
import { keysIn } from "../../src/elector/election/choice.ts";
import { keysOf } from "../../src/live/join/view.ts";
import { type Keyring, keyIdText } from "../../src/live/net/keyring.ts";
import { HostStream } from "../../src/random/streams.ts";
import { effort } from "../support/effort.ts";
import { type Actor, idOf, keyScene, ring } from "./scene.ts";

const NAMES = ["a", "b", "c", "d", "e"];
/** The three steps: all open the new one, all seal with it, the old one is gone. */
const STEPS = [ring(1, 2), ring(2, 1), ring(2)];
const LOSSY = { loss: 0.1, duplicate: 0.05, delay: [0.2, 15] as const };

const leaderOf = ({ member }: Actor) => member.report().offices.leader?.leader;
const agree = (actors: readonly Actor[]) => {
  const leaders = new Set(actors.map(leaderOf));
  const sizes = actors.map(({ member }) => member.report().members);
  return leaders.size === 1 && !leaders.has(null) && sizes.every((size) => size === actors.length);
};

function together(seed: number, names = NAMES, conditions = LOSSY) {
  const scene = keyScene(seed, conditions);
  for (const name of names) scene.start(name, ring(1));
  expect(
    scene.until(() => agree(scene.actors), 60_000),
    `seed ${seed}`,
  ).toBe(true);
  return scene;
}

/** What `sortition keys use` and `remove` ask before they do anything, of what one member knows. */
function stands(observer: Actor, step: "use" | "remove") {
  const [id, next] = step === "use" ? [2, 2] : [1, 2];
  const holders = [
    ...observer.member
      .members()
      .map(({ name, meta }) => ({ name, state: "alive" as const, keys: keysOf(keysIn(meta)) })),
    ...observer.member.departed().map(({ member: { name, status, meta } }) => ({
      name,
      state: status === "left" ? ("left" as const) : ("failed" as const),
      keys: keysOf(keysIn(meta)),
    })),
  ];
  const ids = { id: keyIdText(idOf(id)), next: keyIdText(idOf(next)) };
  return obstacles(step === "use" ? { step, id: ids.id } : { step, ...ids }, holders).map(({ name }) => name);
}

test("a step at a time, each member at its own moment, with a hand-over in each: nobody is taken for dead, and one leads", () => {
  for (let seed = 1; seed <= effort(3, 60); seed++) {
    const scene = together(seed);
    const [observer] = scene.actors;
    const chance = new HostStream(seed, 5, "losses");
    for (const [i, keyring] of STEPS.entries()) {
      // As the command would: the next step waits until the last one is known of everybody.
      if (i > 0)
        expect(scene.until(() => stands(observer, i === 1 ? "use" : "remove").length === 0, 30_000)).toBe(true);
      for (const { member } of scene.actors) {
        scene.network.at(scene.network.now + chance.choose(2000), () => member.rekey(keyring));
      }
      scene.network.runFor(2500);
      // Somebody is always asking for something: what was on its way at each step is not lost for good.
      const heir = scene.actors[1 + chance.choose(scene.actors.length - 1)];
      scene.actors
        .find(({ name }) => name === leaderOf(observer))
        ?.member.command({
          kind: "transfer",
          office: "leader",
          to: heir.name,
        });
      expect(
        scene.until(() => agree(scene.actors), 30_000),
        `seed ${seed}, step ${i}`,
      ).toBe(true);
    }
    scene.network.runFor(5000);
    expect(agree(scene.actors), `seed ${seed}`).toBe(true);
    for (const { events, name, member } of scene.actors) {
      expect(
        events.filter(({ event }) => event === "failed"),
        `seed ${seed}, ${name}`,
      ).toEqual([]);
      expect(member.keyIds).toEqual([idOf(2)]);
    }
  }
});

test("probes, elections and claims that are unacknowledged at each step: the leader dies just then, and another one leads", () => {
  for (let seed = 1; seed <= effort(2, 40); seed++) {
    for (const at of [0, 1, 2]) {
      const scene = together(100 * at + seed);
      for (const keyring of STEPS.slice(0, at)) {
        for (const { member } of scene.actors) member.rekey(keyring);
        scene.network.runFor(3000);
      }
      const dead = leaderOf(scene.actors[0])!;
      scene.kill(dead);
      const chance = new HostStream(seed, 6, "losses");
      // While it is being noticed, and while the next one is being elected.
      for (const { member } of scene.actors) {
        scene.network.at(scene.network.now + chance.choose(1500), () => member.rekey(STEPS[at]));
      }
      expect(
        scene.until(() => agree(scene.actors) && leaderOf(scene.actors[0]) !== dead, 60_000),
        `seed ${seed}`,
      ).toBe(true);
      expect(
        scene.actors.flatMap(({ events }) =>
          events.filter(({ event, member }) => event === "failed" && member !== dead),
        ),
      ).toEqual([]);
    }
  }
});

describe("a member that is away through all steps", () => {
  test("stands in the way of the second step for a day if it was killed, and comes back as it was", () => {
    const scene = together(7);
    const [a] = scene.actors;
    scene.kill("e");
    expect(scene.until(() => a.member.departed().length === 1, 60_000)).toBe(true);
    for (const { member } of scene.actors) member.rekey(ring(1, 2));
    scene.network.runFor(3000);
    expect(stands(a, "use")).toEqual(["e"]);
    scene.network.runFor(effort(30_000, 3_600_000));
    expect(stands(a, "use")).toEqual(["e"]);
    const e = scene.start("e", ring(1));
    expect(scene.until(() => agree(scene.actors), 60_000)).toBe(true);
    expect(stands(a, "use")).toEqual(["e"]);
    e.member.rekey(ring(1, 2));
    scene.network.runFor(3000);
    expect(stands(a, "use")).toEqual([]);
  });

  test("if it was forced: it is not let in, both sides name the key, and with the new one it is", () => {
    const scene = together(8, NAMES, { ...LOSSY, loss: 0 });
    const [a] = scene.actors;
    scene.kill("e");
    expect(scene.until(() => a.member.departed().length === 1, 60_000)).toBe(true);
    for (const keyring of STEPS) {
      for (const { member } of scene.actors) member.rekey(keyring);
      scene.network.runFor(3000);
    }
    const back = scene.start("e", ring(1));
    scene.network.runFor(20_000);
    expect(a.member.report().members).toBe(4);
    expect(back.member.report().members).toBe(1);
    const [old, fresh] = [1, 2].map((number) => keyIdText(idOf(number)));
    expect(scene.actors.flatMap(({ said }) => said("dropped")).join("\n")).toContain(
      `from 10.0.0.5:7001 came sealed with key ${old}, which this member does not have (it has ${fresh})`,
    );
    expect(back.said("alone")[0]).toContain(`the same key (here ${old})`);
    // Members look for those that have failed: so it hears them, too, and cannot open it.
    expect(back.said("dropped")[0]).toMatch(
      new RegExp(
        `from 10.0.0..:7001 came sealed with a key whose id ends in ${fresh.slice(-2)}, which .* \\(it has ${old}\\)`,
      ),
    );
    back.member.rekey(ring(2));
    expect(scene.until(() => agree(scene.actors), 60_000)).toBe(true);
  });
});

describe("a joiner with one key alone", () => {
  const cases: readonly [string, Keyring, number, boolean][] = [
    ["the old one, before the new one seals", STEPS[0], 1, true],
    ["the new one, before it seals", STEPS[0], 2, false],
    ["the old one, once the new one seals", STEPS[1], 1, false],
    ["the new one, once it seals", STEPS[1], 2, true],
    ["the old one, when it is gone", STEPS[2], 1, false],
    ["the new one, when the old one is gone", STEPS[2], 2, true],
  ];
  test.each(cases)("%s", (_, keyring, number, isLetIn) => {
    const scene = together(9, ["a", "b", "c"], { ...LOSSY, loss: 0 });
    for (const step of STEPS.slice(0, STEPS.indexOf(keyring) + 1)) {
      for (const { member } of scene.actors) member.rekey(step);
      scene.network.runFor(3000);
    }
    const group = scene.actors;
    const joiner = scene.start("z", ring(number));
    scene.network.runFor(30_000);
    if (isLetIn) {
      expect(agree(scene.actors)).toBe(true);
      expect(scene.actors.flatMap(({ said }) => said("dropped"))).toEqual([]);
      return;
    }
    const [own, other] = [number, 3 - number].map((each) => keyIdText(idOf(each)));
    expect(joiner.member.report().members).toBe(1);
    expect(leaderOf(group[0])).not.toBe("z");
    expect(joiner.said("alone")[0]).toContain(`(here ${own})`);
    const heard = group.flatMap(({ said }) => said("dropped")).join("\n");
    if (keyring === STEPS[2]) {
      // It cannot be heard, and is answered nothing.
      expect(heard).toContain(`from 10.0.0.4:7001 came sealed with key ${own}, which this member does not have`);
      expect(joiner.said("dropped")).toEqual([]);
    } else {
      // It is heard, and cannot hear.
      expect(heard).toContain(
        `z at 10.0.0.4:7001 cannot hear this member, which seals with key ${other}: known there is ${own}`,
      );
      expect(joiner.said("dropped")[0]).toContain(
        `sealed with a key whose id ends in ${other.slice(-2)}, which this member`,
      );
      expect(joiner.said("dropped")[0]).toContain(`(it has ${own})`);
    }
    joiner.member.rekey(keyring);
    expect(scene.until(() => agree(scene.actors), 60_000)).toBe(true);
  });
});

test("a step that is taken too early is said at once by who takes it, with the names of the others", () => {
  const scene = together(10, ["a", "b", "c"], { ...LOSSY, loss: 0 });
  const [a] = scene.actors;
  a.member.rekey(ring(2, 1));
  expect(a.said("dropped")).toEqual([
    `b at 10.0.0.2:7001, c at 10.0.0.3:7001 cannot hear this member, which seals with key ${keyIdText(idOf(2))}: known there is ${keyIdText(idOf(1))}; replace keys in the order of docs/security.md`,
  ]);
});
