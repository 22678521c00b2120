/** The centre of a lasting council: what it hears in an exchange, what it makes of it, and what it sends next. */
import { exp } from "../../random/elementary.ts";
import { ln } from "../../random/ln.ts";
import type { ContinuousContext, ContinuousFeedback, ContinuousParams } from "./continuous-parameters.ts";

export interface CentreState {
  readonly role: "centre";
  readonly params: ContinuousParams;
  /** How many exchanges there will be. */
  readonly horizon: number;
  exchanges: number;
  /** The estimate of n: it follows what draws bring in. */
  population: number;
  /** How many replies the last draw should have brought; 0 where there was none. */
  expected: number;
  mode: ContinuousFeedback["mode"];
  /** Members heard one exchange before, as far as they have not drawn for their seats since. */
  before: number;
  /** Of this exchange: members, offers, notices of leaving, and everything. */
  heard: number;
  offers: number;
  left: number;
  received: number;
  /** Sums over all exchanges. */
  available: number;
  total: number;
  elective: number;
}

export function centreOf(params: ContinuousParams, n: number): CentreState {
  return {
    role: "centre",
    params,
    horizon: Math.max(1, Math.round((params.hours * 3600) / params.period)),
    exchanges: 0,
    population: n,
    expected: 0,
    mode: "keep",
    before: 0,
    heard: 0,
    offers: 0,
    left: 0,
    received: 0,
    available: 0,
    total: 0,
    elective: 0,
  };
}

/** After an exchange: was the council within the range, and what did it cost? */
export function assess(state: CentreState, ctx: ContinuousContext): void {
  const { L, U, hours } = state.params;
  state.exchanges++;
  ctx.measure("rounds", 1);
  if (state.heard >= L && state.heard <= U) state.available++;
  state.total += state.received;
  // Replies that no standing council would have sent.
  state.elective += state.mode === "reset" || state.mode === "shrink" ? state.heard : state.offers;
  if (state.mode === "reset") ctx.measure("elections", 1);
  if (state.mode === "invite") ctx.measure("invitations", 1);
  if (state.exchanges < state.horizon) return;
  ctx.measure("availability", state.available / state.exchanges);
  ctx.measure("hourly", state.total / hours);
  ctx.measure("overhead", state.elective / hours);
}

/** The next feedback, from what the last exchange showed; the counts begin anew. */
export function nextFeedback(state: CentreState): ContinuousFeedback {
  const { params, heard, offers } = state;
  learn(state);
  const members = Math.max(0, membersOf(state) - state.left);
  const seat = offers > 0 && members + offers <= params.U;
  const size = seat ? members + offers : members;
  const { mode, expected } = params.policy === "restart" ? restart(size, params) : refill(size, params);
  const drawing = mode === "shrink" ? size : mode === "invite" ? state.population - size : state.population;
  state.before = mode === "keep" || mode === "invite" ? heard : 0;
  state.mode = mode;
  state.expected = mode === "shrink" ? 0 : expected;
  state.heard = 0;
  state.offers = 0;
  state.left = 0;
  state.received = 0;
  const chance = Math.min(1, expected / Math.max(1, drawing));
  return { number: state.exchanges, mode, chance, seat, last: state.exchanges === state.horizon - 1 };
}

/** A reply may have been lost, so a refill believes in a departure only when the member is missed twice. */
function membersOf({ params, heard, before }: CentreState): number {
  return params.policy === "refill" ? Math.max(heard, before) : heard;
}

interface Step {
  readonly mode: ContinuousFeedback["mode"];
  /** How many the draw should leave or bring in. */
  readonly expected: number;
}

const KEEP: Step = { mode: "keep", expected: 0 };

/** Figs. 8 and 9 with `while (true)`. As printed, N_c < U, a council of U members draws for its seats again. */
function restart(size: number, { L, U, c, reading }: ContinuousParams): Step {
  if (size < L) return { mode: "reset", expected: c };
  if (size > U || (size === U && reading === "printed")) return { mode: "shrink", expected: c };
  return KEEP;
}

function refill(size: number, { L, U, c, low }: ContinuousParams): Step {
  if (size > U) return { mode: "shrink", expected: c };
  if (size > low || size === U) return KEEP;
  return { mode: "invite", expected: batch(Math.max(1, L - size), U - size) };
}

/** The mean of the Poisson number of offers that falls within [least, most] most often: its ends are equally likely. */
export function batch(least: number, most: number): number {
  let product = 0;
  for (let i = least; i <= most; i++) product += ln(i);
  return exp(product / (most - least + 1));
}

/** Each draw is also a sample of n; a quarter of its surprise is believed. */
function learn(state: CentreState): void {
  if (state.expected === 0) return;
  const came = state.mode === "invite" ? state.offers : state.heard;
  state.population = Math.max(state.params.U + 1, (state.population * (3 + came / state.expected)) / 4);
}
