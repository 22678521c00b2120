/** One handler of one member at a time: a copy of its state in a run, and what it sends, arms and says. */
import { group } from "../../src/elector/group.ts";
import type { GroupEvent } from "../../src/elector/report.ts";
import type { GroupState, Office } from "../../src/elector/state.ts";
import type { Claim, ElectorMessage } from "../../src/elector/talk/messages.ts";
import { copy } from "../../src/host/stepping/copy.ts";
import { SELF } from "../../src/protocol.ts";
import { type ElectorRun, groupStateOf, livesBetween } from "./elector-run.ts";

/** A message of this handler and the node that gets it. */
export interface Sent {
  readonly to: number;
  readonly message: { readonly kind: string; readonly claim?: Claim; readonly passes?: number };
}

type Unsigned<M> = M extends unknown ? Omit<M, "from" | "to"> : never;

export interface OneMember {
  readonly state: GroupState;
  readonly office: Office;
  /** Of the latest handler. */
  sent: Sent[];
  armed: Map<string, readonly [least: number, most: number]>;
  disarmed: string[];
  events: readonly GroupEvent[];
  /** Hears what `from` says. */
  hear(from: number, message: Unsigned<ElectorMessage>): void;
  command(message: unknown): void;
  /** Hears a message as it is. */
  receive(from: number, message: unknown): void;
  expire(timer: string): void;
  leave(): void;
}

export function oneMember(run: ElectorRun, node: number, name = "leader"): OneMember {
  const state = copy(groupStateOf(run, node));
  const machine = group();
  const ctx = {
    address: (port: number) => (port === SELF ? String(node) : String(port)),
    link: Number,
    linked: () => true,
    unlink() {},
    send: (to: number, message: Sent["message"]) => void member.sent.push({ to, message }),
    arm: (timer: string, least: number, most = least) => void member.armed.set(timer, [least, most]),
    deadline: (timer: string, after: number) => void member.armed.set(timer, [after, after]),
    disarm: (timer: string) => void member.disarmed.push(timer),
    choose: () => 0,
    coin: () => true,
    measure() {},
  } as never;
  const handle = (act: () => void) => {
    Object.assign(member, { sent: [], armed: new Map(), disarmed: [] });
    act();
    member.events = state.report.news;
  };
  const member: OneMember = {
    state,
    office: state.offices.get(name)!,
    sent: [],
    armed: new Map(),
    disarmed: [],
    events: [],
    hear: (from, message) =>
      handle(() => machine.receive(state, from, { ...message, ...livesBetween(run, from, node) } as never, ctx)),
    receive: (from, message) => handle(() => machine.receive(state, from, message as never, ctx)),
    command: (message) => handle(() => machine.receive(state, SELF, message as never, ctx)),
    expire: (timer) => handle(() => machine.expire!(state, timer, ctx)),
    leave: () => handle(() => machine.leave!(state, ctx)),
  };
  return member;
}
