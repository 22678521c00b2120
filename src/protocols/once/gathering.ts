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
import { endPart, runRoster } from "./running.ts";
import type { Gathering, GatheringMessage, OnceState, OnceTurn } from "./state.ts";

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

/** The member's first handler. */
export function openGathering(turn: OnceTurn): void {
  report(turn);
  rearm(turn);
}

/** Before the start, and not over. */
const isGathering = ({ roster, ended }: OnceState): boolean => roster === null && ended === null;

/** Another member has begun, with a roster that this member has not heard of. */
export function askWhetherBegun(turn: OnceTurn, node: number): void {
  const { convenor, hasBegun } = turn.state.gathering;
  if (node !== convenor && !hasBegun) say(turn, node, { kind: "ready", life: turn.state.life, to: null });
}

export function hearGathering(turn: OnceTurn, from: number, message: GatheringMessage): void {
  const { state } = turn;
  if (message.kind === "ready") reported(turn, from, message);
  else if (message.to !== state.life || !isGathering(state)) return;
  else if (message.kind === "wait") waits(turn, from, message.life);
  else if (message.kind === "word") join(turn, message.roster, message.convenor);
  else begun(turn, from, message.convenor);
}

export function gatheringExpires(turn: OnceTurn, timer: string): void {
  if (timer !== TICK) giveWord(turn);
  else if (isGathering(turn.state)) {
    tick(turn);
    rearm(turn);
  }
}

type Unnamed<M> = M extends GatheringMessage ? Omit<M, "election"> : never;

function say({ setup, ctx }: OnceTurn, node: number, message: Unnamed<GatheringMessage>): void {
  const { addresses, election } = setup.agreed;
  ctx.send(ctx.link(addresses[node]), { ...message, election } as GatheringMessage);
}

const sizeOfGroup = ({ setup }: OnceTurn): number => setup.agreed.ids.length;

function rearm(turn: OnceTurn): void {
  const { state, ctx } = turn;
  if (isGathering(state)) ctx.arm(TICK, repeatAfter(sizeOfGroup(turn), state.params.gather));
}

type Ready = Extract<GatheringMessage, { readonly kind: "ready" }>;

function reported(turn: OnceTurn, from: number, { life, to }: Ready): void {
  const { state } = turn;
  if (isGathering(state)) {
    state.gathering.present.set(from, { life, hears: to === state.life });
    completeIfAll(turn);
    if (isGathering(state)) say(turn, from, { kind: "wait", life: state.life, to: life });
  } else if (state.roster !== null || state.ended === "late") tellBegun(turn, from, life);
}

/** That it has begun: with the roster where this life may take part. A member whose part is over cannot tell that. */
function tellBegun(turn: OnceTurn, to: number, life: number): void {
  const { roster, ended, gathering } = turn.state;
  const { convenor, lives } = gathering;
  // A protocol that saves its state goes on in a new life.
  const mayJoin = turn.setup.protocol.saved !== undefined || lives?.get(to) === life;
  if (roster !== null && ended === null && mayJoin) say(turn, to, { kind: "word", to: life, roster, convenor });
  else say(turn, to, { kind: "begun", to: life, convenor });
}

/** Only the convenor knows whether this life is on the roster; where that is this very member, it was an earlier life. */
function begun(turn: OnceTurn, from: number, convenor: number): void {
  const { gathering, node } = turn.state;
  if (convenor === from || convenor === node) {
    gathering.convenor = convenor;
    endPart(turn, "late");
  } else if (!gathering.hasBegun) {
    gathering.hasBegun = true;
    gathering.ticksSince = 0;
    turnTo(gathering, convenor);
    report(turn);
  }
}

/** The convenor has not begun. If it has, according to others, it has forgotten: that was an earlier life of it. */
function waits(turn: OnceTurn, from: number, life: number): void {
  const { gathering } = turn.state;
  const { convenor } = gathering;
  if (from !== convenor) return;
  gathering.ticks = 0;
  const isNew = gathering.convenorLife !== life;
  gathering.convenorLife = life;
  if (gathering.hasBegun && gathering.ticksSince >= FORGETFUL) {
    say(turn, convenor, { kind: "begun", to: life, convenor });
    endPart(turn, "late");
  } else if (isNew) report(turn);
}

function turnTo(gathering: Gathering, convenor: number): void {
  gathering.convenor = convenor;
  gathering.convenorLife = null;
  gathering.ticks = 0;
}

function tick(turn: OnceTurn): void {
  const { gathering, node, params } = turn.state;
  const mostTicks = Math.ceil(params.gather / repeatAfter(sizeOfGroup(turn), params.gather));
  gathering.ticks++;
  gathering.ticksSince++;
  if (gathering.ticks < mostTicks) {
    report(turn);
    if (gathering.convenor === node && isGathering(turn.state)) askAround(turn);
  } else if (gathering.convenor === node) complete(turn);
  else if (gathering.hasBegun) endPart(turn, "late");
  else {
    turnTo(gathering, gathering.convenor + 1);
    report(turn);
  }
}

function report(turn: OnceTurn): void {
  const { gathering, node, life } = turn.state;
  const { convenor, convenorLife } = gathering;
  if (convenor !== node) say(turn, convenor, { kind: "ready", life, to: convenorLife });
  else {
    gathering.present.set(node, { life, hears: true });
    completeIfAll(turn);
  }
}

/** A convenor in a new life would begin anew: so it asks the members that have not reported whether they have begun. */
function askAround(turn: OnceTurn): void {
  const { gathering, node, life } = turn.state;
  const size = sizeOfGroup(turn);
  const silent = Array.from({ length: size }, (_, i) => (gathering.turn + i) % size).filter(
    (member) => member !== node && !gathering.present.has(member),
  );
  for (const member of silent.slice(0, ASKED)) {
    say(turn, member, { kind: "ready", life, to: null });
    gathering.turn = member + 1;
  }
}

function completeIfAll(turn: OnceTurn): void {
  const { gathering, node } = turn.state;
  if (gathering.convenor !== node) return;
  for (let member = node; member < sizeOfGroup(turn); member++) {
    if (!gathering.present.get(member)?.hears) return;
  }
  complete(turn);
}

/** Fixes the roster, names it after this member's life and gives the word. */
function complete(turn: OnceTurn): void {
  const { gathering, node, life } = turn.state;
  gathering.lives = new Map([...gathering.present].map(([member, reported]) => [member, reported.life]));
  for (const [i, delay] of AGAIN.entries()) turn.ctx.arm(`${WORD}${i}`, delay);
  giveWord(turn);
  join(turn, life, node);
}

function giveWord(turn: OnceTurn): void {
  const { gathering, node, life } = turn.state;
  for (const [member, to] of gathering.lives ?? []) {
    if (member !== node) say(turn, member, { kind: "word", to, roster: life, convenor: node });
  }
}

function join(turn: OnceTurn, roster: number, convenor: number): void {
  turn.state.gathering.convenor = convenor;
  turn.ctx.disarm(TICK);
  runRoster(turn, roster);
}
