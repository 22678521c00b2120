/**
 * Referees without rounds: a candidate asks m random processes, itself perhaps among them; a referee waits a while from the
 * first request on, endorses the best rank it has heard, once and for all, and answers everybody. A candidate leads
 * with endorsements of more than half of those it asked, so dead referees and lost messages do not spoil an election.
 *
 * After S. Kutten, G. Pandurangan, D. Peleg, P. Robinson, A. Trehan, "Sublinear bounds for randomized leader election",
 * Theoretical Computer Science 561, 2015, Algorithm 1; window, refusals, threshold and second request are ours.
 *
 * Model: complete graph, anonymous, n known; messages take at most tau, which only liveness needs where m = n: two majorities of
 * all processes share a referee, and it endorses once. So at most one leads there under every schedule, loss, crash and pause.
 * Where m < n two sets share about m²/n referees, which is no majority, so there one refusal is enough to lose, and two
 * lead only if no shared referee heard both and told the loser: theory/kutten/referees-async.ts.
 * Cost: about 2m messages a candidate; (2 + window) tau, twice that where too few answers came, and less where m = n.
 */
import { type Context, type Port, type Protocol, SELF } from "../../protocol.ts";
import { ln } from "../../random/ln.ts";
import { refereesFor } from "../../theory/kutten/referees-async.ts";
import { bitLength } from "../bits.ts";
import { startWithin } from "../ring/common.ts";
import { hasShape, isCount } from "../shape.ts";
import { refuseTimed } from "./parameters.ts";
import { waitFor } from "./second-phase.ts";

interface RefereesAsyncParams {
  readonly candidates: number;
  readonly m: number;
  readonly threshold: number;
  readonly tau: number;
  readonly window: number;
  readonly tries: number;
  readonly spread: number;
}

export type RefereesAsyncMessage =
  | { readonly kind: "request"; readonly rank: number }
  | { readonly kind: "endorsed" }
  | { readonly kind: "refused" };

/** What a candidate has asked for, and what came of it. */
interface Bid {
  readonly rank: number;
  readonly asked: number;
  /** Endorsements that it takes. */
  readonly needed: number;
  /** Whether one refusal is enough to lose: two could have so many endorsements without a common referee. */
  readonly veto: boolean;
  readonly silent: Set<Port>;
  endorsed: number;
  refused: number;
  tries: number;
}

/** What a referee has heard. While its window is open it has endorsed nobody; afterwards that never changes. */
interface RefereeHearing {
  readonly heard: Set<Port>;
  best: { readonly port: Port; readonly rank: number };
  open: boolean;
}

export interface RefereesAsyncState {
  readonly params: RefereesAsyncParams;
  readonly candidate: boolean;
  status: "undecided" | "elected" | "not-elected";
  bid: Bid | null;
  hearing: RefereeHearing | null;
}

type Timer = "start" | "window" | "answers";
type Ctx = Context<RefereesAsyncMessage, Timer>;

/** Equal ranks are as rare as 2^-53 for each pair of candidates, and then the first one heard stays the best. */
const RANKS = 2 ** 53;

const DEFAULT_EPSILON = 1e-6;

export const refereesAsync: Protocol<RefereesAsyncParams, RefereesAsyncState, RefereesAsyncMessage, Timer> = {
  name: "referees-async",
  title: "Referees without rounds: a majority of those asked, each of which endorses one candidate after a while",
  citation: "after Kutten, Pandurangan, Peleg, Robinson, Trehan, TCS 561, 2015, Algorithm 1",
  cost: "about 2m messages a candidate, 2 to 6 tau, one leader for sure where m = n",
  assumes: {
    topology: "complete",
    identity: "anonymous",
    timing: "partial",
    start: "any",
    knows: ["n"],
    fifo: false,
    multicast: false,
    tolerates: ["loss", "crash", "pause"],
  },
  parameters: [
    {
      name: "candidates",
      about: "expected number of candidates: 2 ln n as in the paper, all of up to 3; a parent may name them instead",
      type: "number",
      min: 0,
      default: (n) => (n <= 3 ? n : 2 * ln(n)),
    },
    {
      name: "m",
      about:
        "how many referees each candidate asks; by default all of up to 64, then so many that two lead once in a million",
      type: "integer",
      min: 1,
      default: (n) => refereesFor({ n, loss: 0, epsilon: DEFAULT_EPSILON }),
    },
    {
      name: "threshold",
      about: "a leader has more than this share of endorsements from those it asked; below a half two may lead",
      type: "share",
      min: 0.5,
      default: 0.5,
    },
    {
      name: "tau",
      about: "bound on the delay of a message, in the host's time; what is later counts as lost",
      type: "number",
      default: (_n, _before, { maxDelay }) => maxDelay,
    },
    {
      name: "window",
      about:
        "how many tau a referee waits from the first request on; below 1 candidates that start together may all lose",
      type: "number",
      min: 0,
      default: 1,
    },
    {
      name: "tries",
      about: "how often a candidate asks those who are silent while too few have endorsed it",
      type: "integer",
      min: 1,
      default: 2,
    },
    {
      name: "spread",
      about: "candidates start at random times within this many tau",
      type: "number",
      min: 0,
      default: 0,
    },
  ],
  measures: { candidates: "sum", endorsements: "sum", refusals: "sum", repeated: "sum", unanswered: "sum" },

  refuse: refuseTimed,

  candidacy: ({ candidates }, n) => Math.min(1, candidates / n),

  init(params, { candidate }, _saved, ctx) {
    const state: RefereesAsyncState = {
      params,
      candidate,
      status: candidate ? "undecided" : "not-elected",
      bid: null,
      hearing: null,
    };
    if (!candidate) return state;
    ctx.measure("candidates", 1);
    startWithin(params.spread * params.tau, () => stand(state, ctx), ctx);
    return state;
  },

  receive(state, port, message, ctx) {
    if (message.kind === "request") hear(state, port, message.rank, ctx);
    else hearAnswer(state, port, message.kind, ctx);
  },

  expire(state, timer, ctx) {
    if (timer === "start") stand(state, ctx);
    else if (timer === "window") close(state, ctx);
    else overdue(state, ctx);
  },

  verdict: ({ status }) => ({ status, leader: null, term: 0 }),

  accepts(message) {
    const { kind } = (message ?? {}) as { kind?: unknown };
    if (kind === "endorsed" || kind === "refused") return true;
    return kind === "request" && hasShape(message, { rank: isCount });
  },

  bits: (message) => (message.kind === "request" ? 2 + bitLength(message.rank) : 2),
};

function stand(state: RefereesAsyncState, ctx: Ctx): void {
  const { m, threshold } = state.params;
  const ports = ctx.sample(Math.min(m, ctx.degree + 1), SELF);
  const asked = ports.length;
  const needed = Math.min(asked, Math.floor(threshold * asked) + 1);
  const rank = ctx.choose(RANKS, "rank");
  const veto = 2 * needed <= ctx.degree + 1;
  state.bid = { rank, asked, needed, veto, silent: new Set(ports), endorsed: 0, refused: 0, tries: 0 };
  ask(state, ctx);
  // Its own referee hears it at once, and no message is spent on that.
  if (state.bid.silent.has(SELF)) hear(state, SELF, rank, ctx);
}

function ask({ bid, params }: RefereesAsyncState, ctx: Ctx): void {
  const { rank, silent } = bid!;
  bid!.tries++;
  const request = { kind: "request", rank } as const;
  for (const port of silent) if (port !== SELF) ctx.send(port, request);
  ctx.arm("answers", waitFor(2 + params.window, params));
}

function hear(state: RefereesAsyncState, port: Port, rank: number, ctx: Ctx): void {
  const { hearing, params } = state;
  if (hearing === null) {
    state.hearing = { heard: new Set([port]), best: { port, rank }, open: true };
    ctx.arm("window", waitFor(params.window, params));
  } else if (!hearing.open) {
    answer(state, port, ctx);
    return;
  } else {
    hearing.heard.add(port);
    if (rank > hearing.best.rank) hearing.best = { port, rank };
  }
  // Nobody is left who could ask.
  if (state.hearing!.heard.size > ctx.degree) close(state, ctx);
}

/** The window has passed: from now on it has endorsed the best, and nobody else ever. */
function close(state: RefereesAsyncState, ctx: Ctx): void {
  const hearing = state.hearing!;
  hearing.open = false;
  ctx.disarm("window");
  for (const port of hearing.heard) answer(state, port, ctx);
}

/** Also to those who ask again, or too late: the answer is always the same. */
function answer(state: RefereesAsyncState, port: Port, ctx: Ctx): void {
  const kind = port === state.hearing!.best.port ? "endorsed" : "refused";
  if (port === SELF) hearAnswer(state, SELF, kind, ctx);
  else ctx.send(port, { kind });
}

function hearAnswer(state: RefereesAsyncState, port: Port, kind: "endorsed" | "refused", ctx: Ctx): void {
  const { bid } = state;
  if (bid === null || state.status !== "undecided" || !bid.silent.delete(port)) return;
  bid[kind]++;
  ctx.measure(kind === "endorsed" ? "endorsements" : "refusals", 1);
  const tolerated = bid.veto ? 0 : bid.asked - bid.needed;
  if (bid.refused > tolerated) decide(state, "not-elected", ctx);
  // Whom a refusal would stop waits for those that may still come.
  else if (bid.endorsed >= bid.needed && (!bid.veto || bid.silent.size === 0)) decide(state, "elected", ctx);
}

/** Whatever was answered in time has come. */
function overdue(state: RefereesAsyncState, ctx: Ctx): void {
  const { bid, params } = state;
  if (bid!.endorsed >= bid!.needed) decide(state, "elected", ctx);
  else if (bid!.tries < params.tries) {
    ctx.measure("repeated", bid!.silent.size);
    ask(state, ctx);
  } else {
    ctx.measure("unanswered", 1);
    decide(state, "not-elected", ctx);
  }
}

function decide(state: RefereesAsyncState, status: "elected" | "not-elected", ctx: Ctx): void {
  state.status = status;
  ctx.disarm("answers");
}
