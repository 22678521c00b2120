/**
 * A vote with terms and heartbeats, as in Raft: a node that misses a leader takes the next term and asks for votes, each node votes once in
 * a term, and more than half of the votes lead. Terms grow without bound, so a search ends only where they are kept by order.
 */
import type { AnyProtocol, Port } from "../../src/protocol.ts";
import { defineProtocol } from "../../src/protocols/check.ts";

interface Voter {
  term: number;
  /** How often it may still stand. */
  left: number;
  role: "follows" | "stands" | "leads";
  /** Whether it has voted in its term. */
  voted: boolean;
  votes: Port[];
  readonly needed: number;
}

interface Kept {
  readonly term: number;
  readonly voted: boolean;
}

type Word = { readonly kind: "request" | "vote" | "heartbeat"; readonly term: number };

/** A mistake that a voter makes. */
export type VoteFault =
  | "votes twice"
  | "counts votes of any term"
  | "stands in its old term"
  | "votes in older terms"
  | "votes for others too"
  | "forgets in a crash"
  | "leads on in a later term"
  | "forgets its vote in a crash";

/** `tries`: each stands so often at most, so that a search ends with the terms themselves too. */
export const vote = (fault: VoteFault | null, more: Partial<AnyProtocol> = {}, tries = -1): AnyProtocol =>
  ({
    ...defineProtocol<object, Voter, Word, "wait", Kept>({
      name: "vote",
      assumes: {
        topology: "complete",
        identity: "anonymous",
        start: "common",
        knows: ["n"],
        fifo: false,
        tolerates: ["loss", "crash", "pause", "partition"],
      },
      ordered: ["term"],
      ignoresOlder: true,

      init(_params, { n }, saved, ctx) {
        ctx.arm("wait", 1);
        const kept = fault === "forgets in a crash" ? null : saved;
        return {
          term: kept?.term ?? 0,
          left: tries,
          role: "follows",
          voted: fault === "forgets its vote in a crash" ? false : (kept?.voted ?? false),
          votes: [],
          needed: Math.floor(n! / 2) + 1,
        };
      },

      receive(state, port, { kind, term }, ctx) {
        if (fault === "votes in older terms" && kind === "request") {
          ctx.send(port, { kind: "vote", term });
          return;
        }
        if (term > state.term) {
          state.term = term;
          state.voted = false;
          if (fault !== "leads on in a later term" || state.role !== "leads") state.role = "follows";
          state.votes = [];
        }
        if (kind === "vote" && state.role === "stands") {
          if (term !== state.term && fault !== "counts votes of any term") return;
          if (!state.votes.includes(port)) state.votes.push(port);
          if (state.votes.length + 1 >= state.needed) {
            state.role = "leads";
            state.votes = [];
          }
        } else if (kind === "request" && term === state.term && (!state.voted || fault === "votes twice")) {
          state.voted = true;
          ctx.send(port, { kind: "vote", term });
        }
      },

      expire(state, _timer, ctx) {
        ctx.arm("wait", 1);
        if (state.role !== "leads") {
          if (state.left === 0) {
            ctx.disarm("wait");
            return;
          }
          if (state.left > 0) state.left--;
          if (fault !== "stands in its old term") state.term++;
          state.role = "stands";
          state.voted = fault !== "votes for others too";
          state.votes = [];
        }
        for (const port of ctx.ports())
          ctx.send(port, { kind: state.role === "leads" ? "heartbeat" : "request", term: state.term });
      },

      verdict: ({ role, term }) => ({ status: role === "leads" ? "elected" : "undecided", leader: null, term }),
      saved: ({ term, voted }) => ({ term, voted }),
    }),
    ...more,
  }) as AnyProtocol;
