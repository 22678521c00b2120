/**
 * The council elections of Raz et al. under loss, exchange by exchange (chain.ts). A host that misses a feedback neither
 * replies nor changes its state; one whose reply is lost is active, and the centre does not know. Numbers of hosts beyond a few
 * dozen are followed at some points of their distribution.
 */
import { binomialBelow, binomialTerms } from "../chance.ts";
import type { Losses } from "../prediction.ts";
import { POINTS } from "../ramanathan/first-phase.ts";
import { type ElectionMeans, FeedbackChain, type Outlook } from "./chain.ts";
import { smaller } from "./raz.ts";
import type { CouncilName, CouncilSetting } from "./report.ts";

interface LossySetting extends CouncilSetting {
  readonly confirm: boolean;
  readonly lists: number;
  readonly limit: number;
}

/** What the centre says next and remembers, and the hosts that would follow it. */
interface State {
  readonly population: number;
  readonly reset: boolean;
  /** The population that a reset goes back to. */
  readonly memory: number;
  readonly overshot: boolean;
  /** Hosts that are active, and (history) those that were before the last draw. */
  readonly active: number;
  /** choice: 1 where those who are active are so in both draws. */
  readonly before: number;
}

interface World {
  readonly council: CouncilName;
  readonly setting: LossySetting;
  readonly hosts: number;
  /** That a host hears a feedback, and that its reply arrives. */
  readonly hears: number;
  readonly arrives: number;
  /** Chances below this are not followed. */
  readonly least: number;
}

interface Weighted {
  readonly value: number;
  readonly p: number;
}

/** Above this standard deviation a number is followed at five points: replies, and hosts that the centre does not know of. */
const wideFor = ({ setting }: World): number => Math.max(12, 1.2 * Math.sqrt(setting.U));
const WIDE_UNKNOWN = 2;

/** Numbers far above the range in steps of a thirtieth: no exchange depends on a single host there. */
function coarse(x: number, U: number): number {
  if (x <= 2 * U + 32) return x;
  const step = 2 ** Math.max(0, Math.floor(Math.log2(x)) - 4);
  return Math.round(x / step) * step;
}

const unheard = (n: number, p: number, least: number) => spread(n, p, least, WIDE_UNKNOWN);

function spread(n: number, p: number, least: number, wide: number): readonly Weighted[] {
  if (n <= 0 || p <= 0) return [{ value: 0, p: 1 }];
  if (p >= 1) return [{ value: n, p: 1 }];
  const sd = Math.sqrt(n * p * (1 - p));
  if (sd <= wide) return binomialTerms(n, p, least).filter((term) => term.p > least);
  return POINTS.map(([at, weight]) => ({ value: Math.min(n, Math.max(0, Math.round(n * p + at * sd))), p: weight }));
}

/** A whole number with this mean and about this variance: at two neighbours, or at three points. */
function near(mean: number, variance: number): readonly Weighted[] {
  const sd = Math.sqrt(3 * variance);
  if (sd < 1 || mean < sd) {
    const low = Math.floor(mean);
    return [
      { value: low, p: low + 1 - mean },
      { value: low + 1, p: mean - low },
    ].filter(({ p }) => p > 0);
  }
  return [
    { value: Math.round(mean - sd), p: 1 / 6 },
    { value: Math.round(mean), p: 2 / 3 },
    { value: Math.round(mean + sd), p: 1 / 6 },
  ];
}

function keyOf({ population, reset, memory, overshot, active, before }: State): string {
  return `${population} ${Number(reset)} ${memory} ${Number(overshot)} ${active} ${before}`;
}

/** Means and chances of an election under loss; hosts crash before it begins. */
export function lossyCouncil(
  council: CouncilName,
  { n, loss, multicastLoss, crash }: Losses & { readonly n: number },
  setting: LossySetting,
  // A search that is stuck with a wrong estimate is rare, and takes up to the limit.
  least = council === "unknown" && setting.base === "naive" ? 1e-7 : 1e-4,
): ElectionMeans {
  const total = { rounds: 0, messages: 0, pNone: 0, pMany: 0 };
  for (const { value: hosts, p } of livingHosts(n, crash)) {
    const election = electionAmong({ council, setting, hosts, hears: 1 - multicastLoss, arrives: 1 - loss, least }, n);
    for (const name of Object.keys(total) as (keyof ElectionMeans)[]) total[name] += p * election[name];
  }
  return total;
}

/** Where there are too many states, the rarer of them are given up. */
function electionAmong(world: World, n: number): ElectionMeans {
  const chain = new FeedbackChain<State>(keyOf, (state, outlook) => exchange(world, state, outlook), world.least);
  return chain.run(opening(world, n), world.setting.limit) ?? electionAmong({ ...world, least: 8 * world.least }, n);
}

/** Few hosts: every number of live ones; more: three points; many: their mean. */
function livingHosts(n: number, crash: number): readonly Weighted[] {
  if (crash === 0) return [{ value: n, p: 1 }];
  if (n <= 40) {
    const terms = binomialTerms(n, 1 - crash, 1e-6).filter(({ p }) => p > 1e-6);
    const total = terms.reduce((sum, { p }) => sum + p, 0);
    return terms.map(({ value, p }) => ({ value, p: p / total }));
  }
  return near(n * (1 - crash), n > 2000 ? 0 : n * crash * (1 - crash));
}

function opening({ council, setting, hosts }: World, n: number): State {
  const population = council === "unknown" ? setting.guess! : n * (setting.estimate ?? 1);
  const polls = council === "basic" || (council === "choice" && setting.base === "basic");
  return {
    population,
    reset: !polls,
    memory: population,
    overshot: false,
    active: polls ? hosts : 0,
    before: council === "history" ? hosts : polls && council === "choice" ? 1 : 0,
  };
}

/** What the centre does after this many replies; null: the council stands. */
function next({ council, setting }: World, state: State, count: number): Omit<State, "active" | "before"> | null {
  const { L, U } = setting;
  if (count >= L && count <= U) return null;
  const { memory, overshot } = state;
  const base = council === "unknown" ? "unknown" : council === "choice" ? setting.base! : council;
  if (base === "naive") return { population: state.population, reset: true, memory, overshot };
  if (base === "basic") return { population: count, reset: false, memory: 0, overshot };
  if (base === "history") {
    if (count < L) return { population: memory, reset: true, memory, overshot };
    return { population: count, reset: false, memory: count, overshot };
  }
  const larger = Math.max(memory, count);
  if (base === "skip-reset") {
    return count < L
      ? { population: larger, reset: true, memory: larger, overshot }
      : { population: count, reset: false, memory: larger, overshot };
  }
  if (count < L) {
    const keeps = (overshot && setting.reading !== "printed") || memory === 0;
    const guess = keeps ? memory : (smaller(memory, setting, setting as never) ?? 0);
    return { population: guess, reset: true, memory: guess, overshot };
  }
  return setting.base === "naive"
    ? { population: larger, reset: true, memory: larger, overshot: true }
    : { population: count, reset: false, memory: larger, overshot: true };
}

/** The chance with which a host that draws replies; a population below L asks everybody. */
function replyChance({ council, setting }: World, population: number): number {
  const { L, U, c } = setting;
  if (council === "naive") return Math.min(1, c / population);
  if (population < L && council !== "history") return 1;
  const stays = setting.reading === "printed" && council !== "basic" ? population < U : population <= U;
  return stays ? 1 : Math.min(1, c / population);
}

function exchange(world: World, state: State, outlook: Outlook<State>): void {
  const { council, setting } = world;
  const p = replyChance(world, state.population);
  const everybody = state.reset || (state.population < setting.L && council !== "history");
  if (council === "choice") twoDraws(world, state, p, everybody, outlook);
  else if (council === "history") backByOne(world, state, p, outlook);
  else oneDraw(world, state, p, everybody, outlook);
}

/** So many were heard, and so many are active. */
function concluded(
  world: World,
  state: State,
  count: number,
  active: number,
  before: number,
  p: number,
  outlook: Outlook<State>,
): void {
  const { setting, hears } = world;
  const { U } = setting;
  const then = next(world, state, coarse(count, U));
  if (then !== null) outlook.goesOn({ ...then, active: coarse(active, U), before: coarse(before, U) }, p);
  else if (setting.confirm) outlook.stands(p, binomialBelow(count, 1 - (1 - hears) ** setting.lists, setting.L), 0);
  else outlook.stands(p, 0, active > setting.U ? 1 : 0);
}

/** Each active host draws, or each host at all; who misses the feedback stays as it was. */
function oneDraw(world: World, state: State, p: number, everybody: boolean, outlook: Outlook<State>): void {
  const { hosts, hears, arrives, least } = world;
  const { active } = state;
  const drawing = everybody ? hosts : active;
  const heard = hears * p * arrives;
  const lost = hears * p * (1 - arrives);
  outlook.sent = drawing * hears * p;
  for (const count of spread(drawing, heard, least, wideFor(world))) {
    const actives = Math.min(active, Math.round((count.value * active) / Math.max(1, drawing)));
    const others = drawing - active - (count.value - actives);
    const silent = (share: number) => (heard >= 1 ? 0 : share / (1 - heard));
    for (const stay of unheard(active - actives, silent(1 - hears + lost), least)) {
      for (const hidden of unheard(Math.max(0, others), silent(lost), least)) {
        const chance = count.p * stay.p * hidden.p;
        if (chance < least) continue;
        concluded(world, state, count.value, count.value + stay.value + hidden.value, 0, chance, outlook);
      }
    }
  }
}

/** history: after an undershoot those draw again that were active before the last draw. */
function backByOne(world: World, state: State, p: number, outlook: Outlook<State>): void {
  const { hears, arrives, least } = world;
  const { active, before, reset } = state;
  const drawing = active + (reset ? before : 0);
  const heard = hears * p * arrives;
  outlook.sent = drawing * hears * p;
  const rest = 1 - heard;
  for (const count of spread(drawing, heard, least, wideFor(world))) {
    const actives = drawing === 0 ? 0 : Math.min(active, Math.round((count.value * active) / drawing));
    const waiting = active - actives;
    const share = (part: number) => (rest <= 0 ? 0 : part / rest);
    const lost = share(hears * p * (1 - arrives));
    const beforeLeft = reset ? before - (count.value - actives) : before;
    for (const stay of unheard(waiting, Math.min(1, share(1 - hears) + lost), least)) {
      for (const hidden of unheard(reset ? Math.max(0, beforeLeft) : 0, lost, least)) {
        const chance = count.p * stay.p * hidden.p;
        if (chance < least) continue;
        const kept = reset ? beforeLeft - hidden.value : before * (1 - hears);
        const variance = reset ? 0 : before * hears * (1 - hears);
        for (const { value, p } of near(Math.max(0, kept), variance)) {
          const after = value + waiting - stay.value;
          concluded(world, state, count.value, count.value + stay.value + hidden.value, after, chance * p, outlook);
        }
      }
    }
  }
}

/** Who misses a feedback, and was active in one draw, is so in the one that counts next with about this chance. */
const STAYS = 0.75;

/** choice: two coins per host; both draws come from the same hosts that hear and are heard. */
function twoDraws(world: World, state: State, p: number, everybody: boolean, outlook: Outlook<State>): void {
  const { hosts, hears, arrives, least } = world;
  const { active } = state;
  const drawing = everybody ? hosts : active;
  const reaches = hears * arrives;
  outlook.sent = drawing * hears * p * (2 - p);
  const staysActive = state.before === 1 ? 1 : STAYS;
  const both = p >= 1 ? 1 : 0;
  // Of many hosts the two draws are as good as independent.
  const many = drawing > 120 && p < 0.5;
  for (const present of many ? [{ value: drawing, p: 1 }] : spread(drawing, reaches, least, wideFor(world))) {
    const silent = many ? 1 : 1 - reaches;
    const staying = everybody && many ? active : ((drawing - present.value) * active) / Math.max(1, drawing);
    const lost = (hears * (1 - arrives) * p) / silent;
    const draws = spread(present.value, many ? p * reaches : p, least, wideFor(world));
    const second = secondDraw(world.setting, draws);
    for (const count of betterOf(world.setting, draws)) {
      const stays = unheard(
        Math.round(many && !everybody ? active - count.value : staying),
        ((1 - hears) * staysActive) / silent,
        least,
      );
      for (const stay of stays) {
        const missing = many ? drawing - count.value : drawing - present.value;
        for (const hidden of unheard(Math.max(0, missing), Math.min(1, lost), least)) {
          const chance = present.p * count.p * stay.p * hidden.p;
          if (chance < least) continue;
          const members = count.value + stay.value + hidden.value;
          if (world.setting.confirm || hears === 1 || next(world, state, count.value) !== null)
            concluded(world, state, count.value, members, both, chance, outlook);
          else {
            concluded(world, state, count.value, members, both, chance * (1 - second.p), outlook);
            const { none, many } = afterMissedCloses(world, members, second.value);
            outlook.stands(chance * second.p, none, many);
          }
        }
      }
    }
  }
}

/** How often a draw within the range is the second one, and how many the first has then. */
function secondDraw({ L, U }: LossySetting, draws: readonly Weighted[]): Weighted {
  const within = ({ value }: Weighted) => value >= L && value <= U;
  const outside = draws.filter((draw) => !within(draw));
  const p = outside.reduce((sum, draw) => sum + draw.p, 0);
  const mean = p === 0 ? 0 : outside.reduce((sum, draw) => sum + draw.value * draw.p, 0) / p;
  return { value: Math.round(mean), p: p / (1 + p) };
}

/** A node that misses the close goes by the first draw. So some of the second draw do not serve, and some of the first do. */
function afterMissedCloses({ setting, hears, least }: World, second: number, first: number) {
  let [none, many] = [0, 0];
  for (const stays of binomialTerms(second, hears, least)) {
    for (const more of binomialTerms(first, 1 - hears, least)) {
      const size = stays.value + more.value;
      if (size < setting.L) none += stays.p * more.p;
      if (size > setting.U) many += stays.p * more.p;
    }
  }
  return { none, many };
}

/** The centre's choice of two draws: one within the range, otherwise the smaller overshoot, otherwise the first. */
function betterOf({ L, U }: LossySetting, draws: readonly Weighted[]): readonly Weighted[] {
  const total = (from: number, to: number) =>
    draws.reduce((sum, { value, p }) => (value >= from && value <= to ? sum + p : sum), 0);
  const within = total(L, U);
  const under = total(0, L - 1);
  return draws.map(({ value, p }) => {
    if (value >= L && value <= U) return { value, p: p * (2 - within) };
    if (value < L) return { value, p: p * under };
    const above = total(value + 1, Number.POSITIVE_INFINITY);
    return { value, p: p * (2 * (above + under) + p) };
  });
}
