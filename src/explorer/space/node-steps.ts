/**
 * What one node can do: each (state, input) leads to an outcome for every way the draws come out. Handlers are functions
 * of state, input and draws, so each outcome is computed once, however many configurations it occurs in.
 */

import { InputError } from "../../errors.ts";
import { copy } from "../../host/stepping/copy.ts";
import { type Port, SELF, UNDECIDED, type Verdict } from "../../protocol.ts";
import { silently } from "../../protocols/purity.ts";
import { tell } from "../../protocols/told.ts";
import { type Levels, PathChance } from "../probability/chance.ts";
import { type Fraction, plus } from "../probability/fraction.ts";
import type { Problem } from "../problem.ts";
import { IntMap, NO_VALUE } from "./int-map.ts";
import { isOlder, orderedValues, renamedData, stretchesOf } from "./ordered-data.ts";
import { canonicalText, Interner } from "./plain.ts";
import { type Effects, forEveryChoice, type RecordedSend, RecordingContext, type TimerEffect } from "./recording.ts";

export type Input =
  | { readonly kind: "start" }
  | { readonly kind: "restart"; readonly life: number }
  | { readonly kind: "receive"; readonly port: Port; readonly message: number }
  | { readonly kind: "expire"; readonly timer: string }
  | { readonly kind: "end-round"; readonly round: number };

/** What a node was asked: to handle an input in a state. */
export interface NodeCall {
  readonly node: number;
  readonly state: number;
  readonly input: Input;
}

export interface NodeOutcome {
  /** One for each in a state space. */
  readonly number: number;
  readonly state: number;
  readonly draws: readonly number[];
  readonly sends: readonly { readonly port: Port; readonly message: number; readonly counted: boolean }[];
  readonly messages: number;
  readonly timers: readonly TimerEffect[];
  /** Goes beyond a limit of the problem: what follows is not explored. */
  readonly beyond: boolean;
  /** Only where the problem is exact: its probability, what is known afterwards of the order of draws, and rounds that it reports. */
  readonly odds?: Fraction;
  readonly levels?: number;
  readonly rounds?: number;
}

/** What came of one handler call. */
interface Act {
  readonly after: unknown;
  readonly ctx: RecordingContext;
  readonly chance: PathChance | null;
}

/** A handler draws in more ways than there is time for. */
export class OutOfPatience extends Error {}

/** A handler treats ports differently, where that was to be found out (`noPorts`). */
export class TellsPorts extends Error {}

/** The state number of a node that nothing has touched. */
export const UNTOUCHED = -1;
const KINDS: readonly Input["kind"][] = ["start", "restart", "expire", "end-round"];
const WAYS_BETWEEN_LOOKS = 256;
export class NodeSteps {
  readonly states = new Interner<unknown>();
  readonly messages = new Interner<unknown>();
  /** Where the problem is exact: those of the messages that are part of a multicast. */
  readonly multicasts = new Set<number>();
  private readonly problem: Problem;
  /** By node: the outcomes of a state and an input, as a place in `found`. */
  private memo: IntMap[];
  private readonly levels = new Interner<Levels>();
  private readonly memos: IntMap[][] = [];
  private present = 0;
  private readonly found: (readonly NodeOutcome[])[] = [];
  private readonly timers = new Interner<string>();
  private outcomesFound = 0;
  private readonly verdicts: Verdict[] = [];
  private readonly accepted: boolean[] = [];
  /** The largest draw so far, and how many of its values were tried; null where nobody has drawn. */
  draws: { readonly tried: number; readonly of: number } | null = null;

  /** Where the problem is exact: whether there is time to try more of the ways in which the draws of one handler can come out. */
  patient: () => boolean = () => true;

  /** Whether a handler that tells ports apart, other than the one that a message came by, throws `TellsPorts`. */
  noPorts = false;

  /** All that nodes were asked, each once and after what led to it; null where nobody wants to know. */
  asked: NodeCall[] | null = null;

  constructor(problem: Problem) {
    this.problem = problem;
    this.memo = this.memoOf(this.levels.number({}));
  }

  /** What was drawn before, in order: it decides what can be drawn now. */
  useLevels(levels: number): void {
    this.present = levels;
    this.memo = this.memoOf(levels);
  }

  private memoOf(levels: number): IntMap[] {
    this.memos[levels] ??= Array.from({ length: this.problem.topology.size }, () => new IntMap());
    return this.memos[levels];
  }

  outcomes(node: number, state: number, input: Input): readonly NodeOutcome[] {
    if (input.kind === "receive") return this.received(node, state, input.port, input.message);
    if (this.problem.draw !== undefined) return this.compute(node, state, input);
    const detail =
      input.kind === "expire"
        ? this.timers.number(input.timer)
        : input.kind === "end-round"
          ? input.round
          : input.kind === "restart"
            ? input.life
            : 0;
    const what = KINDS.indexOf(input.kind);
    const known = this.memo[node].get(state, what, detail);
    return this.found[known === NO_VALUE ? this.remember(node, state, what, detail, input) : known];
  }

  /** As `outcomes` of a message: what a search asks for most often. */
  received(node: number, state: number, port: Port, message: number): readonly NodeOutcome[] {
    if (this.problem.draw !== undefined) return this.compute(node, state, { kind: "receive", port, message });
    const what = KINDS.length - SELF + port;
    const known = this.memo[node].get(state, what, message);
    if (known !== NO_VALUE) return this.found[known];
    return this.found[this.remember(node, state, what, message, { kind: "receive", port, message })];
  }

  private remember(node: number, state: number, what: number, detail: number, input: Input): number {
    const outcomes = this.compute(node, state, input);
    if (this.noPorts) this.checkPorts(node, state, input, outcomes);
    const place = this.found.push(outcomes) - 1;
    this.memo[node].set(state, what, detail, place);
    this.asked?.push({ node, state, input });
    return place;
  }

  /**
   * By whichever port a message comes, the state afterwards must be the same, and so must be what is sent back by that port and what is
   * sent by each of the others.
   */
  private checkPorts(node: number, state: number, input: Input, outcomes: readonly NodeOutcome[]): void {
    const degree = this.problem.topology.degree(node);
    const came = input.kind === "receive" ? input.port : SELF;
    const expected = withoutPorts(outcomes, came, degree);
    if (input.kind !== "receive" || came === SELF) return;
    for (let port = 0; port < degree; port++) {
      if (port === came) continue;
      if (withoutPorts(this.compute(node, state, { ...input, port }), port, degree) !== expected)
        throw new TellsPorts();
    }
  }

  /** What a node believes. One that never starts on its own believes what it would if a message created it now. */
  verdict(node: number, state: number): Verdict {
    const { protocol, initiators } = this.problem;
    if (state === UNTOUCHED && (protocol.assumes.start === "common" || initiators.includes(node))) return UNDECIDED;
    const known = this.begun(node, state);
    this.verdicts[known] ??= protocol.verdict(this.states.value(known));
    return this.verdicts[known];
  }

  /** What its user is told. */
  report(node: number, state: number): unknown {
    return this.problem.protocol.report?.(this.states.value(this.begun(node, state)));
  }

  private begun(node: number, state: number): number {
    return state === UNTOUCHED ? this.outcomes(node, state, { kind: "start" })[0].state : state;
  }

  /** Whether a message has the shape of what strangers may send. */
  accepts(message: number): boolean {
    const { protocol } = this.problem;
    if (protocol.accepts === undefined) return true;
    this.accepted[message] ??= protocol.accepts(this.messages.value(message));
    return this.accepted[message];
  }

  private compute(node: number, state: number, input: Input): NodeOutcome[] {
    const { protocol, topology, ids, choices, draw, exact = false } = this.problem;
    const surroundings = {
      draw,
      protocol,
      where: `node ${node}`,
      run: this,
      degree: topology.degree(node),
      peer: (port: Port) => (ids === null ? null : ids[port === SELF ? node : topology.neighbour(node, port)]),
    };
    const counts = protocol.counts?.bind(protocol);
    const outcomes: NodeOutcome[] = [];
    const alike = new Map<string, number>();
    let ways = 0;
    let chance: PathChance | null = null;
    const chances = () => (exact ? new PathChance(this.levels.value(this.present)) : null);
    /** What the handler does when it is asked again, and `oracle` answers. */
    const again = (script: readonly number[], oracle: boolean): string => {
      const ctx = new RecordingContext(surroundings, script, choices, counts, oracle, chances());
      return canonicalText([silently(() => this.handle(node, state, input, ctx)), ctx.effects]);
    };
    forEveryChoice(
      (script) => {
        chance = chances();
        return new RecordingContext(surroundings, script, choices, counts, true, chance);
      },
      (ctx) => {
        const after = this.handle(node, state, input, ctx);
        this.checkFunction(ctx, () => canonicalText([after, ctx.effects]), again);
        this.checkOrder({ node, state, input }, { after, ctx, chance }, (call) => {
          const theirs = chances();
          const other = new RecordingContext(surroundings, ctx.choices, choices, counts, true, theirs);
          const then = silently(() => this.handle(call.node, call.state, call.input, other));
          return { after: then, ctx: other, chance: theirs };
        });
        if (ctx.largest > (this.draws?.of ?? 0))
          this.draws = { tried: Math.min(choices, ctx.largest), of: ctx.largest };
        if (exact && ++ways % WAYS_BETWEEN_LOOKS === 0 && !this.patient()) throw new OutOfPatience();
        const outcome = this.outcomeOf(after, ctx, chance);
        const place = exact ? placeOf(outcome, alike) : outcomes.length;
        const same = outcomes[place];
        outcomes[place] = same === undefined ? outcome : { ...same, odds: plus(same.odds!, outcome.odds!) };
      },
    );
    return outcomes;
  }

  /** Whatever a handler does must follow from its state, the input and its draws, and not from an oracle that is missing here. */
  private checkFunction(
    ctx: RecordingContext,
    did: () => string,
    again: (script: readonly number[], oracle: boolean) => string,
  ): void {
    const { protocol, draw } = this.problem;
    if (ctx.askedOracle && did() !== again(ctx.choices, false)) {
      throw new InputError(
        `${protocol.name} acts on an oracle that says who is first, and the explorer has none: choose parameters without it, or simulate it`,
      );
    }
    for (let looks = draw === undefined ? looksAt(this.outcomesFound) : 0; looks > 0; looks--) {
      if (did() === again(ctx.choices, true)) continue;
      throw new InputError(
        `${protocol.name} does something else when a handler is asked the same again: what it does may depend on its state, the input and draws of the context alone`,
      );
    }
  }

  /**
   * Numbers that are kept by order (`ordered`): a handler may copy, compare and raise them by one. That is checked here, of each call: with
   * numbers that are further apart it must do the same.
   */
  private checkOrder(call: NodeCall, act: Act, again: (call: NodeCall) => Act): void {
    const { protocol, ordered, draw } = this.problem;
    if (ordered === undefined || draw !== undefined) return;
    const fields = new Set(ordered);
    const { node, state, input } = call;
    const message = input.kind === "receive" ? this.messages.value(input.message) : null;
    const given = orderedValues([state === UNTOUCHED ? null : this.states.value(state), message], fields, new Set([0]));
    const did = this.allOf(act);
    for (const value of orderedValues(did, fields)) {
      if (given.has(value) || given.has(value - 1)) continue;
      throw new InputError(
        `${protocol.name} makes ${value} of ${[...given].sort((a, b) => a - b).join(", ")} in a field that ordered names: such numbers may only be copied, compared with each other and 0, and raised by one`,
      );
    }
    if (protocol.ignoresOlder === true && state !== UNTOUCHED) this.checkOlder(call, act, fields);
    for (const stretch of stretchesOf(given)) {
      const other = {
        node,
        state:
          state === UNTOUCHED
            ? state
            : this.states.number(renamedData(this.states.value(state), fields, stretch.given)),
        input:
          input.kind === "receive"
            ? { ...input, message: this.likeMessage(input.message, renamedData(message, fields, stretch.given)) }
            : input,
      };
      if (canonicalText(renamedData(did, fields, stretch.made)) === canonicalText(this.allOf(again(other)))) continue;
      throw new InputError(
        `${protocol.name} does something else when numbers that ordered names (${ordered.join(", ")}) are larger, in the same order: they may only be copied, compared with each other and 0, and raised by one`,
      );
    }
  }

  private checkOlder({ state, input }: NodeCall, { after, ctx }: Act, fields: ReadonlySet<string>): void {
    const { name } = this.problem.protocol;
    if (input.kind === "restart") return;
    const before = this.states.value(state);
    const known = orderedValues(before, fields);
    if (Math.max(0, ...orderedValues(after, fields)) < Math.max(0, ...known)) {
      throw new InputError(
        `${name} declares ignoresOlder, and the largest number of a node falls in a handler: leave it out`,
      );
    }
    if (input.kind !== "receive" || !isOlder(this.messages.value(input.message), known, fields)) return;
    const { sends, timers } = ctx.effects;
    if (sends.length + timers.length === 0 && canonicalText(before) === canonicalText(after)) return;
    const said = canonicalText(this.messages.value(input.message));
    throw new InputError(`${name} declares ignoresOlder, and a node does something when ${said} comes: leave it out`);
  }

  /** All that a handler did, and out of how many ways it drew. */
  private allOf({ after, ctx, chance }: Act): unknown {
    const { sends, timers, messages } = ctx.effects;
    const sent = sends.map(({ port, message }) => [port, message]);
    return [after, sent, timers, messages, ctx.ranges, chance?.odds ?? null, this.told(after)];
  }

  /** What a state shows; the term of a verdict is a number as those are, under any name. */
  private told(state: unknown): unknown {
    const { protocol, ordered } = this.problem;
    const { term, ...verdict } = protocol.verdict(state);
    return [verdict, protocol.report?.(state) ?? null, { [ordered![0]]: term }];
  }

  private outcomeOf(after: unknown, { effects, choices }: RecordingContext, chance: PathChance | null): NodeOutcome {
    const { limits, exact = false } = this.problem;
    return {
      number: this.outcomesFound++,
      state: this.states.number(after),
      draws: [...choices],
      sends: effects.sends.map((sent) => ({ ...sent, message: this.numbered(sent, exact) })),
      messages: effects.messages,
      timers: effects.timers,
      beyond: effects.measures.some(({ name, value }) => value > (limits[name] ?? Infinity)),
      ...(chance === null ? {} : this.weighed(chance, effects)),
    };
  }

  /** The number of another message of the same kind as one that has a number. */
  likeMessage(number: number, message: unknown): number {
    if (!this.multicasts.has(number)) return this.messages.number(message);
    return this.numbered({ port: 0, message, counted: true, multicast: true }, true);
  }

  /** Multicasts may be lost with another probability, so they are told apart where there are probabilities. */
  private numbered({ message, multicast }: RecordedSend, exact: boolean): number {
    if (!exact || multicast === undefined) return this.messages.number(message);
    const number = this.messages.number(message, "multicast ");
    this.multicasts.add(number);
    return number;
  }

  private weighed(
    { odds, levels }: PathChance,
    { measures }: Effects,
  ): Pick<NodeOutcome, "odds" | "levels" | "rounds"> {
    const reported =
      this.problem.protocol.rounds === "reported" ? measures.filter(({ name }) => name === "rounds") : [];
    const rounds = reported.reduce((sum, { value }) => sum + value, 0);
    return { odds, levels: this.levels.number(levels), rounds };
  }

  private handle(node: number, state: number, input: Input, ctx: RecordingContext): unknown {
    const { protocol } = this.problem;
    if (input.kind === "start") return this.init(node, null, 0, ctx);
    if (input.kind === "restart") {
      const last = state === UNTOUCHED ? null : (protocol.saved?.(this.states.value(state)) ?? null);
      return this.init(node, last, input.life, ctx);
    }
    const mine = state === UNTOUCHED ? this.init(node, null, 0, ctx) : copy(this.states.value(state));
    if (input.kind === "receive") protocol.receive(mine, input.port, this.messages.value(input.message), ctx);
    else if (input.kind === "expire") protocol.expire!(mine, input.timer, ctx);
    else protocol.endRound!(mine, input.round, ctx);
    return mine;
  }

  private init(node: number, saved: unknown, life: number, ctx: RecordingContext): unknown {
    const { protocol, params, ids, initiators, topology, roles, wakesFirst, election = 1 } = this.problem;
    const schedule = protocol.wakes?.(params) ?? null;
    const facts = {
      id: ids?.[node] ?? null,
      initiator: initiators.includes(node),
      n: topology.size,
      election,
      life,
      highest: ids === null ? null : Math.max(...ids),
      role: roles?.[node],
      seeds: [],
    };
    const self = tell(protocol, params, facts, (p) => ctx.coin(p));
    if (schedule === null) return protocol.init(params, self, saved, ctx);
    const { kind, rounds } = schedule;
    // As hosts do: only those who act when they wake have a round of their own.
    const drawn = kind === "uniform" && (protocol.candidacy === undefined || self.candidate);
    const wake = drawn ? 1 + ctx.choose(rounds) : node === wakesFirst ? 1 : rounds;
    return protocol.init(params, { ...self, wake }, saved, ctx);
  }
}

/** What a handler did, where the port by which a message came has no name and the others are alike; throws where they are not. */
function withoutPorts(outcomes: readonly NodeOutcome[], came: Port, degree: number): string {
  return canonicalText(
    outcomes.map(({ state, draws, sends, messages, timers, beyond }) => {
      const by = (port: Port) => sends.filter((sent) => sent.port === port).map(({ message }) => message);
      const others = Array.from({ length: degree }, (_, port) => port).filter((port) => port !== came);
      const [first = [], ...rest] = others.map(by);
      if (rest.some((each) => each.join() !== first.join())) throw new TellsPorts();
      return [state, draws, by(SELF), by(came), first, messages, timers, beyond];
    }),
  );
}

/** How often a handler is asked the same again, to see whether it is a function: often in the beginning, and then now and then. */
const looksAt = (outcomes: number): number => (outcomes < 16 ? 4 : outcomes < 256 || outcomes % 32 === 0 ? 1 : 0);

/** Ways in which draws come out that nobody can tell apart have one place. */
function placeOf({ number: _, draws: __, odds: ___, ...rest }: NodeOutcome, places: Map<string, number>): number {
  const key = canonicalText(rest);
  const place = places.get(key) ?? places.size;
  places.set(key, place);
  return place;
}
