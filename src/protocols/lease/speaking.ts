/** What the parts of a lease client share: the way to the engine, and what the parent is told of it. */
import type { LeaseRequest, Token } from "./messages.ts";
import type { LeaseContext, LeaseState } from "./state.ts";

type Unnumbered<R> = R extends unknown ? Omit<R, "id" | "life"> : never;

export const enginePort = ({ params: { engine } }: LeaseState, ctx: Pick<LeaseContext, "link">): number =>
  typeof engine === "number" ? engine : ctx.link(engine);

/** Sends a request under a number of its own, which it returns. */
export function sendRequest(state: LeaseState, asked: Unnumbered<LeaseRequest>, ctx: LeaseContext): number {
  const id = ++state.requests;
  ctx.send(enginePort(state, ctx), { ...asked, id, life: state.life } as LeaseRequest);
  return id;
}

export function raiseFloor({ floors }: LeaseState, seat: string, token: Token): void {
  if (token > (floors.get(seat) ?? 0)) floors.set(seat, token);
}

export function notAnswered(state: LeaseState, why: string): void {
  if (state.engine === "silent" && state.silence === why) return;
  state.engine = "silent";
  state.silence = why;
  state.news.push({ what: "silent", why });
}

export function timedOut(state: LeaseState): void {
  // What the engine itself said of its failure tells more.
  if (state.engine !== "silent") notAnswered(state, `no answer within ${Math.round(state.params.requestTimeout)} ms`);
}

export function engineAnswered(state: LeaseState): void {
  if (state.engine === "silent") state.news.push({ what: "answering" });
  state.engine = "answers";
  state.silence = null;
}
