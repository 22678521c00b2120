/**
 * Referees: few candidates, each of which asks about 2 sqrt(n ln n) random processes; two candidates share one with high
 * probability, and that one lets only the higher rank through.
 *
 * S. Kutten, G. Pandurangan, D. Peleg, P. Robinson, A. Trehan, "Sublinear bounds for randomized leader election",
 * Theoretical Computer Science 561, 2015 (ICDCN 2013), Algorithm 1 and section 2.1.
 *
 * Model: complete graph, synchronous, anonymous, n known, CONGEST. Messages: every request and one winner notification
 * per referee that was asked. With an adversarial wake-up a candidate that is woken by a request may answer and ask through
 * one link in one round: two messages there, where CONGEST would pack them into one of twice the size.
 * Cost: O(sqrt(n) log^(3/2) n) messages and 2 rounds with high probability; error at most 1/n.
 *
 * Under loss or crash the printed rule (win everywhere) elects nobody as soon as one round trip fails. With
 * `answers=all` a referee also refuses, and a candidate leads that nobody refused and that a share `threshold` of its
 * referees let through; a loser shares 4 ln n referees with the best on average, so losing some refusals does no harm.
 */
import type { Context, Port, Protocol, WakeSchedule } from "../../protocol.ts";
import { compareLotRanks, drawLotRank, type LotRank, lotRankBits } from "../ranks.ts";
import { type BelievedParams, believed, believedParameters, candidacy, paperSample } from "./believed.ts";

/** The schedule that a text names, or what is wrong with the text. */
function parseWake(
  text: string,
): { readonly schedule: WakeSchedule; readonly problem: null } | { readonly schedule: null; readonly problem: string } {
  const match = /^(uniform|one-then-rest)(?::(\d+))?$/.exec(text);
  const rounds = Number(match?.[2] ?? 10);
  if (match === null || rounds < 1 || rounds > 1e9) {
    return { schedule: null, problem: `wake must be uniform:R or one-then-rest:R with R from 1 on, not "${text}"` };
  }
  return { schedule: { kind: match[1] as WakeSchedule["kind"], rounds }, problem: null };
}

export interface RefereesParams extends BelievedParams {
  readonly referees: number;
  readonly wakeup: "simultaneous" | "adversarial";
  readonly wake: string;
  readonly explicit: boolean;
  readonly answers: "winner" | "all";
  readonly threshold: number;
}

export type RefereesMessage =
  | { readonly kind: "request"; readonly rank: LotRank }
  | { readonly kind: "answer"; readonly answer: "won" | "refused" }
  /** explicit=true: the sender of this leads. */
  | { readonly kind: "leader"; readonly rank: LotRank };

export interface RefereesState {
  readonly params: RefereesParams;
  readonly n: number;
  readonly candidate: boolean;
  status: "undecided" | "elected" | "not-elected";
  /** asleep: a candidate before its round; asking: its requests are on their way; done: it has decided, or never asks. */
  stage: "asleep" | "asking" | "done";
  rank: LotRank | null;
  asked: number;
  won: number;
  refused: number;
  /** Whether it has heard a request in an earlier round: a referee lets somebody through only once. */
  spoken: boolean;
  /** This round's requests. */
  inbox: { readonly port: Port; readonly rank: LotRank }[];
  /** Where the leader is, once it has said so. */
  leader: Port | null;
}

type Timer = "wake" | "decide";
type Ctx = Context<RefereesMessage, Timer>;

export const referees: Protocol<RefereesParams, RefereesState, RefereesMessage, Timer> = {
  name: "referees",
  title: "Referees: few candidates ask 2 sqrt(n ln n) random processes each",
  citation: "Kutten, Pandurangan, Peleg, Robinson, Trehan, TCS 561, 2015, Algorithm 1",
  cost: "O(sqrt(n) log^1.5 n) messages, 2 rounds",
  assumes: {
    topology: "complete",
    identity: "anonymous",
    timing: "synchronous",
    start: "any",
    knows: ["n"],
    fifo: false,
    multicast: false,
    tolerates: [],
  },
  parameters: [
    ...believedParameters,
    {
      name: "referees",
      about: "processes that each candidate asks, at most n-1; far below sqrt(n) candidates no longer meet (Theorem 3)",
      type: "integer",
      min: 1,
      default: (n, before) => paperSample(believed(n, Number(before.estimate))),
    },
    {
      name: "wakeup",
      about: "simultaneous, or adversarial: nodes wake by the schedule `wake` or by their first message",
      type: ["simultaneous", "adversarial"],
      default: "simultaneous",
    },
    {
      name: "wake",
      about: "uniform:R (each in a round from 1 to R) or one-then-rest:R (one in round 1, the rest in round R)",
      type: "text",
      default: "uniform:10",
    },
    { name: "explicit", about: "the leader tells everybody: n-1 messages more", type: "boolean", default: false },
    {
      name: "answers",
      about: "winner: a referee answers the best request only (printed); all: it also refuses the others",
      type: ["winner", "all"],
      default: "winner",
    },
    {
      name: "threshold",
      about: "share of its referees that must let a leader through; below 1 it is safe only with answers=all",
      type: "share",
      default: 1,
    },
  ],
  measures: { candidates: "sum", wins: "sum", announcements: "sum" },

  refuse(params, n) {
    if (n < 2) return "needs at least 2 processes";
    return params.wakeup === "adversarial" ? parseWake(params.wake).problem : null;
  },

  wakes(params): WakeSchedule | null {
    return params.wakeup === "adversarial" ? parseWake(params.wake).schedule : null;
  },

  candidacy,

  init(params, self, _saved, ctx) {
    const state: RefereesState = {
      params,
      n: self.n!,
      candidate: self.candidate,
      status: self.candidate ? "undecided" : "not-elected",
      stage: self.candidate ? "asleep" : "done",
      rank: null,
      asked: 0,
      won: 0,
      refused: 0,
      spoken: false,
      inbox: [],
      leader: null,
    };
    if (!self.candidate) return state;
    ctx.measure("candidates", 1);
    if (self.wake === undefined) ask(state, ctx);
    else ctx.arm("wake", self.wake);
    return state;
  },

  receive(state, port, message) {
    if (message.kind === "leader") state.leader = port;
    else if (message.kind === "request") state.inbox.push({ port, rank: message.rank });
    else if (message.answer === "won") state.won++;
    else state.refused++;
  },

  expire(state, timer, ctx) {
    if (timer === "decide") decide(state, ctx);
  },

  endRound(state, _round, ctx) {
    referee(state, ctx);
    // Its own timer or somebody's request woke it; nothing else can reach a candidate that has not asked.
    if (state.stage === "asleep") ask(state, ctx);
  },

  verdict(state) {
    return { status: state.status, leader: null, term: 0 };
  },

  bits(message) {
    if (message.kind === "answer") return 3;
    return 3 + lotRankBits(message.rank);
  },
};

function ask(state: RefereesState, ctx: Ctx): void {
  ctx.disarm("wake");
  state.stage = "asking";
  state.rank = drawLotRank(believed(state.n, state.params.estimate), ctx);
  const ports = ctx.sample(Math.min(state.params.referees, ctx.degree));
  state.asked = ports.length;
  const request = { kind: "request", rank: state.rank } as const;
  for (const port of ports) ctx.send(port, request);
  ctx.arm("decide", 2);
}

/** Answers this round's requests. If it is the first round with requests, the best of them is let through. */
function referee(state: RefereesState, ctx: Ctx): void {
  const { inbox } = state;
  if (inbox.length === 0) return;
  const best = inbox.reduce((a, b) => (compareLotRanks(b.rank, a.rank) > 0 ? b : a));
  for (const { port } of inbox) {
    if (!state.spoken && port === best.port) {
      ctx.measure("wins", 1);
      ctx.send(port, { kind: "answer", answer: "won" });
    } else if (state.params.answers === "all") ctx.send(port, { kind: "answer", answer: "refused" });
  }
  state.spoken = true;
  state.inbox = [];
}

function decide(state: RefereesState, ctx: Ctx): void {
  const leads = state.refused === 0 && state.won >= Math.ceil(state.params.threshold * state.asked);
  state.stage = "done";
  state.status = leads ? "elected" : "not-elected";
  if (!leads || !state.params.explicit) return;
  ctx.measure("announcements", ctx.degree);
  for (let port = 0; port < ctx.degree; port++) ctx.send(port, { kind: "leader", rank: state.rank! });
}
