/**
 * Afek and Gafni, asynchronous: candidates capture one process after the other; who asks for a captured process must first kill
 * its owner, and the one with more captures survives.
 *
 * Y. Afek, E. Gafni, "Time and message bounds for election in synchronous and asynchronous complete networks", SIAM J. Computing
 * 20(2), 1991: algorithm B, the second of three asynchronous ones. The third needs 2n log2 n + O(n) messages, and is not here.
 *
 * Model: complete graph, ids, asynchronous; n is the number of links and one.
 * Cost: at most 4nH_(n-1) messages: those who come to l captures own l + 1 processes each, so there are at most n/(l + 1) of them,
 * and a capture takes at most four messages. The winner's captures follow each other: at most 4(n - 1) delays. Then n - 1 messages
 * for the announcement, which is not in the source. 3(n - 1) in all where only one process starts.
 * Faults: pauses. A candidate needs an answer from everybody, so after a crash or a loss nobody may lead; never do two.
 *
 * What differs from the source: messages have four kinds instead of one; links are used in the order of their labels; a process
 * that starts belongs to its own candidate at first, and both talk without messages.
 */
import type { Narrate } from "../../narrator.ts";
import { type Context, type Id, type Port, type Protocol, SELF } from "../../protocol.ts";
import { bitLength } from "../bits.ts";
import { type Decision, ringVerdict } from "../ring/common.ts";
import { capturePart, noteLeader, tellEverybody } from "./afek-gafni.ts";

/** How strong a candidate is: by its captures, then by its id. */
interface Claim {
  readonly level: number;
  readonly id: Id;
}

type AfekGafniAsyncMessage =
  /** A candidate asks for a process; the process asks its owner to give way; the owner does. */
  | ({ readonly kind: "capture" | "kill" | "killed" } & Claim)
  /** To the candidate: the process is its own. */
  | { readonly kind: "captured" }
  | { readonly kind: "leader"; readonly id: Id };

interface AfekGafniAsyncState extends Decision {
  readonly id: Id;
  /** Its candidate: whether it is in the race, its captures, and the links that it has used. */
  stands: boolean;
  level: number;
  used: number;
  /** The strongest claim of others to this process so far, and where it came from. */
  claim: Claim | null;
  claimant: Port;
  /** Where its owner is; null where it has none. */
  owner: Port | null;
}

type Ctx = Context<AfekGafniAsyncMessage>;

export const afekGafniAsync: Protocol<Readonly<Record<string, never>>, AfekGafniAsyncState, AfekGafniAsyncMessage> = {
  name: "afek-gafni-async",
  title: "Afek-Gafni, asynchronous: candidates capture one process after the other",
  citation: "Afek and Gafni, SIAM J. Computing 20(2), 1991, algorithm B",
  cost: "O(n log n): at most 4n·H_(n-1) messages; plus n - 1 to announce",
  assumes: {
    topology: "complete",
    identity: "ids",
    timing: "asynchronous",
    start: "any",
    knows: [],
    fifo: false,
    multicast: false,
    tolerates: ["pause"],
  },
  parameters: [],
  measures: { announcements: "sum" },

  init(_params, self, _saved, ctx) {
    const id = self.id!;
    const state: AfekGafniAsyncState = {
      id,
      stands: self.initiator,
      level: 0,
      used: 0,
      claim: null,
      claimant: SELF,
      owner: self.initiator ? SELF : null,
      status: "undecided",
      leader: null,
    };
    if (self.initiator) captureNext(state, ctx);
    return state;
  },

  receive(state, port, message, ctx) {
    switch (message.kind) {
      case "capture":
        claimed(state, port, message, ctx);
        break;
      case "kill":
        if (givesWay(state, message)) ctx.send(port, { ...message, kind: "killed" });
        break;
      case "killed":
        if (isStronger(message, state.claim!) === isStronger(state.claim!, message)) changeOwner(state, ctx);
        break;
      case "captured":
        if (!state.stands) break;
        state.level++;
        captureNext(state, ctx);
        break;
      case "leader":
        noteLeader(state, "not-elected", message.id);
    }
  },

  verdict: ringVerdict,

  bits(message) {
    if (message.kind === "captured") return 3;
    return 3 + bitLength(message.id) + (message.kind === "leader" ? 0 : bitLength(message.level));
  },

  narrate: (before, event, after, scene) => tell(before, event, after, scene),
};

const isStronger = (a: Claim, b: Claim): boolean => a.level > b.level || (a.level === b.level && a.id > b.id);

function captureNext(state: AfekGafniAsyncState, ctx: Ctx): void {
  const { id, level } = state;
  if (state.used === ctx.degree) {
    noteLeader(state, "elected", id);
    tellEverybody(id, ctx);
  } else ctx.send(ctx.ports()[state.used++], { kind: "capture", level, id });
}

/** Weaker claims than an earlier one are not answered: their candidates wait for ever. */
function claimed(state: AfekGafniAsyncState, port: Port, { level, id }: Claim, ctx: Ctx): void {
  const claim = { level, id };
  if (state.claim !== null && isStronger(state.claim, claim)) return;
  state.claim = claim;
  state.claimant = port;
  if (state.owner === null || (state.owner === SELF && givesWay(state, claim))) changeOwner(state, ctx);
  else if (state.owner !== SELF) ctx.send(state.owner, { kind: "kill", level, id });
}

/** Whether its candidate is weaker, and so out of the race. */
function givesWay(state: AfekGafniAsyncState, claim: Claim): boolean {
  if (!isStronger(claim, state)) return false;
  state.stands = false;
  return true;
}

function changeOwner(state: AfekGafniAsyncState, ctx: Ctx): void {
  state.owner = state.claimant;
  ctx.send(state.owner, { kind: "captured" });
}

const strength = ({ level, id }: Claim): string => `id ${id} at level ${level}`;

const tell: Narrate<AfekGafniAsyncState, AfekGafniAsyncMessage> = (before, event, after) => {
  const part = capturePart(after);
  if (event.do !== "deliver") {
    if (after.status === "elected") return { says: "leads: it is alone", brief: "leads", part };
    if (!after.stands) return { says: "waits: it has not started", brief: null, part };
    return {
      says: `stands with its id, ${after.id}, and asks for the first process`,
      brief: `stands with ${after.id}`,
      part,
    };
  }
  const { message } = event;
  const isOut = before?.stands === true && !after.stands ? ", and its own candidate is out" : "";
  switch (message.kind) {
    case "leader":
      return { says: `learns that id ${message.id} leads`, brief: `${message.id} leads`, part };
    case "captured":
      if (after.status === "elected") return { says: "has captured everybody: it leads", brief: "leads", part };
      if (!after.stands) return { says: "has a capture too late: its candidate is out", brief: null, part };
      return { says: `is at level ${after.level} and asks for the next process`, brief: `level ${after.level}`, part };
    case "killed":
      if (event.sent.length > 0)
        return { says: `now belongs to ${strength(message)}`, brief: `belongs to ${message.id}`, part };
      return { says: `does not answer ${strength(message)}: a stronger one has asked`, brief: null, part };
    case "kill":
      if (event.sent.length > 0)
        return { says: `gives way to ${strength(message)}${isOut}`, brief: `gives way to ${message.id}`, part };
      return { says: `does not give way to ${strength(message)}: it is at level ${after.level}`, brief: "stays", part };
    case "capture": {
      const [sent] = event.sent;
      if (sent === undefined) {
        const why =
          after.claim!.id === message.id
            ? "its own candidate is stronger"
            : `it has heard of ${strength(after.claim!)}`;
        return { says: `does not answer ${strength(message)}: ${why}`, brief: null, part };
      }
      if (sent.message.kind === "kill")
        return { says: `asks its owner to give way to ${strength(message)}`, brief: "asks its owner", part };
      return { says: `is captured by ${strength(message)}${isOut}`, brief: `captured by ${message.id}`, part };
    }
  }
};
