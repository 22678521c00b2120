/** The obstacles of a step: members that would not be heard afterwards, or would not hear. */
import { expect, test } from "vitest";
import { type KeyHolder, type KeyStep, obstacles } from "../../src/cli/commands/keys/edit.ts";

const holder = (name: string, opens: readonly string[] | null, state: KeyHolder["state"] = "alive"): KeyHolder => ({
  name,
  state,
  keys: opens === null ? null : { seals: opens[0], opens },
});
const names = (step: KeyStep, holders: readonly KeyHolder[]) => obstacles(step, holders).map(({ name }) => name);
const use: KeyStep = { step: "use", id: "new" };
const remove: KeyStep = { step: "remove", id: "old", next: "new" };

test("a key may seal once all open it", () => {
  const ready = [holder("a", ["old", "new"]), holder("b", ["new", "old"]), holder("c", ["new"])];
  expect(obstacles(use, ready)).toEqual([]);
  expect(obstacles(use, [...ready, holder("d", ["old"])])).toEqual([
    { name: "d", why: "new is not opened (only old) by", state: "" },
  ]);
});

test("a key may go once nobody seals with it, and all open the one that is left", () => {
  expect(names(remove, [holder("a", ["new", "old"]), holder("b", ["new"])])).toEqual([]);
  expect(obstacles(remove, [holder("a", ["old", "new"]), holder("b", ["third", "old"])])).toEqual([
    { name: "a", why: "old still seals what is sent by", state: "" },
    { name: "b", why: "new is not opened (only third, old) by", state: "" },
  ]);
});

test("who has failed counts as it was last known, who does not answer too, and who has left does not", () => {
  const holders = (["alive", "suspected", "failed", "left"] as const).map((state) => holder(state, ["old"], state));
  expect(names(use, holders)).toEqual(["alive", "suspected", "failed"]);
  expect(names(remove, holders)).toEqual(["alive", "suspected", "failed"]);
  expect(obstacles(use, holders).map(({ state }) => state)).toEqual([
    "",
    " (which does not answer just now)",
    " (failed within a day, and may come back as it was)",
  ]);
});

test("who does not say which keys it has stands in the way of both", () => {
  for (const step of [use, remove]) {
    expect(obstacles(step, [holder("old one", null)])[0].why).toContain(
      "the keys are not known, since it runs an earlier version",
    );
  }
});
