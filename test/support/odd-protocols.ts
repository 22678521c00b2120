/** Protocols that nobody here would write: each uses some part of the contract in a way of its own. */
import type { Context, Port, Self, Verdict } from "../../src/protocol.ts";
import { SELF } from "../../src/protocol.ts";

const verdictOf = (leads: boolean | null, leader: number | null = null): Verdict => ({
  status: leads === null ? "undecided" : leads ? "elected" : "not-elected",
  leader,
  term: 0,
});

interface Drawn {
  n: number;
  mine: bigint;
  heard: bigint[];
}

/** Anonymous, on a complete graph, with lots as bigints: the largest of all lots leads. */
export const bigLots = {
  name: "big-lots",
  assumes: { topology: "complete", identity: "anonymous", knows: ["n"], start: "common" },
  init(_: object, { n }: Self, __: null, ctx: Context<bigint>): Drawn {
    const mine = (BigInt(ctx.choose(2 ** 30)) << 64n) + BigInt(ctx.choose(2 ** 30));
    for (const port of ctx.ports()) ctx.send(port, mine);
    return { n: n!, mine, heard: [] };
  },
  receive(state: Drawn, _: Port, lot: bigint) {
    state.heard.push(lot);
  },
  verdict: ({ n, mine, heard }: Drawn) => verdictOf(heard.length < n - 1 ? null : heard.every((lot) => lot < mine)),
} as const;

interface Waiting {
  readonly id: number;
  best: number;
  round: number;
  readonly until: number;
}

/** Synchronous: floods the best id for as many rounds as a parameter says, and counts them in endRound. */
export const roundCounter = {
  name: "round-counter",
  title: "Flooding in rounds",
  assumes: { topology: "connected", timing: "synchronous", start: "common", knows: ["n"] },
  parameters: [
    { name: "rounds", about: "how long ids are flooded", type: "integer", min: 1, default: (n: number) => n },
  ],
  measures: { improvements: "sum", last: "max" },
  init({ rounds }: { rounds: number }, { id }: Self, _: null, ctx: Context<number, "next">): Waiting {
    for (const port of ctx.ports()) ctx.send(port, id!);
    ctx.arm("next", 1);
    return { id: id!, best: id!, round: 0, until: rounds };
  },
  receive(state: Waiting, _: Port, id: number, ctx: Context<number, "next">) {
    if (id <= state.best) return;
    state.best = id;
    ctx.measure("improvements", 1);
  },
  expire() {},
  endRound(state: Waiting, round: number, ctx: Context<number, "next">) {
    state.round = round;
    ctx.measure("last", round);
    if (round >= state.until) return;
    for (const port of ctx.ports()) ctx.send(port, state.best);
    ctx.arm("next", 1);
  },
  verdict: ({ id, best, round, until }: Waiting) =>
    verdictOf(round < until ? null : id === best, round < until ? null : best),
} as const;

type StarState = { readonly centre: true; asked: boolean } | { readonly centre: false; chosen: boolean | null };

/** A star whose centre appoints one host at random, by a word that is a parameter. */
export const appointed = {
  name: "appointed",
  assumes: { topology: "star", identity: "anonymous" },
  parameters: [
    { name: "word", about: "what the centre says", type: "text", default: "lead" },
    { name: "polite", about: "whether the others are told too", type: "boolean", default: true },
  ],
  init(
    { word, polite }: { word: string; polite: boolean },
    { initiator }: Self,
    _: null,
    ctx: Context<string>,
  ): StarState {
    if (!initiator) return { centre: false, chosen: null };
    const chosen = ctx.choose(ctx.degree);
    for (const port of ctx.ports()) if (port === chosen || polite) ctx.send(port, port === chosen ? word : "no");
    return { centre: true, asked: true };
  },
  receive(state: StarState, _: Port, word: string) {
    if (!state.centre) state.chosen = word !== "no";
  },
  verdict: (state: StarState) => verdictOf(state.centre ? false : state.chosen),
} as const;

interface Voter {
  readonly id: number;
  voted: number | null;
  votes: number;
  leader: number | null;
}
type Ballot = { readonly kind: "ask" | "vote" | "won"; readonly id: number };

/** Votes once, saves it before it says so, and multicasts the result; candidates stand by a coin. */
export class SavedVotes {
  readonly name = "saved-votes";
  readonly assumes = {
    topology: "complete",
    multicast: true,
    knows: ["n"],
    tolerates: ["loss", "crash"],
  } as const;
  readonly measures = { votes: "sum" } as const;
  private readonly most = 3;
  candidacy(_: object, n: number): number {
    return Math.min(1, this.most / n);
  }
  init(_: object, { id, candidate, n }: Self, saved: number | null, ctx: Context<Ballot>): Voter & { n: number } {
    const state: Voter & { n: number } = { id: id!, n: n!, voted: saved, votes: 0, leader: null };
    if (candidate && saved === null) {
      state.voted = id!;
      state.votes = 1;
      ctx.multicast({ kind: "ask", id: id! });
      if (n === 1) state.leader = id!;
    }
    return state;
  }
  receive(state: Voter & { n: number }, port: Port, { kind, id }: Ballot, ctx: Context<Ballot>): void {
    if (kind === "won") state.leader = id;
    else if (kind === "ask") {
      if (state.voted !== null) return;
      state.voted = id;
      ctx.measure("votes", 1);
      ctx.send(port, { kind: "vote", id: state.id });
    } else if (++state.votes * 2 > state.n && state.leader === null) {
      state.leader = state.id;
      ctx.multicast({ kind: "won", id: state.id });
    }
  }
  saved(state: Voter): number | null {
    return state.voted;
  }
  verdict({ id, leader }: Voter): Verdict {
    return verdictOf(leader === null ? null : leader === id, leader);
  }
}
export const savedVotes = new SavedVotes();

interface Slow {
  readonly id: number;
  largest: number;
  done: boolean;
}

/** Partially synchronous, with a deadline and messages to itself: after so long the largest id heard leads. */
export const patient = {
  name: "patient",
  citation: "Nobody, Nowhere, 2026",
  cost: "n(n-1) messages",
  assumes: { topology: "complete", timing: "partial", start: "common", tolerates: ["pause"], fifo: false },
  parameters: [{ name: "wait", about: "delays to wait", type: "number", min: 1, default: 3 }],
  init({ wait }: { wait: number }, { id }: Self, _: null, ctx: Context<number | "over", "end">): Slow {
    for (const port of ctx.ports()) ctx.send(port, id!);
    ctx.deadline("end", wait);
    return { id: id!, largest: id!, done: false };
  },
  receive(state: Slow, port: Port, message: number | "over") {
    if (message === "over") state.done = port === SELF;
    else state.largest = Math.max(state.largest, message);
  },
  expire(_state: Slow, _timer: "end", ctx: Context<number | "over", "end">) {
    ctx.send(SELF, "over");
  },
  counts: (message: number | "over") => message !== "over",
  bits: () => 16,
  accepts: (message: unknown) => typeof message === "number",
  verdict: ({ id, largest, done }: Slow) => verdictOf(done ? id === largest : null, done ? largest : null),
} as const;

interface Beat {
  readonly id: number;
  last: number;
}

/** Never falls silent: the first of a ring sends a beat around for ever. */
export const heartbeat = {
  name: "heartbeat",
  assumes: { topology: "ring" },
  measures: { beats: "sum" },
  initiators: 1,
  init(_: object, { id, initiator }: Self, __: null, ctx: Context<number, "beat">): Beat {
    if (initiator) ctx.arm("beat", 1, 2);
    return { id: id!, last: initiator ? id! : 0 };
  },
  receive(state: Beat, _: Port, id: number, ctx: Context<number, "beat">) {
    state.last = id;
    if (id !== state.id) ctx.send(0, id);
    ctx.measure("beats", 1);
  },
  expire(state: Beat, _: "beat", ctx: Context<number, "beat">) {
    ctx.send(0, state.id);
    ctx.arm("beat", 1, 2);
  },
  verdict: ({ id, last }: Beat) => verdictOf(last === 0 ? null : last === id, last === 0 ? null : last),
} as const;

interface Acquainted {
  readonly id: number;
  readonly n: number;
  known: number[];
}

/** Links by address: everybody tells the seeds whom it knows, who tell it back; the largest of all n leads. */
export const acquaintance = {
  name: "acquaintance",
  assumes: { topology: "open", start: "common", knows: ["n"] },
  init(_: object, { id, n, seeds }: Self, __: null, ctx: Context<readonly number[]>): Acquainted {
    for (const seed of seeds) ctx.send(ctx.link(seed), [id!]);
    return { id: id!, n: n!, known: [id!] };
  },
  receive(state: Acquainted, _: Port, ids: readonly number[], ctx: Context<readonly number[]>) {
    const fresh = ids.filter((id) => !state.known.includes(id));
    if (fresh.length === 0) return;
    state.known = [...state.known, ...fresh];
    for (const port of ctx.ports()) ctx.send(port, [...state.known]);
  },
  verdict: ({ id, n, known }: Acquainted) =>
    verdictOf(known.length < n ? null : id === Math.max(...known), known.length < n ? null : Math.max(...known)),
} as const;

/** Fails as soon as it hears anything. */
export const clumsy = {
  ...heartbeat,
  name: "clumsy",
  receive(state: Beat & { heard?: number[] }, _: Port, id: number) {
    state.heard!.push(id);
  },
} as const;
