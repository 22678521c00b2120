/**
 * A member whose user does something while it leads: it writes to the guarded counter from time to time. When its leadership ends
 * the work takes a while to settle, and writes on meanwhile as work does that does not look; then the member is told.
 */
import type { GroupMachine } from "../../../src/elector/group.ts";
import type { GroupParams } from "../../../src/elector/params.ts";
import type { GroupReport } from "../../../src/elector/report.ts";
import type { GroupState, Saved } from "../../../src/elector/state.ts";
import type { GroupMessage } from "../../../src/elector/talk/messages.ts";
import { type Context, type Protocol, SELF } from "../../../src/protocol.ts";
import { isLeaseAnswer } from "../../../src/protocols/lease/shapes.ts";
import type { Write, Written } from "./counter.ts";
import type { Lease } from "./settings.ts";

export interface Work {
  readonly office: string;
  readonly token: number;
  readonly lease: string;
  /** Its signal has fired: the member no longer leads under this token. */
  ending: boolean;
}

/** What has not settled, by office and token. */
export type Works = ReadonlyMap<string, Work>;

export const NO_WORKS: Works = new Map();

export interface WorkingState {
  readonly group: GroupState;
  readonly works: Map<string, Work>;
  /** The report that was last looked at. */
  seen: GroupReport | null;
  readonly lease: Lease;
  readonly counter: string;
}

export interface WorkingParams {
  readonly group: GroupParams;
  readonly lease: Lease;
  /** Where the resource is. */
  readonly counter: string;
}

export type WorkingMessage = GroupMessage | Write | Written;
type Ctx = Context<WorkingMessage, string>;
export type Working = Protocol<WorkingParams, WorkingState, WorkingMessage, string, Saved, GroupReport>;

const WRITE = "work/write/";
const END = "work/end/";
const keyOf = (office: string, token: number): string => `${token}/${office}`;
const isWritten = (message: unknown): message is Written => (message as { kind?: unknown } | null)?.kind === "written";

export function working(group: GroupMachine): Working {
  const within = (ctx: Ctx) => ctx as Context<GroupMessage, string>;
  const { name, title, citation, cost, assumes, parameters, measures } = group;
  return {
    name,
    title,
    citation,
    cost,
    assumes,
    parameters,
    measures,
    init(params, self, saved, ctx) {
      const { lease, counter } = params;
      const inner = group.init(params.group, self, saved, within(ctx));
      const state: WorkingState = { group: inner, works: new Map(), seen: null, lease, counter };
      follow(state, ctx);
      return state;
    },
    receive(state, port, message, ctx) {
      if (isWritten(message)) hearGuard(group, state, message, ctx);
      else group.receive(state.group, port, message as GroupMessage, within(ctx));
      follow(state, ctx);
    },
    expire(state, timer, ctx) {
      if (timer.startsWith(WRITE)) write(state, timer.slice(WRITE.length), ctx);
      else if (timer.startsWith(END)) end(group, state, timer.slice(END.length), ctx);
      else group.expire!(state.group, timer, within(ctx));
      follow(state, ctx);
    },
    /** A process that leaves lets its work end first. */
    leave(state, ctx) {
      group.receive(state.group, SELF, { kind: "resign", office: null }, within(ctx));
      for (const key of [...state.works.keys()]) end(group, state, key, ctx);
      group.leave!(state.group, within(ctx));
      follow(state, ctx);
    },
    verdict: (state) => group.verdict(state.group),
    report: (state) => group.report!(state.group),
    saved: (state) => group.saved!(state.group),
    // What comes from the engine has a door of its own on a live host.
    accepts: (message) => isWritten(message) || isLeaseAnswer(message) || group.accepts!(message),
    bits: () => 0,
  };
}

/** Work begins and is told to end as the report says, before anything else happens in this process. */
function follow(state: WorkingState, ctx: Ctx): void {
  const { works, lease } = state;
  const { report } = state.group;
  if (state.seen === report) return;
  state.seen = report;
  for (const [key, work] of works) {
    const seat = report.offices[work.office];
    if (work.ending || (seat.mine && seat.token === work.token)) continue;
    work.ending = true;
    ctx.arm(END + key, ...lease.settling);
  }
  for (const office in report.offices) {
    const { mine, token, lease: id } = report.offices[office];
    if (!mine || token === null || id === null || works.has(keyOf(office, token))) continue;
    const key = keyOf(office, token);
    works.set(key, { office, token, lease: id, ending: false });
    ctx.arm(WRITE + key, ...lease.writing);
  }
}

function write(state: WorkingState, key: string, ctx: Ctx): void {
  const work = state.works.get(key);
  if (work === undefined) return;
  const { office: seat, token, lease } = work;
  ctx.send(ctx.link(state.counter), { kind: "write", seat, token, lease });
  ctx.arm(WRITE + key, ...state.lease.writing);
}

function end(group: GroupMachine, state: WorkingState, key: string, ctx: Ctx): void {
  const work = state.works.get(key);
  if (work === undefined) return;
  state.works.delete(key);
  ctx.disarm(WRITE + key);
  ctx.disarm(END + key);
  const { office, token } = work;
  group.receive(state.group, SELF, { kind: "settled", office, token }, ctx as Context<GroupMessage, string>);
}

/** Whom a guard refuses takes the guard's token for a floor. */
function hearGuard(group: GroupMachine, state: WorkingState, { seat, token, taken, newest }: Written, ctx: Ctx): void {
  const work = state.works.get(keyOf(seat, token));
  if (taken || work === undefined || work.ending) return;
  group.receive(
    state.group,
    SELF,
    { kind: "floor", office: seat, token: newest },
    ctx as Context<GroupMessage, string>,
  );
}
