/** What every process of tournament, tournament-async and quorum has: its mediators, and whether it mediates at all. */
import { type Context, type Id, type Port, SELF, type Verdict } from "../../protocol.ts";
import { roundedSigma, type Sizes } from "../../theory/ramanathan/sigma.ts";

/** How a contender's election stands; a process that never contends is `passive`. */
type Standing = "passive" | "contends" | "lost" | "leads";

export interface ContestMember {
  readonly id: Id;
  /** The number of processes it believes in. */
  readonly n: number;
  standing: Standing;
  /** Whether it has failed as a mediator; the coin falls when the first contender asks. */
  failed: boolean | null;
}

/** A leaderless run shows here why: `survivors` is 0, or the contenders were refused or went unanswered. */
export const measures = {
  firstPhase: "sum",
  secondPhase: "sum",
  survivors: "sum",
  /** Contenders that a mediator refused, in either phase. */
  refused: "sum",
  /** Contenders that gave up because answers were missing. */
  unanswered: "sum",
  /** Links that messages crossed on a topology beneath the complete graph; 0 if there is none. */
  hops: "sum",
} as const;

type Draws = Pick<Context<never>, "degree" | "choose" | "coin" | "sample">;

/** sigma_j, with its coin where rounding is stochastic. */
export function drawSigma(sizes: Sizes, j: number, ctx: Pick<Draws, "coin">): number {
  const { least, fraction } = roundedSigma(sizes, j);
  return fraction > 0 && ctx.coin(fraction) ? least + 1 : least;
}

/** What the rounds before j have asked by design: the sum of their sigma, rounded down where a coin decides. */
export function sigmaBefore(sizes: Sizes, j: number): number {
  let sum = 0;
  for (let l = 1; l < j; l++) sum += roundedSigma(sizes, l).least;
  return sum;
}

/** k mediators of all processes, itself included. */
export function drawMediators(k: number, ctx: Draws): Port[] {
  return ctx.sample(Math.min(k, ctx.degree + 1), SELF);
}

/** As `drawMediators`, but as many as possible of them are `old` ones. */
export function reuseMediators(k: number, old: readonly Port[], ctx: Draws): Port[] {
  const size = ctx.degree + 1;
  if (k <= old.length) return someOf(old, k, ctx);
  const chosen = new Set(old);
  while (chosen.size < Math.min(k, size)) {
    const drawn = ctx.choose(size);
    chosen.add(drawn === size - 1 ? SELF : drawn);
  }
  return [...chosen];
}

function someOf(ports: readonly Port[], k: number, ctx: Draws): Port[] {
  const rest = [...ports];
  for (let i = 0; i < k; i++) {
    const j = i + ctx.choose(rest.length - i);
    [rest[i], rest[j]] = [rest[j], rest[i]];
  }
  return rest.slice(0, k);
}

export function mediates(member: ContestMember, gamma: number, ctx: Draws): boolean {
  member.failed ??= ctx.coin(gamma);
  return !member.failed;
}

export function loseContest(
  member: ContestMember,
  why: "refused" | "unanswered",
  ctx: Pick<Context<never>, "measure">,
): void {
  member.standing = "lost";
  ctx.measure(why, 1);
}

/** `known`: the leader this process knows of as a mediator. */
export function memberVerdict({ standing, id }: ContestMember, known: Id | null): Verdict {
  if (standing === "leads") return { status: "elected", leader: id, term: 0 };
  return { status: standing === "contends" ? "undecided" : "not-elected", leader: known, term: 0 };
}
