/**
 * The term rule of groups (docs/decisions/groups.md) as plain data, for three members: what the shipped code does about terms, and
 * nothing else. The term has a field of its own, so a search keeps terms by order and ends without a limit on them.
 *
 * The model does more than the shipped code, never less. At any moment a member may miss its leader and stand, a leader may resign,
 * and (`tells`) a member may tell the others its term. The shipped code answers an old message; that answer is such a word.
 */
import type { AnyProtocol, Context } from "../../src/protocol.ts";
import { defineProtocol } from "../../src/protocols/check.ts";

interface Member {
  /** The highest term seen. Saved. */
  term: number;
  /**
   * What this member knows of `term`: it has only heard of it; it has taken part, or may have in an earlier life (`joinedTerm` of the
   * shipped code equals `term`); it stands; it leads; somebody has won.
   */
  stage: "heard" | "joined" | "stands" | "leads" | "won";
  /** How often this member may still stand; -1: any number of times. */
  left: number;
}

type Word = { readonly kind: "request" | "yes" | "claim" | "term"; readonly term: number };
type Ctx = Context<Word, string>;

const CRASH = { crashes: 1, restarts: 1 };

/** A mistake that a member makes, and the faults of the network that show it. */
export const TERM_FAULTS = {
  "takes part twice": {},
  "stands in a term that it knows": {},
  "takes part in older terms": {},
  "counts votes of any term": {},
  "leads on in a later term": {},
  "forgets its term in a crash": CRASH,
  "takes part again after a crash": CRASH,
  "leads without votes": {},
} as const;

export type TermFault = keyof typeof TERM_FAULTS;

/** With these mistakes a member listens to older words, which the explorer refuses as a wrong declaration. */
export const LISTENS: readonly TermFault[] = ["takes part in older terms", "counts votes of any term"];

export interface TermRuleModel {
  readonly fault?: TermFault | null;
  /** Whether members tell each other their terms. */
  readonly tells?: boolean;
  /** Each member stands so often at most, so that a search ends with the terms themselves too. */
  readonly tries?: number;
}

export function termRuleModel({ fault = null, tells = true, tries = -1 }: TermRuleModel = {}): AnyProtocol {
  return defineProtocol<object, Member, Word, "vacant" | "tell", { readonly term: number }>({
    name: "term-rule-model",
    assumes: {
      topology: "complete",
      identity: "anonymous",
      start: "common",
      fifo: false,
      tolerates: ["loss", "crash", "pause", "partition"],
    },
    measures: { terms: "max" },
    ordered: ["term"],
    ignoresOlder: true,

    init(_params, { life }, saved, ctx) {
      ctx.arm("vacant", 1);
      if (tells) ctx.arm("tell", 1);
      return {
        term: fault === "forgets its term in a crash" ? 0 : (saved?.term ?? 0),
        stage: life > 0 && fault === "takes part again after a crash" ? "heard" : "joined",
        left: tries,
      };
    },

    receive(state, port, { kind, term }, ctx) {
      const votes = kind === "request" && takesPart(state, term, fault);
      const counts = term === state.term || (fault === "counts votes of any term" && term < state.term);
      const leadsOn = fault === "leads on in a later term" && state.stage === "leads" && term > state.term;
      if (term > state.term) {
        state.term = term;
        if (!leadsOn) state.stage = "heard";
      }
      if (votes) {
        if (term === state.term && !leadsOn) state.stage = "joined";
        ctx.send(port, { kind: "yes", term });
      } else if (kind === "yes" && counts && state.stage === "stands") lead(state, ctx);
      else if (kind === "claim" && term === state.term) state.stage = "won";
      ctx.measure("terms", state.term);
    },

    expire(state, timer, ctx) {
      ctx.arm(timer, 1);
      if (timer === "tell") tell(state, "term", ctx);
      else if (state.stage === "leads") state.stage = "won";
      else if (state.left === 0) ctx.disarm(timer);
      else {
        if (state.left > 0) state.left--;
        if (fault !== "stands in a term that it knows" || state.term === 0 || state.stage === "won") state.term++;
        state.stage = "stands";
        if (fault === "leads without votes") lead(state, ctx);
        else tell(state, "request", ctx);
      }
      ctx.measure("terms", state.term);
    },

    verdict: ({ stage, term }) => ({ status: stage === "leads" ? "elected" : "undecided", leader: null, term }),
    saved: ({ term }) => ({ term }),
  }) as AnyProtocol;
}

/** Once in a term, in all lives together, and in no term that somebody has won. */
function takesPart({ term, stage }: Member, asked: number, fault: TermFault | null): boolean {
  if (asked < term) return fault === "takes part in older terms";
  if (asked > term || stage === "heard") return true;
  return fault === "takes part twice" && (stage === "joined" || stage === "stands");
}

/** Among three, one vote besides its own is more than half. */
function lead(state: Member, ctx: Ctx): void {
  state.stage = "leads";
  tell(state, "claim", ctx);
}

function tell({ term }: Member, kind: Word["kind"], ctx: Ctx): void {
  for (const port of ctx.ports()) ctx.send(port, { kind, term });
}
