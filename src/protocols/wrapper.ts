/** A protocol around one other: whatever the wrapper does not do itself is left to the child in its state. */
import type { AnyProtocol, Context, Experiment, Machine, Protocol } from "../protocol.ts";
import { childTimer, type Embedding, embed } from "./embed.ts";

/** What a wrapper's name for its child is, in timers: "child/tick". */
const CHILD = "child";

const EXPERIMENT = [
  ...(["title", "citation", "cost", "parameters", "measures", "rounds", "crash", "initiators"] as const),
  ...(["judge", "summarise", "refuse", "adapt", "wakes", "candidacy"] as const),
] satisfies readonly (keyof Experiment<unknown, unknown>)[];
const MACHINE = ["name", "assumes", "timing", "roles"] satisfies readonly (keyof Machine<unknown, unknown, unknown>)[];

/** The state of a wrapper, at least. */
export interface Wrapping<S> {
  child: S;
}

/** What the wrapper does with what its child asks for; see `Embedding`. */
export type Inner<M, Outer> = Omit<Embedding<M, Outer>, "name" | "generation" | "measures">;

/** What is undefined here the wrapper has not, though its child may. */
type Own<Whole> = { [K in keyof Whole]?: Whole[K] | undefined } & Pick<Whole, Extract<keyof Whole, Needed>>;
type Needed = "init" | "receive" | "bits";

/**
 * `inner` says how the child's requests leave; `own` gets the child's context and says what the wrapper does itself. It
 * starts the child in `init` and hands messages on in `receive`; timers, ends of rounds and leaving find their way alone.
 */
export function wrapper<P, S, M, T extends string, Saved, Report, State extends Wrapping<S>, Outer>(
  child: Protocol<P, S, M, T, Saved, Report>,
  inner: (state: State, ctx: Context<Outer, string>) => Inner<M, Outer>,
  own: (
    inside: (state: State, ctx: Context<Outer, string>) => Context<M, T>,
  ) => Own<Protocol<P, State, Outer, string, Saved, Report>>,
): Protocol<P, State, Outer, string, Saved, Report> {
  const inside = (state: State, ctx: Context<Outer, string>): Context<M, T> =>
    embed(child, ctx, { ...inner(state, ctx), name: CHILD, measures: "own" });
  const mine = own(inside);
  return {
    ...described(child),
    ...(child.endRound && {
      endRound: (state: State, round: number, ctx: Context<Outer, string>) =>
        child.endRound!(state.child, round, inside(state, ctx)),
    }),
    ...(child.leave && {
      leave: (state: State, ctx: Context<Outer, string>) => child.leave!(state.child, inside(state, ctx)),
    }),
    verdict: ({ child: state }: State) => child.verdict(state),
    ...(child.report && { report: ({ child: state }: State) => child.report!(state) }),
    ...(child.saved && { saved: ({ child: state }: State) => child.saved!(state) }),
    ...mine,
    expire(state: State, timer: string, ctx: Context<Outer, string>) {
      const childs = childTimer<T>(timer, CHILD);
      if (childs !== null) child.expire!(state.child, childs, inside(state, ctx));
      else mine.expire!(state, timer, ctx);
    },
  } as Protocol<P, State, Outer, string, Saved, Report>;
}

/** All that is said of a protocol rather than done by it. */
export function described(
  protocol: AnyProtocol,
): Pick<AnyProtocol, (typeof EXPERIMENT)[number] | (typeof MACHINE)[number]> {
  const bound = (value: unknown) => (typeof value === "function" ? value.bind(protocol) : value);
  const given = [...EXPERIMENT, ...MACHINE].filter((part) => protocol[part] !== undefined);
  return Object.fromEntries(given.map((part) => [part, bound(protocol[part])])) as ReturnType<typeof described>;
}
