/**
 * Afek and Gafni, synchronous: candidates capture 1, 2, 4, ... further processes, phase by phase; a process can be captured by one
 * candidate in a phase, so that few are left when phases become large.
 *
 * Y. Afek, E. Gafni, "Time and message bounds for election in synchronous and asynchronous complete networks", SIAM J. Computing
 * 20(2), 1991: the synchronous algorithm, which is optimal among those that take O(n log n) messages.
 *
 * Model: complete graph, ids, synchronous, all who start do so in the first round; n is the number of links and one.
 * Cost: at most 3n ceil(log2 n) - n messages in 2 ceil(log2 n) rounds; then n - 1 messages and a round for the announcement.
 * Faults: none are tolerated. A candidate needs an answer from everybody, so after a crash nobody leads; nor do two.
 *
 * What differs from the source. There processes may start at different times, and messages carry a level, which counts the rounds
 * since the candidate's start; here levels would all be equal, and the id alone decides. Links are used in the order of their labels.
 * A process that starts is its own candidate's first capture. The announcement is not in the source.
 */
import { count, type Narrate, type Part } from "../../narrator.ts";
import type { Context, Id, Port, Protocol } from "../../protocol.ts";
import { bitLength } from "../bits.ts";
import { type Decision, ringVerdict } from "../ring/common.ts";

interface AfekGafniMessage {
  /** A candidate asks for a process; the process has been captured; everybody has. */
  readonly kind: "capture" | "captured" | "leader";
  readonly id: Id;
}

interface AfekGafniState extends Decision {
  readonly id: Id;
  /** Whether its candidate is in the race. */
  stands: boolean;
  phase: number;
  /** How many links its candidate has used, and how many captures of this phase are missing. */
  used: number;
  missing: number;
  /** The largest candidate that has captured it. */
  owner: Id | null;
  /** The largest candidate that asks in this round. */
  best: { readonly port: Port; readonly id: Id } | null;
}

type Ctx = Context<AfekGafniMessage, "answers">;

export const afekGafni: Protocol<Readonly<Record<string, never>>, AfekGafniState, AfekGafniMessage, "answers"> = {
  name: "afek-gafni",
  title: "Afek-Gafni: candidates capture twice as many processes in each phase",
  citation: "Afek and Gafni, SIAM J. Computing 20(2), 1991",
  cost: "O(n log n): at most 3n⌈log2 n⌉ - n messages in 2⌈log2 n⌉ rounds; plus n - 1 to announce",
  assumes: {
    topology: "complete",
    identity: "ids",
    timing: "synchronous",
    start: "any",
    knows: [],
    fifo: false,
    multicast: false,
    tolerates: [],
  },
  parameters: [],
  measures: { announcements: "sum", phases: "max" },

  init(_params, self, _saved, ctx) {
    const state: AfekGafniState = {
      id: self.id!,
      stands: self.initiator,
      phase: 0,
      used: 0,
      missing: 0,
      owner: self.initiator ? self.id : null,
      best: null,
      status: "undecided",
      leader: null,
    };
    if (self.initiator) enterPhase(state, ctx);
    return state;
  },

  receive(state, port, { kind, id }) {
    if (kind === "captured") state.missing--;
    else if (kind === "leader") noteLeader(state, "not-elected", id);
    else if (state.best === null || id > state.best.id) state.best = { port, id };
  },

  endRound(state, _round, ctx) {
    const { best, owner } = state;
    state.best = null;
    if (best === null || (owner !== null && owner > best.id)) return;
    state.owner = best.id;
    ctx.send(best.port, { kind: "captured", id: best.id });
  },

  expire(state, _timer, ctx) {
    if (state.missing === 0) enterPhase(state, ctx);
    else state.stands = false;
  },

  verdict: ringVerdict,

  bits: ({ id }) => 2 + bitLength(id),

  narrate: (before, event, after, scene) => tell(before, event, after, scene),
};

/** Twice as many links as before, or those that are left; the answers come two rounds later. */
function enterPhase(state: AfekGafniState, ctx: Ctx): void {
  const { id, used } = state;
  if (used === ctx.degree) {
    noteLeader(state, "elected", id);
    tellEverybody(id, ctx);
    return;
  }
  state.missing = Math.min(2 ** state.phase, ctx.degree - used);
  state.used += state.missing;
  ctx.measure("phases", ++state.phase);
  for (const port of ctx.ports().slice(used, state.used)) ctx.send(port, { kind: "capture", id });
  ctx.arm("answers", 2);
}

export function noteLeader(state: Decision, status: "elected" | "not-elected", leader: Id): void {
  state.status = status;
  state.leader = leader;
}

/** Everybody is told. */
export function tellEverybody(id: Id, ctx: Context<{ kind: "leader"; id: Id }>): void {
  for (const port of ctx.ports()) {
    ctx.measure("announcements", 1);
    ctx.send(port, { kind: "leader", id });
  }
}

/** The part in a picture of a process, and of the candidate that it may have. */
export function capturePart({ status, stands, owner }: Decision & { stands: boolean; owner: unknown }): Part {
  if (status !== "undecided") return status === "elected" ? "leads" : "informed";
  return stands ? "contends" : owner === null ? "idle" : "out";
}

const tell: Narrate<AfekGafniState, AfekGafniMessage> = (before, event, after) => {
  const part = capturePart(after);
  const asks = `asks ${count(after.missing, "process", "processes")} in phase ${after.phase}`;
  if (event.do === "timer") {
    if (after.status === "elected") return { says: "has captured everybody: it leads", brief: "leads", part };
    if (after.stands) return { says: `has all its captures and ${asks}`, brief: `asks ${after.missing}`, part };
    const missing = count(after.missing, "capture");
    return {
      says: `gives up: ${missing} of phase ${after.phase} ${after.missing === 1 ? "is" : "are"} missing`,
      brief: "gives up",
      part,
    };
  }
  if (event.do === "end-round") {
    const { best, owner } = before!;
    if (best === null) return { says: "has nothing to decide", brief: null, part };
    if (event.sent.length === 0)
      return { says: `does not answer id ${best.id}: it belongs to id ${owner}`, brief: null, part };
    const former = owner === null || owner === after.id ? "" : ` instead of id ${owner}`;
    return { says: `is captured by id ${best.id}${former}`, brief: `captured by ${best.id}`, part };
  }
  if (event.do !== "deliver") {
    if (after.status === "elected") return { says: "leads: it is alone", brief: "leads", part };
    if (!after.stands) return { says: "waits: it has not started", brief: null, part };
    return { says: `stands with its id, ${after.id}, and ${asks}`, brief: `asks ${after.missing}`, part };
  }
  const { kind, id } = event.message;
  if (kind === "leader") return { says: `learns that id ${id} leads`, brief: `${id} leads`, part };
  if (kind === "captured") return { says: "has captured a process", brief: null, part };
  return { says: `hears that id ${id} asks for it`, brief: null, part };
};
