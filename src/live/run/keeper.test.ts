/** Who is told of a confirmed deadline, and what waits for one. */
import { describe, expect, test } from "vitest";
import type { HeldCommand } from "./held-command.ts";
import { LeaseKeeper } from "./held-command.ts";
import type { Deadline } from "./times.ts";

function scene() {
  let now = 1000;
  const keeper = new LeaseKeeper({ mono: () => now, wall: () => now + 5000 });
  const passedOn: { readonly deadline: Deadline; known(): void }[] = [];
  const command = {
    confirmed: (deadline: Deadline, known: () => void) => void passedOn.push({ deadline, known }),
  } as unknown as HeldCommand;
  const known: string[] = [];
  return {
    keeper,
    command,
    passedOn,
    known,
    pass: (ms: number) => {
      now += ms;
    },
    confirm: (token: number, left: number | null, seat = "leader") =>
      keeper.confirmed({ seat, token, left: () => left }, () => known.push(`${seat} ${token}`)),
  };
}

describe("a keeper", () => {
  test("has nobody to tell where no command runs, or one under another lease", () => {
    const it = scene();
    it.confirm(7, 100);
    it.keeper.hold("leader", 7, it.command);
    it.confirm(8, 100);
    it.confirm(7, 100, "leader#2");
    expect([it.known, it.passedOn]).toEqual([["leader 7", "leader 8", "leader#2 7"], []]);
  });

  test("tells the guardian of the command, whose word counts", () => {
    const it = scene();
    it.keeper.hold("leader", 7, it.command);
    it.confirm(7, 100);
    expect(it.known).toEqual([]);
    expect(it.passedOn[0].deadline).toEqual({ mono: 1100, wall: 6100 });
    it.passedOn[0].known();
    expect(it.known).toEqual(["leader 7"]);
    it.keeper.letGo();
    it.confirm(7, 200);
    expect([it.known.length, it.passedOn.length]).toEqual([2, 1]);
  });

  test("acknowledges nothing of a lease that has ended, and keeps until when it was to last", () => {
    const it = scene();
    it.confirm(7, 100);
    it.confirm(7, null);
    expect(it.known).toEqual(["leader 7"]);
    expect(it.keeper.deadlineOf("leader", 7)).toEqual({ mono: 1100, wall: 6100 });
    expect(it.keeper.deadlineOf("leader", 6)).toBeNull();
  });

  test("waits for a confirmation that leaves enough, or for the end of waiting", async () => {
    const it = scene();
    const { signal } = new AbortController();
    it.confirm(7, 100);
    expect(await it.keeper.enough("leader", 7, 100, signal)).toBe(true);
    it.pass(1);
    const more = it.keeper.enough("leader", 7, 100, signal);
    it.confirm(7, 100);
    expect(await more).toBe(true);
    const ending = new AbortController();
    const never = it.keeper.enough("leader", 7, 500, ending.signal);
    ending.abort();
    expect(await never).toBe(false);
    expect(await it.keeper.enough("leader", 7, 1, ending.signal)).toBe(false);
  });
});
