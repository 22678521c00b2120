/** A host of a lasting council: it comes and goes, and holds a seat or not. */
import { ln } from "../../random/ln.ts";
import type {
  ContinuousContext,
  ContinuousFeedback,
  ContinuousParams,
  ContinuousTimer,
} from "./continuous-parameters.ts";

export interface ProcessState {
  readonly role: "host";
  readonly params: ContinuousParams;
  /** When the next departure or arrival is due, in steps from the host's first feedback; null before that. */
  clock: number | null;
  present: boolean;
  member: boolean;
  /** The number of the feedback to which the host answered with an offer. */
  offered: number | null;
}

export function newProcess(params: ContinuousParams): ProcessState {
  return { role: "host", params, clock: null, present: true, member: false, offered: null };
}

/** An exchange is two steps. */
export const stepsInHours = (hours: number, { period }: ContinuousParams) => (2 * hours * 3600) / period;

/** The first feedback starts the host's life. */
export function startLife(state: ProcessState, ctx: ContinuousContext): void {
  if (state.clock !== null) return;
  state.clock = 0;
  age(state, ctx);
}

/** Arms the next departure or arrival: exponential spans, as far as the council is watched. */
function age(state: ProcessState, ctx: ContinuousContext): void {
  const { params } = state;
  const mean = state.present ? params.stay : params.away;
  if (params.stay === 0) return;
  const uniform = (ctx.choose(2 ** 32) + 1) / 2 ** 32;
  const span = Math.max(1, Math.ceil(-ln(uniform) * stepsInHours(mean, params)));
  state.clock! += span;
  if (state.clock! <= stepsInHours(params.hours, params)) ctx.arm("life", span);
}

/** A timer of the host; true where it has to tell the centre that a member leaves. */
export function expireHostTimer(state: ProcessState, timer: ContinuousTimer, ctx: ContinuousContext): boolean {
  if (timer === "lease") {
    sit(state, false, ctx);
    return false;
  }
  const notice = state.present && state.member && !ctx.coin(state.params.crashes);
  state.present = !state.present;
  state.offered = null;
  sit(state, false, ctx);
  age(state, ctx);
  return notice;
}

/** What a present host answers to a feedback: as a member, with an offer, or not at all. */
export function answerFeedback(
  state: ProcessState,
  heard: ContinuousFeedback,
  ctx: ContinuousContext,
): "member" | "offer" | null {
  if (!state.present) return null;
  const { mode, chance, number, seat, last } = heard;
  if (state.offered !== null) sit(state, seat && number === state.offered + 1, ctx);
  state.offered = null;
  if (mode === "reset" || (mode === "shrink" && state.member)) sit(state, ctx.coin(chance), ctx);
  if (state.member) {
    if (last) ctx.disarm("lease");
    else ctx.arm("lease", 2 * state.params.lease + 1);
    return "member";
  }
  if (mode !== "invite" || !ctx.coin(chance)) return null;
  state.offered = number;
  return "offer";
}

function sit(state: ProcessState, member: boolean, ctx: ContinuousContext): void {
  if (member === state.member) return;
  state.member = member;
  if (member) ctx.measure("seats", 1);
  else ctx.disarm("lease");
}
