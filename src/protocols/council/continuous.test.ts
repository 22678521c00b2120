/**
 * The lasting council, and the paper's open question measured: the early refill against the plain restart. Comparisons
 * of availability are by far more than 5 standard errors of the runs' differences; seeds are fixed.
 */
import { describe, expect, test } from "vitest";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { batch } from "./continuous-centre.ts";

/** An hour of fifty hosts, each of which stays for six minutes on average; ten runs. */
function watch(params: object, faults = {}, trials = 10, n = 50) {
  const settings = resolve({
    protocol: "council-continuous",
    n,
    params: { stay: 0.1, hours: 1, ...params },
    faults,
    kernel: "off",
  });
  const runs = Array.from({ length: trials }, (_, trial) => runTrial(settings, trial));
  const mean = (value: (index: number) => number) => runs.reduce((sum, _, i) => sum + value(i), 0) / trials;
  const of = (name: string) => {
    const average = mean((i) => runs[i].measures[name]);
    const variance = mean((i) => (runs[i].measures[name] - average) ** 2);
    return { mean: average, error: Math.sqrt(variance / (trials - 1)) };
  };
  return { of, runs };
}

describe("without churn", () => {
  test("a council is elected once and stays", () => {
    for (const policy of ["restart", "refill"]) {
      const { of, runs } = watch({ policy, stay: 0, hours: 0.1 });
      expect(of("availability").mean).toBeGreaterThan(0.97);
      for (const { outcome, measures, messages } of runs) {
        expect(outcome).toBe("one");
        expect(measures.rounds).toBe(360);
        expect(Math.round(measures.hourly * 0.1)).toBe(messages);
      }
    }
  });

  test("Figs. 8 and 12 as printed, N_c < U: a council of U members draws for its seats again and loses some", () => {
    const [repaired, printed] = ["repaired", "printed"].map((reading) =>
      watch({ policy: "restart", stay: 0, hours: 0.1, L: 3, U: 4, reading }).runs.map(({ measures }) => measures.size),
    );
    expect(repaired).toContain(4);
    expect(printed).toEqual(printed.map(() => 3));
  });
});

describe("hosts come and go", () => {
  const restart = watch({ policy: "restart" });
  const refill = watch({ policy: "refill" });

  test("the refill is available for more of the time than the restart", () => {
    const [plain, early] = [restart.of("availability"), refill.of("availability")];
    expect(plain.mean).toBeLessThan(0.996);
    expect(early.mean).toBeGreaterThan(0.9993);
    expect(early.mean - plain.mean).toBeGreaterThan(5 * Math.hypot(plain.error, early.error));
  });

  test("at fewer messages for electing, and with fewer changes of members", () => {
    for (const name of ["overhead", "seats"]) {
      expect(refill.of(name).mean).toBeLessThan(0.75 * restart.of(name).mean);
    }
    expect(refill.of("elections").mean).toBe(0);
  });

  test("its price: a council that does not run low has more members, which reply more", () => {
    expect(refill.of("hourly").mean / restart.of("hourly").mean).toBeGreaterThan(1.1);
    expect(refill.of("hourly").mean).toBeLessThan(8 * 3600);
  });

  test("it never seats more than U where no reply is lost", () => {
    for (const { outcome, measures } of refill.runs) {
      expect(outcome).toBe("one");
      expect(measures.size).toBeLessThanOrEqual(8);
    }
  });

  test("also under loss of replies and feedback", () => {
    const faults = { loss: 0.02, multicastLoss: 0.02 };
    const [plain, early] = ["restart", "refill"].map((policy) => watch({ policy }, faults).of("availability"));
    expect(early.mean - plain.mean).toBeGreaterThan(5 * Math.hypot(plain.error, early.error));
    expect(early.mean).toBeGreaterThan(0.997);
  });

  test("also for a range as narrow as [4, 5]", () => {
    const [plain, early] = ["restart", "refill"].map((policy) => watch({ policy, L: 4, U: 5 }).of("availability"));
    expect(early.mean - plain.mean).toBeGreaterThan(5 * Math.hypot(plain.error, early.error));
  });
});

describe("a partition comes and heals", () => {
  const half = Array.from({ length: 25 }, (_, i) => i + 1);
  const faults = { partitions: [{ groups: [half], from: 2400, to: 4800 }] };

  test("the council is whole again within seconds, and at the end nobody has a seat too many", () => {
    for (const policy of ["restart", "refill"]) {
      const { of, runs } = watch({ policy, stay: 2 }, faults);
      expect(of("availability").mean).toBeGreaterThan(0.99);
      for (const { outcome } of runs) expect(outcome).toBe("one");
    }
  });

  test("without leases those who were cut off come back on top of the others", () => {
    const [short, endless] = [5, 100_000].map((lease) => watch({ stay: 0, lease }, faults).of("availability"));
    expect(short.mean).toBeGreaterThan(endless.mean);
  });
});

test("a batch of offers is best where its two ends are equally likely: sqrt(1·2) for one or two", () => {
  expect(batch(1, 2)).toBeCloseTo(Math.SQRT2, 12);
  expect(batch(4, 8)).toBeCloseTo((4 * 5 * 6 * 7 * 8) ** 0.2, 12);
  const chance = (mean: number) => mean * Math.exp(-mean) * (1 + mean / 2);
  for (const other of [1.3, 1.5]) expect(chance(Math.SQRT2)).toBeGreaterThan(chance(other));
});

test("bad thresholds are refused", () => {
  const ask = (low: number) => () => resolve({ protocol: "council-continuous", n: 50, params: { low } });
  expect(ask(3)).toThrow("low = 3 must be at least L = 4 and less than U = 8");
  expect(ask(8)).toThrow("low = 8");
  expect(ask(7)).not.toThrow();
});
