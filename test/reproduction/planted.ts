/** Results that were never run: what a judge says of them shows whether its criteria can fail. */
import type { Bench, DeclaredRun, FoundValue, Judged, Over, Test } from "../../src/reproduce/claim.ts";
import { all, measuredValue } from "../../src/reproduce/criteria.ts";
import type { Request } from "../../src/simulation/settings.ts";
import { rateOf } from "../../src/statistics/intervals.ts";
import type { Report, Summary } from "../../src/statistics/report.ts";

export interface World {
  /** How many elections of a campaign end with nobody, one and several leaders. */
  readonly trials: (asked: number) => number;
  readonly outcome: (what: string) => "none" | "one" | "many";
  /** The mean of anything that is measured. */
  readonly value: (n: number, what: string) => number;
}

/** Between 0 and 1, the same for the same text. (FNV-1a.) */
export function hashed(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}

const summary = (mean: number, trials: number): Summary => ({
  mean,
  low: trials < 2 ? null : mean * 0.999,
  high: trials < 2 ? null : mean * 1.001,
  sd: trials < 2 ? null : mean * 0.1,
  min: mean,
  p50: mean,
  p90: mean,
  p99: mean,
  max: mean,
});

/** Whatever it is called. */
const anything = <T>(of: (name: string) => T) =>
  new Proxy({}, { get: (_, name) => (typeof name === "string" ? of(name) : undefined) }) as Record<string, T>;

function reportOf(request: Request, asked: number, world: World): Report {
  const n = request.n ?? 1;
  const trials = world.trials(asked);
  const measured = (name: string) => summary(world.value(n, name + JSON.stringify(request)), trials);
  const outcomes = { none: 0, one: 0, many: 0, [world.outcome(JSON.stringify(request))]: trials };
  return {
    n,
    trials,
    seed: 1,
    outcomes,
    success: rateOf(outcomes.one, trials),
    messages: measured("messages"),
    rounds: measured("rounds"),
    bits: measured("bits"),
    measures: anything(measured),
    series: anything(() => [n, n, n]),
  } as unknown as Report;
}

/** A bench on which nothing is run. */
export function plantedBench(world: World): Bench {
  const effort = "quick";
  const trialsOf = (trials: DeclaredRun[1]) => (typeof trials === "number" ? trials : trials[0]);
  const report = ([request, trials]: DeclaredRun) => reportOf(request, trialsOf(trials), world);
  return {
    effort,
    trials: (quick) => world.trials(quick),
    step: () => {},
    async simulate(_run, _x, declared, take) {
      const found = report(declared);
      const { trials, outcomes } = found;
      const rounds = outcomes.one > 0 ? 1 : 2;
      const trial = { outcome: "one", leader: 1, messages: 1, bits: 1, series: {}, measures: { strong: 1 } } as const;
      take(Array.from({ length: trials }, (_, number) => ({ ...trial, trial: number, rounds })));
      return found;
    },
    async runs(declared) {
      const ran = Object.entries(declared).map(([name, wanted]) => {
        if (!("xs" in wanted)) return [name, report(wanted)];
        const { xs: either, run } = wanted as Over<unknown>;
        const xs = "quick" in either ? either[effort] : either;
        const reports = xs.map((x, i) => report(run(x, i)));
        return [name, Object.assign(reports, { xs, of: (x: unknown) => reports[xs.indexOf(x)] })];
      });
      return Object.fromEntries(ran);
    },
  };
}

/** Values that a test of a value is tried with. */
const planted = (value: number) => [-1e12, -1, 0, 1e-9, 0.5, 1, 1e12, value / 2, 0.9 * value, 1.1 * value, 2 * value];

/** The same facts with every number another one, every truth turned round and every text a different one. */
function replaced(facts: unknown, other: (old: number) => number, truth: (old: boolean) => boolean): unknown {
  if (typeof facts === "number") return other(facts);
  if (typeof facts === "boolean") return truth(facts);
  if (typeof facts === "string") return `not ${facts}`;
  if (facts === null) return other(0);
  if (Array.isArray(facts)) return facts.map((one) => replaced(one, other, truth));
  return Object.fromEntries(Object.entries(facts as object).map(([key, one]) => [key, replaced(one, other, truth)]));
}

export const verdictOf = (judged: Judged) => {
  const [found, test] = (Array.isArray(judged) ? judged : [null, judged]) as [FoundValue | null, Test];
  const { ours } = found === null ? { ours: null } : measuredValue(found);
  if (test === "digits") return "holds";
  if (typeof test === "object") return all(test.decide(test.facts));
  return all(typeof test === "function" ? test(ours as number) : test);
};

/** Whether a test of the value itself would fail for another value. */
export function failsForAnother(judged: Judged): boolean {
  const [found, test] = (Array.isArray(judged) ? judged : [null, judged]) as [FoundValue | null, Test];
  if (test === "digits") return true;
  if (typeof test === "object") {
    const { facts } = test as { facts: unknown };
    const others = [
      ...planted(1).map((value) => () => value),
      (old: number) => old / 2,
      (old: number) => 2 * old,
      (old: number) => 1 - old,
    ];
    const truths = [(old: boolean) => !old, () => false];
    return others.some((other) =>
      truths.some((truth) => all(test.decide(replaced(facts, other, truth) as never)) === "does not hold"),
    );
  }
  if (typeof test !== "function" || found === null) return false;
  const { ours } = measuredValue(found);
  const others = typeof ours === "number" ? planted(ours) : ["something else" as never];
  return others.some((value) => all(test(value)) === "does not hold");
}
