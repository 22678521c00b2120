/**
 * The second phase of Ramanathan et al. with timers, for one fixed delay: the first contender to ask finds its mediators free,
 * whatever its rank, and leads if all of them answer. Otherwise everybody waits, and the largest rank comes through.
 */
import { type Contest, type LeadingChances, leadersOf, mix, type Outcomes, outcomesOf } from "./contest.ts";
import { quorumMiss } from "./ramanathan.ts";

export interface SecondPhase {
  readonly n: number;
  readonly asked: number;
  /** The share of mediators that work. */
  readonly share: number;
  readonly loss: number;
  /** How many have agreed with one who leads, on average. */
  readonly agreed: number;
  /** That all answers of one contender come. */
  readonly answers: number;
  /** The chances to lead, by rank, where everybody waits; and not to be refused, whether answers suffice or not. */
  readonly lead: LeadingChances;
  readonly unrefused: LeadingChances;
}

/** Contenders that are counted one by one. */
const FOLLOWED = 20_000;

/**
 * That a contender whose request was heard where a better one was heard too learns of it. It is refused once, or, if it
 * came first there, pre-empted, and should it not hear that, refused again when it claims to have won. `rivals` others
 * are heard by each mediator: the first of k + 2 is any of them.
 */
export function timedRefusals(loss: number, rivals: number): Pick<Contest, "refused" | "persists"> {
  const arrives = 1 - loss;
  const first = rivals < 1e-9 ? 0.5 : (rivals - 1 + Math.exp(-rivals)) / rivals ** 2;
  // A loser has declined before it would pre-empt those who came before it: measured, it counts nearly every other time, and more often where answers are lost.
  return { refused: arrives + first * loss * arrives ** 3, persists: 0.45 + loss };
}

/** What a number of contenders ends with. */
export function timedOutcomes(phase: SecondPhase, contenders: number): Outcomes {
  if (contenders < 1) return { none: 1, one: 0, many: 0 };
  return mix([
    { p: phase.answers, outcomes: firstComes(contenders, missOf(phase)).outcomes },
    { p: 1 - phase.answers, outcomes: outcomesOf(waiting(phase, contenders), contenders) },
  ]);
}

const missOf = ({ n, asked, answers, lead }: SecondPhase): number =>
  answers === 1 ? quorumMiss(n, asked) : (lead.leads[1] ?? 0);

/** Chances to lead where everybody waits, because answers of the first are missing: the best may be the first. */
function waiting({ answers, lead }: SecondPhase, contenders: number): LeadingChances {
  if (answers === 1) return lead;
  const fails = Math.min(1, lead.fails * (1 - 1 / contenders + 1 / (contenders * (1 - answers))));
  return { fails, leads: [1 - fails, ...lead.leads.slice(1)] };
}

/**
 * The first leads. The j-th does as well if it misses the first and either misses all the others before it, too, or has to wait for
 * some of them and outranks whomever it meets, before or after it. Of m others, each met with probability 1 - miss, it outranks all
 * that it meets with probability (1 - miss^(m+1)) / ((m + 1) (1 - miss)).
 */
function firstComes(contenders: number, miss: number): { readonly outcomes: Outcomes; readonly leaders: number } {
  if (miss >= 1) {
    const alone = contenders < 2;
    return { outcomes: { none: 0, one: alone ? 1 : 0, many: alone ? 0 : 1 }, leaders: contenders };
  }
  const waits = outranks(contenders - 2, miss);
  const followed = Math.min(contenders, FOLLOWED);
  let [lnOne, leaders] = [0, 1];
  let [leads, lnOthers, isSettled] = [0, 0, false];
  for (let j = 2; j <= followed; j++) {
    if (!isSettled) {
      const free = miss ** (j - 2);
      leads = Math.min(1, miss * (free + waits - free * outranks(contenders - j, miss)));
      lnOthers = Math.log1p(-leads);
      // All those that follow have the same chance, to the last bit.
      isSettled = free + waits === waits && waits - free === waits;
    }
    lnOne += lnOthers;
    leaders += leads;
  }
  lnOne += (contenders - followed) * Math.log1p(-miss * waits);
  leaders += (contenders - followed) * miss * waits;
  return { outcomes: { none: 0, one: Math.exp(lnOne), many: -Math.expm1(lnOne) }, leaders };
}

/** Of this many others, each of which it misses with this chance, a contender outranks all that it meets. */
const outranks = (others: number, miss: number): number =>
  others < 1 || miss >= 1 ? 1 : (1 - miss ** (others + 1)) / ((others + 1) * (1 - miss));

/**
 * Every request is answered (within 1%: one that waits and declines meanwhile is not), and a first contender that has to wait is
 * pre-empted besides. Leaders ask those that agreed once more; others decline, at the one that refused them not.
 *
 * A first contender with all answers asks in step 2; should anybody of a larger rank wait for it, that one is refused in step 7 and
 * declines in step 8. Otherwise the largest rank has taken over all its mediators by step 5. Who is neither refused nor has all
 * answers waits until step 8.
 */
export function timedCosts(phase: SecondPhase, contenders: number): { messages: number; rounds: number } {
  if (contenders < 1) return { messages: 0, rounds: 0 };
  const { n, asked, agreed, share, loss, answers, unrefused } = phase;
  const unanswered = 1 - answers;
  const heard = (1 - loss) * share;
  const reaches = (asked / n) * (1 - loss);
  const waits = waiting(phase, contenders);
  const besideFirst = firstComes(contenders, unrefused.leads[1] ?? 0).leaders - 1;
  const leaders = answers * firstComes(contenders, missOf(phase)).leaders + unanswered * leadersOf(waits, contenders);
  const neverRefused = answers * (1 + besideFirst) + unanswered * leadersOf(unrefused, contenders);
  // Mediators of the first, and of others that nobody has refused, which another one asks that outranks it.
  const held = n * share * (1 - (1 - reaches) ** contenders) - asked * heard;
  const unrefusedShare = (leadersOf(unrefused, contenders) - 1) / contenders;
  const preempted = (asked * heard + held * unrefusedShare) * (1 - outranks(contenders - 1, 1 - reaches));
  const late = latest(unrefused, contenders, unanswered);
  const lateBeside = 1 - answers ** besideFirst;
  const last = asked > 1 ? 8 : 7;
  const alone = nobodyWaits(contenders, quorumMiss(n, asked));
  const complete = alone * (3 - loss ** asked) + (1 - alone) * last;
  const overdue = overdueIn(phase);
  const takenOver = (1 - 1 / contenders) * answers * (1 - late);
  return {
    messages:
      contenders * asked * (1 + heard) +
      leaders * agreed +
      (contenders - leaders) * (asked - 1) +
      Math.max(0, neverRefused - leaders) +
      unanswered * preempted,
    rounds:
      answers * (lateBeside * 9 + (1 - lateBeside) * complete) +
      unanswered * (takenOver * 6 + (1 - takenOver) * overdue),
  };
}

/** When the last message of one comes that has waited for answers until step 8, should any: otherwise, an answer or a request. */
function overdueIn({ asked, share, loss, answers }: SecondPhase): number {
  if (answers === 1) return 9;
  const hears = share * (1 - loss);
  const agrees = hears * (1 - loss);
  const unheard = ((1 - hears) ** asked - (agrees * loss) ** asked) / (1 - answers);
  const before = 2 - (1 - agrees) ** asked - (1 - hears) ** asked;
  return 9 * (1 - unheard) + before * unheard;
}

/** That one of those who come after the best is neither refused nor has all answers. */
function latest({ leads }: LeadingChances, contenders: number, unanswered: number): number {
  let none = 1;
  for (let i = 1; i < Math.min(contenders, leads.length); i++) none *= 1 - leads[i] * unanswered;
  return 1 - none;
}

/**
 * That no contender finds a mediator taken by one that it outranks: of those it meets among the j - 1 before it, the j-th outranks
 * all, and waits for them, with the chance of a record.
 */
function nobodyWaits(contenders: number, miss: number): number {
  if (miss === 0) return 1 / contenders;
  let none = 1;
  for (let j = 2; j <= Math.min(contenders, FOLLOWED) && none > 1e-9; j++)
    none *= 1 - (outranks(j - 1, miss) - miss ** (j - 1));
  return none;
}
