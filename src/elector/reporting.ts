/** Brings the report up to date at the end of a handler, where anything has changed, and says what that was. */
import { hasJoined, refusal, size } from "../protocols/membership/parent.ts";
import { leads } from "./claims.ts";
import { councilOf } from "./councils.ts";
import { isQuorate } from "./policy.ts";
import type { GroupEvent, GroupReport, OfficeReport } from "./report.ts";
import { knownSetting } from "./settings.ts";
import { type GroupState, NO_OFFICE, type Office, type Turn } from "./state.ts";
import { occupancy } from "./vacancy.ts";

export function firstReport({ name, params }: Pick<GroupState, "name" | "params">): GroupReport {
  return {
    ...{ version: 0, news: [], self: name, refused: null, joined: false, members: 0 },
    ...{ policy: params.policy, quorate: params.policy === "available", offices: {} },
    engine: { state: "none", why: null },
  };
}

function reportOf(turn: Turn, office: Office): OfficeReport {
  const { claim, term } = office;
  const held = occupancy(turn, office) !== "vacant";
  const {
    epsilon = null,
    loss = null,
    lossLow = null,
    lossFrom = null,
    protocol = null,
  } = knownSetting(turn, office) ?? {};
  return {
    term,
    leader: held ? claim!.holder : null,
    mine: leads(turn, office),
    epsilon,
    loss,
    lossLow,
    lossFrom,
    protocol,
    ...{ token: null, lease: null, lapse: null, unreachable: false, settling: false, asker: null },
    ...councilOf(turn, office, held ? claim!.holder : null),
  };
}

/** What has changed for the user, from one report of an office to the next. */
function eventsOf(office: string, before: OfficeReport, after: OfficeReport): GroupEvent[] {
  const { term, leader } = after;
  const events: GroupEvent[] = [];
  if (before.mine && (!after.mine || before.term !== term)) {
    events.push({ event: "resigned", office, term: before.term });
  }
  if (term !== before.term) events.push({ event: "term", office, term });
  if (leader !== before.leader || (leader !== null && term !== before.term)) {
    events.push(leader === null ? { event: "none", office, term, leader } : { event: "leader", office, term, leader });
  }
  if (after.mine && (!before.mine || before.term !== term)) events.push({ event: "leads", office, term, leader });
  if ((before.seat ?? false) !== (after.seat ?? false)) {
    events.push({ event: after.seat ? "seated" : "unseated", office, term });
  }
  return events;
}

export function refresh(turn: Turn): void {
  const { state } = turn;
  const { report, members, touched } = state;
  const now = {
    refused: refusal(members),
    joined: hasJoined(members),
    members: size(members),
    quorate: isQuorate(state),
  };
  if (now.members !== report.members || now.joined !== report.joined) {
    state.events.push({ event: "view", members: now.members });
  }
  if (now.refused !== null && report.refused === null) state.events.push({ event: "refused", why: now.refused });
  const changed: Record<string, OfficeReport> = {};
  for (const name of touched) {
    const isKnown = Object.hasOwn(report.offices, name);
    const before = isKnown ? report.offices[name] : NO_OFFICE;
    const after = reportOf(turn, state.offices.get(name)!);
    if (isKnown && same(before, after)) continue;
    changed[name] = after;
    state.events.push(...eventsOf(name, before, after));
  }
  touched.clear();
  const isOld = state.events.length === 0 && Object.keys(changed).length === 0 && now.quorate === report.quorate;
  if (isOld) {
    if (report.news.length > 0) state.report = { ...report, news: [] };
    return;
  }
  const offices = Object.keys(changed).length === 0 ? report.offices : { ...report.offices, ...changed };
  state.report = { ...report, ...now, version: report.version + 1, news: state.events, offices };
  state.events = [];
}

function same(a: OfficeReport, b: OfficeReport): boolean {
  const fields = Object.keys(b) as (keyof OfficeReport)[];
  return fields.every((field) => a[field] === b[field] || (field === "council" && areEqual(a.council, b.council)));
}

function areEqual(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
