/**
 * A common start, and who takes part in it. Members report to the convenor, the lowest of those present. When all have come,
 * or it has waited long enough, it fixes the roster (each member's life) and gives the word to the members on it. What they
 * then send names the roster, and members with different rosters do not hear each other: a member that restarts in the
 * middle has forgotten what it said, and cannot say it twice. A member joins one roster in its life, and a convenor fixes
 * one roster in its life, so its life names the roster.
 *
 * A member that is not on the roster is told that the election has begun without it. A protocol that saves its state is an
 * exception: its members go on in a new life, and the word is given again.
 *
 * Patience is counted in reports and not in time, so that no member takes its own pause for the silence of others.
 */
import type { GatheringMessage, OnceContext, OnceState } from "./state.ts";

/** What the start needs of the election around it. */
export interface Start {
  readonly size: number;
  readonly election: number;
  /** Whether a member that has crashed remembers what it needs to go on. */
  readonly remembers: boolean;
  send(node: number, message: GatheringMessage, ctx: OnceContext): void;
  begin(state: OnceState, roster: number, ctx: OnceContext): void;
  /** It has begun without this member. */
  late(state: OnceState, ctx: OnceContext): void;
}

/** Milliseconds between two reports of one member: in a large group the convenor has more to read. */
const repeatAfter = (size: number, patience: number) => Math.min(100 + 4 * size, patience / 4);

/** Milliseconds after which the word is repeated: a member that misses it starts too late for synchronous rounds. */
const AGAIN = [5, 15];

/** Members that a convenor asks at a time whether it has begun: those that have not reported, by turns. */
const ASKED = 16;

/** Reports after which a convenor that still says "not yet" has not just been overtaken by the news. */
const FORGETFUL = 2;

const TICK = "tick";
const WORD = "word/";

export const isGatheringTimer = (timer: string): boolean => timer === TICK || timer.startsWith(WORD);

export function open(start: Start, state: OnceState, ctx: OnceContext): void {
  report(start, state, ctx);
  if (isWaiting(state)) ctx.arm(TICK, repeatAfter(start.size, state.params.gather));
}

/** Before the start, and not over. */
export const isWaiting = ({ roster, ended }: OnceState): boolean => roster === null && ended === null;

/** Another member has begun, with a roster that this member has not heard of. */
export function ask(start: Start, state: OnceState, node: number, ctx: OnceContext): void {
  const { convenor, hasBegun } = state.gathering;
  if (node !== convenor && !hasBegun) start.send(node, ready(start, state, null), ctx);
}

export function hear(start: Start, state: OnceState, from: number, message: GatheringMessage, ctx: OnceContext): void {
  if (message.kind === "ready") reported(start, state, from, message, ctx);
  else if (message.to !== state.life || !isWaiting(state)) return;
  else if (message.kind === "wait") waits(start, state, from, message.life, ctx);
  else if (message.kind === "word") join(start, state, message.roster, message.convenor, ctx);
  else begun(start, state, from, message.convenor, ctx);
}

export function gatheringExpires(start: Start, state: OnceState, timer: string, ctx: OnceContext): void {
  if (timer !== TICK) giveWord(start, state, ctx);
  else if (isWaiting(state)) {
    tick(start, state, ctx);
    if (isWaiting(state)) ctx.arm(TICK, repeatAfter(start.size, state.params.gather));
  }
}

const ready = ({ election }: Start, { life }: OnceState, to: number | null): GatheringMessage => ({
  kind: "ready",
  election,
  life,
  to,
});

type Ready = Extract<GatheringMessage, { readonly kind: "ready" }>;

function reported(start: Start, state: OnceState, from: number, { life, to }: Ready, ctx: OnceContext): void {
  const { election } = start;
  if (isWaiting(state)) {
    state.gathering.present.set(from, { life, hears: to === state.life });
    completeIfAll(start, state, ctx);
    if (isWaiting(state)) start.send(from, { kind: "wait", election, life: state.life, to: life }, ctx);
  } else if (state.roster !== null || state.ended === "late") tell(start, state, from, life, ctx);
}

/** That it has begun: with the roster where this life may take part. A member whose part is over cannot tell that. */
function tell(
  { election, remembers, send }: Start,
  state: OnceState,
  to: number,
  life: number,
  ctx: OnceContext,
): void {
  const { roster, ended, gathering } = state;
  const { convenor, lives } = gathering;
  const mayJoin = roster !== null && ended === null && (remembers || lives?.get(to) === life);
  if (mayJoin) send(to, { kind: "word", election, to: life, roster, convenor }, ctx);
  else send(to, { kind: "begun", election, to: life, convenor }, ctx);
}

/** Only the convenor knows whether this life is on the roster; where that is this very member, it was an earlier life. */
function begun(start: Start, state: OnceState, from: number, convenor: number, ctx: OnceContext): void {
  const { gathering } = state;
  if (convenor === from || convenor === state.node) {
    gathering.convenor = convenor;
    start.late(state, ctx);
  } else if (!gathering.hasBegun) {
    gathering.hasBegun = true;
    gathering.ticksSince = 0;
    turnTo(gathering, convenor);
    report(start, state, ctx);
  }
}

/** The convenor has not begun. If it has, according to others, it has forgotten: that was an earlier life of it. */
function waits(start: Start, state: OnceState, from: number, life: number, ctx: OnceContext): void {
  const { gathering } = state;
  const { convenor } = gathering;
  if (from !== convenor) return;
  gathering.ticks = 0;
  const isNew = gathering.convenorLife !== life;
  gathering.convenorLife = life;
  if (gathering.hasBegun && gathering.ticksSince >= FORGETFUL) {
    start.send(convenor, { kind: "begun", election: start.election, to: life, convenor }, ctx);
    start.late(state, ctx);
  } else if (isNew) report(start, state, ctx);
}

function turnTo(gathering: OnceState["gathering"], convenor: number): void {
  gathering.convenor = convenor;
  gathering.convenorLife = null;
  gathering.ticks = 0;
}

function tick(start: Start, state: OnceState, ctx: OnceContext): void {
  const { gathering, node, params } = state;
  const mostTicks = Math.ceil(params.gather / repeatAfter(start.size, params.gather));
  gathering.ticks++;
  gathering.ticksSince++;
  if (gathering.ticks < mostTicks) {
    report(start, state, ctx);
    if (gathering.convenor === node && isWaiting(state)) askAround(start, state, ctx);
  } else if (gathering.convenor === node) complete(start, state, ctx);
  else if (gathering.hasBegun) start.late(state, ctx);
  else {
    turnTo(gathering, gathering.convenor + 1);
    report(start, state, ctx);
  }
}

function report(start: Start, state: OnceState, ctx: OnceContext): void {
  const { gathering, node, life } = state;
  const { convenor, convenorLife } = gathering;
  if (convenor !== node) start.send(convenor, ready(start, state, convenorLife), ctx);
  else {
    gathering.present.set(node, { life, hears: true });
    completeIfAll(start, state, ctx);
  }
}

/** A convenor in a new life would begin anew: so it asks the members that have not reported whether they have begun. */
function askAround(start: Start, state: OnceState, ctx: OnceContext): void {
  const { gathering, node } = state;
  const { size } = start;
  const silent = Array.from({ length: size }, (_, i) => (gathering.turn + i) % size).filter(
    (member) => member !== node && !gathering.present.has(member),
  );
  for (const member of silent.slice(0, ASKED)) {
    start.send(member, ready(start, state, null), ctx);
    gathering.turn = member + 1;
  }
}

function completeIfAll(start: Start, state: OnceState, ctx: OnceContext): void {
  const { gathering, node } = state;
  if (gathering.convenor !== node) return;
  for (let member = node; member < start.size; member++) if (!gathering.present.get(member)?.hears) return;
  complete(start, state, ctx);
}

/** Fixes the roster and gives the word. */
function complete(start: Start, state: OnceState, ctx: OnceContext): void {
  const { gathering, node, life } = state;
  gathering.lives = new Map([...gathering.present].map(([member, reported]) => [member, reported.life]));
  for (const [i, delay] of AGAIN.entries()) ctx.arm(`${WORD}${i}`, delay);
  giveWord(start, state, ctx);
  join(start, state, life, node, ctx);
}

/** The roster is named after this member's life. */
function giveWord({ election, send }: Start, { gathering, node, life }: OnceState, ctx: OnceContext): void {
  for (const [member, to] of gathering.lives ?? []) {
    if (member !== node) send(member, { kind: "word", election, to, roster: life, convenor: node }, ctx);
  }
}

function join(start: Start, state: OnceState, roster: number, convenor: number, ctx: OnceContext): void {
  state.gathering.convenor = convenor;
  ctx.disarm(TICK);
  start.begin(state, roster, ctx);
}
