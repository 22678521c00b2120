/** Updates the report at the end of a handler, and adds the events that say what has changed. */
import { hasJoined, size } from "../protocols/membership/parent.ts";
import { councilOf } from "./company.ts";
import { engineReport } from "./order/by-token.ts";
import { isQuorate, whyNone } from "./policy.ts";
import type { GroupEvent, GroupReport, OfficeReport } from "./report.ts";
import { knownSetting } from "./standing.ts";
import { type GroupState, NO_LEASE, NO_OFFICE, type Office, type Turn } from "./state.ts";

export function firstReport({ name, params }: Pick<GroupState, "name" | "params">): GroupReport {
  return {
    version: 0,
    news: [],
    self: name,
    refused: null,
    joined: false,
    members: 0,
    policy: params.policy,
    quorate: params.policy === "available",
    offices: {},
    engine: { state: "none", why: null },
  };
}

function reportOf(turn: Turn, office: Office): OfficeReport {
  const {
    epsilon = null,
    loss = null,
    lossLow = null,
    lossFrom = null,
    protocol = null,
  } = knownSetting(turn, office) ?? {};
  const led = turn.order.report(turn, office);
  return {
    term: office.term,
    ...NO_LEASE,
    ...led,
    epsilon,
    loss,
    lossLow,
    lossFrom,
    protocol,
    ...councilOf(turn, office, led.leader),
  };
}

/** What has changed for the user, from one report of an office to the next. */
function eventsOf(office: string, before: OfficeReport, after: OfficeReport): GroupEvent[] {
  const { term, leader, unreachable } = after;
  const events: GroupEvent[] = [];
  const token = after.token === null ? {} : { token: after.token };
  // With a lease, leading begins and ends with the token. A term that is opened meanwhile changes nothing.
  const isOther = after.token === null && before.token === null ? before.term !== term : before.token !== after.token;
  if (before.mine && (!after.mine || isOther)) {
    events.push({
      event: "resigned",
      office,
      term: before.term,
      ...(before.token === null ? {} : { token: before.token }),
    });
  }
  if (after.settling && !before.settling) events.push({ event: "settling", office, term });
  if (term !== before.term) events.push({ event: "term", office, term });
  if (leader !== before.leader || unreachable !== before.unreachable || (leader !== null && isOther)) {
    if (leader === null) events.push({ event: "leaderless", office, term, leader });
    else events.push({ event: unreachable ? "unreachable" : "leader", office, term, leader, ...token });
  }
  if (after.mine && (!before.mine || isOther)) events.push({ event: "leads", office, term, leader, ...token });
  if ((before.seat ?? false) !== (after.seat ?? false)) {
    events.push({ event: after.seat ? "seated" : "unseated", office, term });
  }
  return events;
}

export function refresh(turn: Turn): void {
  const { state } = turn;
  const { report, members, touched } = state;
  const joined = hasJoined(members);
  const count = size(members);
  const refused = whyNone(state);
  const quorate = isQuorate(state);
  const engine = engineReport(state);
  if (count !== report.members || joined !== report.joined) state.events.push({ event: "view", members: count });
  if (refused !== null && report.refused === null) state.events.push({ event: "refused", why: refused });
  const changed = touched.size === 0 ? null : changedOffices(turn);
  const isOld =
    state.events.length === 0 && changed === null && quorate === report.quorate && engine.state === report.engine.state;
  if (isOld) {
    if (report.news.length > 0) state.report = { ...report, news: [] };
    return;
  }
  const offices = changed === null ? report.offices : { ...report.offices, ...changed };
  const now = { refused, joined, members: count, quorate, engine };
  state.report = { ...report, ...now, version: report.version + 1, news: state.events, offices };
  state.events = [];
}

/** Of the offices that were touched, those of which the report is another now, and what that means for the user; null where none is. */
function changedOffices(turn: Turn): Record<string, OfficeReport> | null {
  const { state } = turn;
  const { report, touched } = state;
  let changed: Record<string, OfficeReport> | null = null;
  for (const name of touched) {
    const isKnown = Object.hasOwn(report.offices, name);
    const before = isKnown ? report.offices[name] : NO_OFFICE;
    const after = reportOf(turn, state.offices.get(name)!);
    if (isKnown && same(before, after)) continue;
    changed ??= {};
    changed[name] = after;
    state.events.push(...eventsOf(name, before, after));
  }
  touched.clear();
  return changed;
}

function same(a: OfficeReport, b: OfficeReport): boolean {
  const fields = Object.keys(b) as (keyof OfficeReport)[];
  return fields.every((field) => a[field] === b[field] || (field === "council" && areEqual(a.council, b.council)));
}

function areEqual(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
