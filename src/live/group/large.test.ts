/** Large groups with the stack as it ships, in virtual time: how long they need, and what they send. The long run has the sizes of the docs. */
import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { group } from "../../elector/group.ts";
import type { ProfileName } from "../../elector/params.ts";
import type { GroupReport } from "../../elector/report.ts";
import { readAll } from "../../setting.ts";
import { MEMBER } from "../../settings/member.ts";
import { insecureKeyring } from "../net/keyring.ts";
import { unsealed } from "../net/sealing.ts";
import { memberParams } from "./setup.ts";
import { VirtualOpenGroup } from "./virtual.ts";

const keyring = insecureKeyring();

function started(n: number, profile: ProfileName): VirtualOpenGroup {
  const basics = { ...readAll(MEMBER, { profile }), keyring };
  const members = new VirtualOpenGroup({
    seed: 1,
    machine: group(),
    params: (name) => memberParams({ ...basics, name }),
    sealing: unsealed,
  });
  for (let i = 0; i < n; i++) members.start(`m${i}`, { seeds: ["m0"] });
  return members;
}

const reportsOf = ({ peers }: VirtualOpenGroup) => peers.map(({ report }) => report as GroupReport);

/** All see so many members and follow one leader. */
function agree(members: VirtualOpenGroup, size: number): boolean {
  const [first, ...others] = reportsOf(members);
  const leader = first.offices.leader?.leader ?? null;
  if (leader === null || first.members !== size) return false;
  return others.every((report) => report.members === size && report.offices.leader?.leader === leader);
}

const SIZE = effort(40, 240);

test(`${SIZE} members that start together agree within 5 s (local)`, () => {
  const members = started(SIZE, "local");
  expect(members.until(() => agree(members, SIZE), 5000)).toBe(true);
});

/** Members, crashes, and milliseconds within which the others agree. */
const LOSSES = effort(
  [[60, 15, 5000]],
  [
    [240, 60, 5000],
    [300, 150, 15_000],
  ],
);

test.each(LOSSES)(
  "%i members of which %i crash together agree within %i ms (local)",
  { timeout: 300_000 },
  (n, gone, within) => {
    const members = started(n, "local");
    expect(members.until(() => agree(members, n), 20_000)).toBe(true);
    members.run(2000);
    const before = members.network.sent;
    for (let i = 0; i < gone; i++) members.crash(`m${i}`);
    expect(members.until(() => agree(members, n - gone), within)).toBe(true);
    // 188,000 of 240 before those that enough others have found silent were left alone.
    expect(members.network.sent - before).toBeLessThan(450 * n);
  },
);
