/** Members in processes of their own that are killed and paused; never two leaders. */

import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { type GroupElection, ProcessGroup } from "../../src/live/once/process-group.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { runTrial } from "../../src/simulation/trial.ts";
import { isLong } from "../support/effort.ts";

/** What `npm test` has built: processes start in a third of the time. */
const PROGRAM = fileURLToPath(new URL("../../dist/programs/process-member.js", import.meta.url));

const ids = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

let group: ProcessGroup;
afterEach(() => group.stop());

let names = 0;
const election = (protocol: string, options: Partial<GroupElection> = {}): GroupElection => ({
  protocol,
  params: {},
  members: group.members.filter(({ id }) => group.isAlive(id)),
  name: String(names++),
  tau: 50,
  gather: 30_000,
  timeout: 40_000,
  linger: 200,
  multicast: "auto",
  stallLimit: 150,
  ...options,
});

test("eight processes elect as the simulator does", async () => {
  group = new ProcessGroup(8, PROGRAM);
  await group.join(ids(8));
  for (const protocol of ["chang-roberts", "peterson"]) {
    const { outcomes, leaders, unsafe } = await group.elect(election(protocol));
    const simulated = runTrial(resolve({ protocol, n: 8, ids: ids(8) }), 0);
    expect(unsafe).toBeNull();
    expect(leaders).toEqual([simulated.leader]);
    expect(outcomes.map(({ leader }) => leader)).toEqual(Array(8).fill(simulated.leader));
    expect(outcomes.reduce((sum, { messages }) => sum + messages, 0)).toBe(simulated.messages);
  }
});

test.runIf(isLong)("a third is killed in the middle: nobody leads; the survivors elect among themselves", async () => {
  const victims = [3, 6, 9];
  const kill = () => {
    for (const id of victims) group.signal(id, "SIGKILL");
  };
  const interrupted = async () => {
    group = new ProcessGroup(9, PROGRAM);
    // Nine hops take almost two seconds: the kill is in the middle also where it comes late.
    await group.join(ids(9), { impairment: { loss: 0, delay: 200, seed: 1 } });
    const result = await group.elect(election("chang-roberts", { timeout: 2000 }), { begun: kill });
    expect(result.unsafe).toBeNull();
    return result;
  };
  let broken = await interrupted();
  // On a very busy machine it can come when one of them has told its outcome.
  const isLate = () => broken.outcomes.some(({ self }) => victims.includes(self));
  for (let tries = 1; isLate() && tries < 4; tries++) {
    await group.stop();
    broken = await interrupted();
  }
  expect(broken.leaders).toEqual([]);
  expect(broken.outcomes.map(({ self, status }) => [self, status])).toEqual(
    [1, 2, 4, 5, 7, 8].map((id) => [id, "undecided"]),
  );
  const after = await group.elect(election("chang-roberts"));
  expect(after.leaders).toEqual([8]);
  expect(after.outcomes.map(({ leader }) => leader)).toEqual(Array(6).fill(8));
});

test("a process that is stopped for a while holds the election up, no more; it knows that it was paused", async () => {
  group = new ProcessGroup(5, PROGRAM);
  await group.join(ids(5), { impairment: { loss: 0, delay: 60, seed: 1 } });
  const pause = () => {
    group.signal(3, "SIGSTOP");
    setTimeout(() => group.signal(3, "SIGCONT"), 700);
  };
  const { outcomes, leaders, unsafe } = await group.elect(election("chang-roberts", { linger: 2000 }), {
    begun: pause,
  });
  expect(unsafe).toBeNull();
  expect(leaders).toEqual([5]);
  expect(outcomes.map(({ leader }) => leader)).toEqual(Array(5).fill(5));
  const { stalls } = outcomes.find(({ self }) => self === 3)!;
  expect(stalls.count).toBeGreaterThan(0);
  expect(stalls.longestMs).toBeGreaterThan(500);
});
