/**
 * A counter in a database that keeps the newest token beside it, and two leaders that write to it: `UPDATE ... WHERE token <= $1`
 * first, which locks the row, then the write and the commit. A transaction that is paused for long is rolled back.
 */
import type { Property, View } from "../../src/properties/properties.ts";
import type { AnyProtocol, Port } from "../../src/protocol.ts";
import { defineProtocol } from "../../src/protocols/check.ts";
import type { LeaseMessage } from "../../src/protocols/lease/messages.ts";
import { type Besides, type ContenderReport, type Ctx, type Held, portTo } from "./lease-contender.ts";

type Writer = Pick<Held, "token" | "lease">;
type Statement = { readonly kind: "fence" | "commit"; readonly tx: string } & Writer;
type Result = { readonly kind: "fenced" | "refused" | "committed" | "rolled-back"; readonly tx: string };

export interface Guard {
  /** The newest that a transaction has committed, or (without a lock) has shown. */
  stored: Writer;
  /** Whose transaction has the row. */
  lock: (Statement & { readonly port: Port }) | null;
  waiting: (Statement & { readonly port: Port })[];
  /** The newest whose write was taken, and what was wrong with one. */
  newest: Writer;
  wrong: string | null;
}

type GuardReport = Pick<Guard, "wrong" | "stored">;

/** How it can be wrong: `<` for `<=`; an equal token of another lease passes; checked first, written later, without a lock. */
export type GuardBug = "strictly-newer" | "equal-token" | "unlocked";

const NOBODY: Writer = { token: 0, lease: "" };
const PATIENCE = 3;

const isOlder = (one: Writer, than: Writer): boolean =>
  one.token < than.token || (one.token === than.token && one.lease !== than.lease);

export function guard(bug?: GuardBug): AnyProtocol {
  const refuses = (one: Writer, stored: Writer): boolean => {
    if (bug === "strictly-newer") return one.token <= stored.token;
    return bug === "equal-token" ? one.token < stored.token : isOlder(one, stored);
  };

  type DbCtx = {
    send(port: Port, result: Result): void;
    arm(timer: "idle", after: number): void;
    disarm(timer: "idle"): void;
  };

  function fence(state: Guard, asked: Statement & { readonly port: Port }, ctx: DbCtx): void {
    const { tx, port, token, lease } = asked;
    if (state.lock !== null) state.waiting.push(asked);
    else if (refuses(asked, state.stored)) ctx.send(port, { kind: "refused", tx });
    else {
      if (bug === "unlocked") state.stored = { token, lease };
      else {
        state.lock = asked;
        ctx.arm("idle", PATIENCE);
      }
      ctx.send(port, { kind: "fenced", tx });
    }
  }

  function commit(state: Guard, { tx, token, lease, port }: Statement & { readonly port: Port }, ctx: DbCtx): void {
    if (bug !== "unlocked" && state.lock?.tx !== tx) {
      ctx.send(port, { kind: "rolled-back", tx });
      return;
    }
    const written = { token, lease };
    if (isOlder(written, state.newest)) state.wrong ??= `${lease} (${token}) after ${state.newest.lease}`;
    state.newest = written;
    state.stored = written;
    ctx.send(port, { kind: "committed", tx });
    unlock(state, ctx);
  }

  function unlock(state: Guard, ctx: DbCtx): void {
    state.lock = null;
    ctx.disarm("idle");
    const waiting = state.waiting;
    state.waiting = [];
    for (const asked of waiting) fence(state, asked, ctx);
  }

  return defineProtocol<unknown, Guard, Statement | Result, "idle", null, GuardReport>({
    name: "guarded-counter",
    assumes: { topology: "complete", fifo: false },
    init: () => ({ stored: NOBODY, lock: null, waiting: [], newest: NOBODY, wrong: null }),
    receive(state, port, message, ctx) {
      if (message.kind === "fence") fence(state, { ...message, port }, ctx);
      else if (message.kind === "commit") commit(state, { ...message, port }, ctx);
    },
    expire: (state, _timer, ctx) => unlock(state, ctx),
    verdict: () => ({ status: "undecided", leader: null, term: 0 }),
    report: ({ wrong, stored }) => ({ wrong, stored }),
    accepts: (message) => ["fence", "commit"].includes((message as Statement).kind),
  }) as AnyProtocol;
}

interface Writes {
  readonly as: Writer;
  readonly tx: string;
  /** Transactions that are still to come. */
  readonly left: number;
}

/** A node that is granted a lease writes this often under its token, also after it has lost the lease: only the guard can know. */
export function writesTo(node: number, times: number): Besides {
  const say = (statement: Statement, ctx: Ctx) => ctx.send(portTo(node, ctx), statement as unknown as LeaseMessage);
  const begin = (as: Writer, left: number, ctx: Ctx): Writes => {
    const tx = `${as.lease} ${left}`;
    say({ kind: "fence", tx, ...as }, ctx);
    return { as, tx, left };
  };
  return {
    granted(state, { token, lease }, ctx) {
      state.besides = begin({ token, lease }, times - 1, ctx);
    },
    heard(state, message, ctx) {
      const { kind, tx } = message as Result;
      const writes = state.besides as Writes | null;
      if (writes?.tx !== tx) return;
      const { as, left } = writes;
      if (kind === "fenced") say({ kind: "commit", tx, ...as }, ctx);
      else if (kind === "refused") state.besides = { refused: as };
      else state.besides = left === 0 ? null : begin(as, left - 1, ctx);
    },
    accepts: (message) => ["fenced", "refused", "committed", "rolled-back"].includes((message as Result).kind),
  };
}

const guardOf = (view: View) => view.report!(view.size - 1) as GuardReport;

export const writesInOrder: Property = {
  name: "writes-in-order",
  about: "no write is taken under a token older than one that was, and none of another lease under the same",
  when: "always",
  violated(view) {
    const { wrong } = guardOf(view);
    return wrong === null ? null : `taken: ${wrong}`;
  },
};

export const refusedRightly: Property = {
  name: "refused-rightly",
  about: "a writer that was refused has an older token than the guard",
  when: "always",
  violated(view) {
    for (let node = 1; node < view.size - 1; node++) {
      const { refused } = ((view.report!(node) as ContenderReport).besides ?? {}) as { refused?: Writer };
      if (refused !== undefined && !isOlder(refused, guardOf(view).stored)) return `${refused.lease} was refused`;
    }
    return null;
  },
};
