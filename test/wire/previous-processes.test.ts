/**
 * Members of the earlier build (ae4f69d, which told nobody of its keys) and of today's in one group, as processes: they elect, each kind
 * takes over from the other, and each kind joins a group that the other leads.
 */
import { afterAll, expect, test } from "vitest";
import { GroupProcesses } from "../support/group-processes.ts";
import { type PreviousBuild, previousBuild } from "../support/previous-build.ts";

const PREVIOUS = "ae4f69d";
const isOld = (name: string) => name.startsWith("old");

let previous: PreviousBuild | null = null;
let why = "";
try {
  previous = previousBuild(PREVIOUS);
} catch (error) {
  why = String((error as Error).message).split("\n")[0];
}
afterAll(() => previous?.remove());

if (previous === null) {
  test(`NOT TESTED: members of the earlier build: ${PREVIOUS} is not in the history here: ${why}`, () => {
    expect(process.env.CI ?? "", "under CI all of it is tested").toBe("");
  });
} else {
  const { through } = previous;
  const group = new GroupProcesses({
    profile: "local",
    place: (name) => ({ through: isOld(name) ? through : [], bind: "127.0.0.1:0" }),
  });
  afterAll(() => group.stop());

  test("they elect together, and each kind takes over from the other", async () => {
    let { leader, term } = await group.start(["old-1", "new-1", "old-2", "new-2"]);
    expect(leader).toBe("old-1");
    for (const kind of [isOld, (name: string) => !isOld(name)]) {
      const killed: string[] = [];
      // Of the other kind there are still two.
      while (kind(leader)) {
        killed.push(leader);
        await group.end(leader, "SIGKILL");
        const next = await group.agree({ but: leader });
        expect(next.term).toBeGreaterThan(term);
        ({ leader, term } = next);
      }
      for (const name of killed) await group.join(name);
      ({ leader, term } = await group.agree());
    }
    expect(isOld(leader)).toBe(true);
    expect(group.lines.filter(({ event }) => event === "dropped" || event === "conflict")).toEqual([]);
  });
}
