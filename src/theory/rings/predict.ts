/** Elections on rings: means without loss; under loss, the chance that every message the winner cannot do without arrives. */
import { binomialTerms, lnChoose } from "../chance.ts";
import type { Method, Prediction, Question } from "../prediction.ts";
import { itaiRodehElects, itaiRodehMeans } from "./itai-rodeh.ts";
import { petersonPhases, petersonRounds } from "./peterson.ts";
import {
  around,
  changRobertsBest,
  changRobertsPrinted,
  changRobertsWorst,
  hirschbergSinclairMean,
  hirschbergSinclairPhases,
  hirschbergSinclairSharpBound,
  petersonBound,
  petersonMessages,
  type Stop,
} from "./rings.ts";
import { timeSliceCosts } from "./time-slice.ts";

/** What a ring of live processes does when some of them start. */
interface Means {
  readonly elects: number;
  readonly messages: number | null;
  readonly rounds: number | null;
  readonly method: Method;
}

type Params = Question["params"];
/** What is known of an election on a ring of this many live processes, n of which were there before some crashed. */
type Ring = (live: number, starters: number, loss: number, params: Params, n: number) => Means;

/** Up to this n the number of live processes is followed exactly, and up to this many initiators theirs; above, the mean is enough. */
const SMALL = 128;

const changRoberts: Ring = (live, starters, loss, params) => {
  const plain = params.passive !== "join" || starters === live;
  const elects = (1 - loss) ** live * (plain ? 1 : wakesTheBest(live, starters, loss));
  const travelling = params.reading === "printed" ? null : plain ? idsOnTheWay(live, starters, loss) : null;
  const printed = params.reading === "printed" && loss === 0 && plain ? changRobertsPrinted(live, starters) : null;
  const election = travelling ?? printed;
  return {
    elects,
    messages: election === null ? null : election + elects * around(live, loss),
    rounds: loss === 0 && params.spread === 0 && plain ? 2 * live : null,
    method: plain || loss === 0 ? "exact" : "approximation",
  };
};

const hirschbergSinclair: Ring = (live, starters, loss, params) => {
  const stop = params.stop as Stop;
  const phases = hirschbergSinclairPhases(live, stop);
  const home = 2 ** (phases - 1) >= live;
  // Probes and replies of the winner, both ways; where they come home either probe is enough.
  const before = 4 * (2 ** (home ? phases - 1 : phases) - 1);
  const last = home ? 1 - (1 - (1 - loss) ** live) ** 2 : 1;
  const all = starters === live && loss === 0;
  return {
    elects: (1 - loss) ** before * last,
    messages: all ? hirschbergSinclairMean(live, stop) + live : null,
    rounds: all && params.spread === 0 ? before / 2 + (home ? 2 : 1) * live : null,
    method: loss > 0 && params.passive === "join" && starters < live ? "approximation" : "exact",
  };
};

const peterson: Ring = (live, starters, loss, params) => {
  const joins = params.passive === "join" && starters < live;
  // Between two initiators far apart those join that are larger than all before them: of these, the first phase leaves the last.
  const phases = petersonPhases(starters) + (joins ? 1 - starters / live : 0);
  const election = petersonMessages(live, phases);
  return {
    elects: (1 - loss) ** election,
    messages: loss === 0 && !joins ? election + live : null,
    rounds: loss === 0 && starters === live && params.spread === 0 ? petersonRounds(live) : null,
    method: "approximation",
  };
};

const timeSlice: Ring = (live, contenders, loss, params, n) => {
  // If the very first hop is lost nobody has heard anything, and the next smallest id tries the same.
  const elects = loss === 1 ? 0 : (1 - loss) ** (live - 1) * (1 - loss ** contenders);
  const { messages, rounds } = timeSliceCosts({ n, live, contenders, loss });
  return {
    elects,
    messages,
    rounds: params.spread === 0 ? rounds : null,
    method: loss === 0 ? "exact" : "approximation",
  };
};

const itaiRodeh: Ring = (live, starters, loss, params) => {
  const { messages, phases } = itaiRodehMeans(live, Number(params.range), starters);
  return {
    // Messages of those that lose need not arrive.
    elects: loss === 0 ? 1 : itaiRodehElects(Number(params.range), starters, (1 - loss) ** live),
    messages: loss === 0 ? messages + live : null,
    rounds: loss === 0 && starters === live ? live * (phases + 1) : null,
    method: loss === 0 ? "exact" : "approximation",
  };
};
type Bounds = (n: number) => Record<string, number>;

/**
 * `bounds`: what no run can exceed, or fall below, when all start and nothing is lost; the announcement included. "worst" and "best"
 * are attained, "atMost" is not: of eight, Hirschberg and Sinclair's sends at most 97, and the bound says 120.
 */
export const onRing =
  (ring: Ring, bounds: Bounds | null) =>
  (question: Question): Prediction =>
    predictRing(question, ring, bounds);

export const predictChangRoberts = onRing(changRoberts, (n) => ({
  worst: changRobertsWorst(n) + n,
  best: changRobertsBest(n) + n,
}));
export const predictHirschbergSinclair = onRing(hirschbergSinclair, (n) => ({
  atMost: hirschbergSinclairSharpBound(n) + n,
}));
export const predictPeterson = onRing(peterson, (n) => ({ atMost: petersonBound(n) + n }));
// Who joins speaks in its slot, whether anybody has started or not.
export const predictTimeSlice = (question: Question): Prediction =>
  onRing(timeSlice, (n) => ({ worst: n }))(
    question.params.passive === "join" ? { ...question, initiators: question.n } : question,
  );
export const predictItaiRodeh = onRing(itaiRodeh, null);

export const predictKnownHighest = ({ crash }: Question): Prediction => ({
  method: "exact",
  success: 1 - crash,
  pNone: crash,
  pMany: 0,
  messages: 0,
  rounds: 0,
  factors: null,
  optimum: null,
});

function predictRing(question: Question, ring: Ring, bounds: Bounds | null): Prediction {
  const { n, params, initiators, loss, crash } = question;
  const cases = n <= SMALL ? everyCase(n, initiators, crash) : meanCase(n, initiators, crash);
  let elects = 0;
  let messages: number | null = 0;
  let rounds: number | null = 0;
  let method: Method = n <= SMALL || crash === 0 ? "exact" : "approximation";
  for (const { p, live, starters } of cases) {
    // Where nobody starts, nothing happens.
    if (starters === 0) continue;
    const means = ring(live, starters, loss, params, n);
    elects += p * means.elects;
    messages = messages === null || means.messages === null ? null : messages + p * means.messages;
    rounds = rounds === null || means.rounds === null ? null : rounds + p * means.rounds;
    if (means.method !== "exact") method = means.method;
  }
  return {
    method,
    success: Math.min(1, elects),
    pNone: Math.max(0, 1 - elects),
    pMany: 0,
    messages,
    rounds,
    factors: bounds?.(n) ?? null,
    optimum: null,
  };
}

interface Case {
  readonly p: number;
  readonly live: number;
  readonly starters: number;
}

/** Crashes strike initiators and others alike. */
function everyCase(n: number, initiators: number, crash: number): Case[] {
  return binomialTerms(initiators, 1 - crash).flatMap((starters) =>
    binomialTerms(n - initiators, 1 - crash).map((others) => ({
      p: starters.p * others.p,
      live: starters.value + others.value,
      starters: starters.value,
    })),
  );
}

function meanCase(n: number, initiators: number, crash: number): Case[] {
  if (crash === 0) return [{ p: 1, live: n, starters: initiators }];
  if (initiators <= SMALL) {
    const others = Math.round((n - initiators) * (1 - crash));
    return binomialTerms(initiators, 1 - crash).map(({ value: starters, p }) => ({
      p,
      starters,
      live: starters + others,
    }));
  }
  const nobody = crash ** initiators;
  const starters = Math.max(1, Math.round(initiators * (1 - crash)));
  const live = Math.max(starters, Math.round(n * (1 - crash)));
  return [{ p: 1 - nobody, live, starters }];
}

/**
 * passive=join: the largest id goes around only once the election has come to its node, by a chain of messages from the nearest
 * initiator before it; none of the h nodes up to its own is one with the chance of a hypergeometric miss.
 */
function wakesTheBest(live: number, starters: number, loss: number): number {
  let sum = 0;
  let before = 1;
  for (let h = 1; h <= live - starters + 1; h++) {
    const none = h > live - starters ? 0 : Math.exp(lnChoose(live - h, starters) - lnChoose(live, starters));
    sum += (before - none) * (1 - loss) ** (h - 1);
    before = none;
  }
  return sum;
}

/**
 * The mean number of messages that carry ids of Chang-Roberts: the h-th hop is made by an id that is larger than those of
 * the initiators among the h-1 nodes passed, and that has not been lost. Without loss the sum is n H_K.
 */
function idsOnTheWay(n: number, initiators: number, loss: number): number {
  let sum = 0;
  let arrives = 1;
  for (let hop = 1; hop <= n && arrives > 1e-18; hop++) {
    const alone = hop > n - initiators ? 0 : Math.exp(lnChoose(n - hop, initiators) - lnChoose(n, initiators));
    sum += (arrives * n * (1 - alone)) / hop;
    arrives *= 1 - loss;
  }
  return sum;
}
