/** A mistake planted into the machine from outside: its handlers wrapped, so that the shipping code stays as it is. */
import type { GroupMachine } from "../../../src/elector/group.ts";
import type { GroupContext, GroupState } from "../../../src/elector/state.ts";
import type { GroupMessage } from "../../../src/elector/talk/messages.ts";
import { type Port, SELF } from "../../../src/protocol.ts";
import type { Gossip } from "../../../src/protocols/membership/messages.ts";
import type { MemberRecord, NoteEntry } from "../../../src/protocols/membership/records.ts";
import type { Wanted } from "../scenario.ts";

/** What is known of a mistake, wherever it is planted. */
export interface Mistake {
  readonly name: string;
  /** What the program does wrong, and what real bug it is modelled on. */
  readonly mistake: string;
  /** The faults under which it shows. */
  readonly mix: string;
  readonly wanted?: Wanted;
  /** How many seeds, from 1 on, are enough to see it. */
  readonly runs: number;
  /** The rules that may be the first to see it. */
  readonly breaks: readonly string[];
}

export interface Bug extends Mistake {
  /** `clock`: the time of the simulation, which no machine can see. */
  plant(machine: GroupMachine, clock: () => number): GroupMachine;
}

/** `receive` with what comes from others changed, or dropped (null). What a node tells itself passes. */
export function hearing(
  machine: GroupMachine,
  change: (state: GroupState, message: GroupMessage) => GroupMessage | null,
): GroupMachine {
  return {
    ...machine,
    receive(state, port: Port, message, ctx) {
      const heard = port === SELF ? message : change(state, message);
      if (heard !== null) machine.receive(state, port, heard, ctx);
    },
  };
}

/** A context of which some functions are others. */
export function changed(ctx: GroupContext, others: Partial<GroupContext>): GroupContext {
  return new Proxy(ctx, {
    get(target, name) {
      if (Object.hasOwn(others, name)) return Reflect.get(others, name);
      const own = Reflect.get(target, name);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

/** The context in which only messages leave for which `passes` holds. */
export function sendingOnly(ctx: GroupContext, passes: (message: GroupMessage) => boolean): GroupContext {
  return changed(ctx, {
    send(port, message) {
      if (passes(message)) ctx.send(port, message);
    },
  });
}

/** Something done to the state after every handler. */
export function after(machine: GroupMachine, act: (state: GroupState, ctx: GroupContext) => void): GroupMachine {
  return {
    ...machine,
    receive(state, port, message, ctx) {
      machine.receive(state, port, message, ctx);
      act(state, ctx);
    },
    expire(state, timer, ctx) {
      machine.expire!(state, timer, ctx);
      act(state, ctx);
    },
  };
}

/** A message of membership without some of what it tells: only records and notes for which `keeps` holds. */
export function withoutSome(
  message: GroupMessage,
  keeps: { readonly member?: (entry: MemberRecord) => boolean; readonly note?: (entry: NoteEntry) => boolean },
): GroupMessage {
  if (!("kind" in message) || message.kind !== "members") return message;
  const { member = () => true, note = () => true } = keeps;
  const inner = { ...(message.message as Gossip & Record<"me" | "about" | "you", MemberRecord | undefined>) };
  for (const field of ["me", "about", "you"] as const) {
    if (inner[field] !== undefined && !member(inner[field])) delete (inner as Partial<typeof inner>)[field];
  }
  const members = inner.members?.filter(member);
  const notes = inner.notes?.filter(note);
  return { ...message, message: { ...inner, ...(members && { members }), ...(notes && { notes }) } };
}
