/** What a member tells its program: in which order, with what, and what it does not tell. */
import { beforeEach, expect, test } from "vitest";
import type { GroupReport } from "../../elector/report.ts";
import type { MemberEvent } from "../../events/events.ts";
import { readAll } from "../../setting.ts";
import { MEMBER } from "../../settings/member.ts";
import { Chronicle, type ReportSurroundings } from "./chronicle.ts";

let told: Record<string, unknown>[];
let reports: number;
let soon: (() => void)[];
let chronicle: Chronicle;

beforeEach(() => {
  [told, reports, soon] = [[], 0, []];
  chronicle = made([]);
});

function made(news: MemberEvent[]): Chronicle {
  const settings = { ...readAll(MEMBER, {}), name: "a" };
  return new Chronicle(
    { ...settings, onEvent: (event) => void told.push(event as never), onReport: () => reports++ },
    { soon: (callback) => void soon.push(callback), wall: () => 0 },
    news,
  );
}

const OFFICE = { epsilon: 0.1, loss: 0.02, lossLow: 0, lossFrom: "probes", protocol: "x", lapse: null, token: null };
const reportOf = (news: readonly object[], members = 3, office: object = {}): GroupReport =>
  ({ members, news, offices: { o: { ...OFFICE, lease: "l", ...office } } }) as never;

const AROUND: ReportSurroundings = { left: () => 1234.9, isWorking: () => true, fence: () => "signed" };

const record = (report: GroupReport, around: Partial<ReportSurroundings> = {}) => {
  chronicle.record(report, { ...AROUND, ...around });
  chronicle.release(report);
  return told.splice(0);
};

const LEADS = { event: "leads", office: "o", term: 2 };
const LEADER = { ...LEADS, event: "leader", leader: "b" };

test("what has happened before the start comes first; events come before their report, once each", () => {
  chronicle = made([{ event: "dropped", why: "before" } as MemberEvent]);
  const report = reportOf([{ event: "joined", member: "b" }]);
  chronicle.record(report, AROUND);
  expect([told, reports]).toEqual([[], 0]);
  chronicle.release(report);
  expect(told.splice(0).map(({ event, why, member }) => why ?? `${event} ${member}`)).toEqual(["before", "joined b"]);
  expect(reports).toBe(1);
  chronicle.release(report);
  expect([told, reports]).toEqual([[], 1]);
});

test("what is noticed within a handler is told after it, and what is no part of a report at once", () => {
  chronicle.stalled(250);
  expect([told.length, soon.length]).toEqual([0, 1]);
  chronicle.dropped("a stranger");
  expect(told.splice(0)).toEqual([{ event: "dropped", why: "a stranger" }]);
  soon[0]();
  expect(told).toEqual([{ event: "stalled", ms: 250, why: "this process was paused, or busy, for 250 ms" }]);
});

test("no view is told twice in a row that is of the same size", () => {
  const view = (members: number) => record(reportOf([{ event: "view" }], members)).map((event) => event.members);
  expect([view(3), view(3), view(4), view(3)]).toEqual([[3], [], [4], [3]]);
});

test("that work is to end is told only where there is work", () => {
  const settling = reportOf([{ event: "settling", office: "o" }]);
  expect(record(settling)).toHaveLength(1);
  expect(record(settling, { isWorking: () => false })).toEqual([]);
});

test("who leads without a lease is told with the odds; with one, with its token, what is left of it, and its fence", () => {
  const { epsilon, loss, lossLow, lossFrom, protocol } = OFFICE;
  const [without] = record(reportOf([LEADER]));
  expect(without).toMatchObject({ odds: { epsilon, loss, lossLow, lossFrom, protocol }, token: null });
  expect(without).not.toHaveProperty("leaseMs");
  const leased = { lapse: "t", token: 7 };
  const [held] = record(reportOf([{ ...LEADS, token: 7 }], 3, leased));
  expect(held).toMatchObject({ token: 7n, leaseMs: 1234, fence: "signed" });
  const [followed] = record(reportOf([{ ...LEADER, token: 7 }], 3, leased));
  expect(followed).toMatchObject({ token: 7n, leaseMs: 1234 });
  for (const field of ["odds", "fence"]) expect(followed).not.toHaveProperty(field);
  const [late] = record(reportOf([{ ...LEADS, token: 7 }], 3, leased), { left: () => -5 });
  expect(late).toMatchObject({ leaseMs: 0, fence: "signed" });
  const [gone] = record(reportOf([{ ...LEADS, token: 7 }], 3, leased), { left: () => null });
  expect(gone).toMatchObject({ fence: null });
  expect(gone).not.toHaveProperty("leaseMs");
  const [unmeasured] = record(reportOf([LEADER], 3, { loss: null }));
  expect(unmeasured).not.toHaveProperty("odds");
});

test("an event of an office that is not in the report, or of none, says nothing of one", () => {
  for (const event of [
    { ...LEADS, office: "other" },
    { event: "joined", member: "b" },
  ]) {
    const [said] = record(reportOf([event]));
    for (const field of ["odds", "leaseMs", "fence"]) expect(said).not.toHaveProperty(field);
  }
});
