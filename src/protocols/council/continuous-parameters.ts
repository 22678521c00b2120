/** What the centre and the hosts of a lasting council share: messages, timers and parameters. */
import type { Context, Parameter } from "../../protocol.ts";
import { cParameter, rangeParameters, readingParameter, refuseCouncil } from "./parameters.ts";

export interface ContinuousFeedback {
  readonly number: number;
  /**
   * What hosts do: keep: members reply. invite: others may offer themselves, too. reset: everybody draws for a seat.
   * shrink: members draw for their seats.
   */
  readonly mode: "keep" | "invite" | "reset" | "shrink";
  /** The chance of a draw. */
  readonly chance: number;
  /** Whether those who offered themselves in the exchange before are members now. */
  readonly seat: boolean;
  /** No feedback will follow: members need not fear for their lease. */
  readonly last: boolean;
}

export type ContinuousMessage =
  | ({ readonly kind: "feedback" } & ContinuousFeedback)
  | { readonly kind: "reply"; readonly offer: boolean }
  | { readonly kind: "leave" };

export type ContinuousTimer = "exchange" | "life" | "lease";
export type ContinuousContext = Context<ContinuousMessage, ContinuousTimer>;

export interface ContinuousParams {
  readonly L: number;
  readonly U: number;
  readonly c: number;
  readonly policy: "restart" | "refill";
  readonly low: number;
  readonly lease: number;
  readonly hours: number;
  readonly period: number;
  readonly stay: number;
  readonly away: number;
  readonly crashes: number;
  readonly reading: "repaired" | "printed";
}

export const continuousParameters: readonly Parameter[] = [
  ...rangeParameters,
  {
    name: "policy",
    about: "restart: a new election when fewer than L members are left; refill: invite more before that",
    type: ["restart", "refill"],
    default: "refill",
  },
  {
    name: "low",
    about: "refill: invite while no more members than this are left, L <= low < U; higher costs more invitations",
    type: "integer",
    default: (_n, { L, U }) => Math.max(Number(L), Math.min(Number(L) + 1, Number(U) - 1)),
  },
  {
    name: "lease",
    about: "exchanges without feedback after which a member resigns",
    type: "integer",
    min: 1,
    default: 5,
  },
  { name: "hours", about: "how long the council is watched", type: "number", min: 0.001, default: 0.05 },
  { name: "period", about: "seconds from one feedback to the next", type: "number", min: 0.001, default: 1 },
  {
    name: "stay",
    about: "mean hours that a host stays before it leaves or crashes; 0 stands for ever",
    type: "number",
    min: 0,
    default: 0.5,
  },
  { name: "away", about: "mean hours until another host joins in its place", type: "number", min: 0, default: 0.05 },
  {
    name: "crashes",
    about: "the share of departures that the centre is not told of",
    type: "share",
    default: 0.5,
  },
  readingParameter,
  cParameter("skip-reset"),
];

export function refuseContinuous(params: ContinuousParams, n: number): string | null {
  const { L, U, low } = params;
  const refusal = refuseCouncil(params, n);
  if (refusal !== null || L === U) return refusal;
  return low >= L && low < U ? null : `low = ${low} must be at least L = ${L} and less than U = ${U}`;
}
