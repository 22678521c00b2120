import { describe, expect, test } from "vitest";
import { NO_FAULTS } from "../../host/faults/faults.ts";
import { runLockstep } from "../../host/lockstep.ts";
import { type Request, resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { complete } from "../../topology/complete.ts";
import { compareLotRanks, drawLotRank } from "../ranks.ts";
import { referees } from "./referees.ts";

const run = (n: number, trials: number, params: Request["params"] = {}, rest: Partial<Request> = {}) => {
  const settings = resolve({ protocol: "referees", n, seed: 11, kernel: "off", params: params!, ...rest });
  return Array.from({ length: trials }, (_, trial) => runTrial(settings, trial));
};
const share = (trials: readonly { outcome: string }[], outcome: string) =>
  trials.filter((trial) => trial.outcome === outcome).length / trials.length;
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

describe("referees", () => {
  test("messages are the requests and one notification per referee that was asked; two rounds", () => {
    for (const { messages, rounds, measures } of run(200, 30)) {
      const asked = measures.candidates * 2 * Math.ceil(Math.sqrt(200 * Math.log(200)));
      expect(messages).toBe(asked + measures.wins);
      expect(measures.wins).toBeLessThanOrEqual(Math.min(asked, 200));
      expect(rounds).toBe(measures.candidates === 0 ? 0 : 2);
      expect(measures.undecided).toBe(0);
    }
  });

  test("where everybody asks everybody, every process is a referee once: n(n-1) + n messages", () => {
    for (const trial of run(20, 10, { candidates: 20, referees: 1000 })) {
      expect(trial).toMatchObject({ outcome: "one", messages: 20 * 19 + 20, rounds: 2, measures: { candidates: 20 } });
    }
  });

  test("explicit: the leader tells n-1 others, one more round", () => {
    for (const trial of run(50, 20, { explicit: true })) {
      if (trial.outcome !== "one") continue;
      expect(trial.measures.announcements).toBe(49);
      expect(trial.rounds).toBe(3);
    }
  });

  test("without candidates it ends at once, and says that nobody leads", () => {
    for (const trial of run(50, 5, { candidates: 0 })) {
      expect(trial).toMatchObject({ outcome: "none", messages: 0, rounds: 0, measures: { undecided: 0 } });
    }
  });

  test("two processes are each other's only referee, so both may lead: Algorithm 1 as printed needs n >= 3", () => {
    for (const trial of run(2, 50, { candidates: 2 })) expect(trial.outcome).toBe("many");
    expect(() => run(1, 1)).toThrow("at least 2");
  });
});

describe("adversarial wake-up", () => {
  const adversarial = { wakeup: "adversarial" };

  test("a referee answers in its first round only, so notifications are at most one per process", () => {
    for (const { measures, rounds, outcome } of run(100, 50, { ...adversarial, candidates: 30 })) {
      expect(outcome).toBe("one");
      expect(measures.wins).toBeLessThanOrEqual(100);
      expect(rounds).toBeLessThanOrEqual(12);
    }
  });

  test("one-then-rest: if the one is a candidate it leads, and is done long before the rest wakes", () => {
    // Everybody is a candidate and asks everybody: the first that wakes wins all in round 3, the others wake by
    // its request in round 2, and in round 4 the last answer is the first one's own, as a referee.
    for (const trial of run(30, 10, { ...adversarial, wake: "one-then-rest:500", candidates: 30, referees: 29 })) {
      expect(trial.outcome).toBe("one");
      expect(trial.rounds).toBe(4);
    }
    // With few candidates the one hardly ever is one, and nothing happens before round 500.
    const late = run(500, 20, { ...adversarial, wake: "one-then-rest:500" }).filter(({ rounds }) => rounds === 502);
    expect(late.length).toBeGreaterThan(15);
  });

  test("uniform:1 is the simultaneous protocol, one round later", () => {
    const together = run(100, 20);
    const woken = run(100, 20, { ...adversarial, wake: "uniform:1" });
    for (const [i, trial] of woken.entries()) {
      expect(trial.messages).toBe(together[i].messages);
      expect(trial.outcome).toBe(together[i].outcome);
      expect(trial.rounds).toBe(together[i].rounds + 1);
    }
  });

  test("what is no schedule is refused", () => {
    for (const wake of ["uniform:0", "uniform:x", "sometimes", "one-then-rest:-1"]) {
      expect(() => run(10, 1, { ...adversarial, wake })).toThrow("wake must be uniform:R or one-then-rest:R");
    }
  });
});

describe("under loss and crash", () => {
  // 414 round trips of one candidate at n = 5000, each way 1% lost: all survive with probability 2e-4.
  test("the printed rule elects nobody: 40 trials at 1% loss", () => {
    expect(share(run(5000, 40, {}, { faults: { loss: 0.01 } }), "none")).toBe(1);
  });

  test("refusals and a threshold elect one, at 1% and at 10% loss, and with 5% crashed", () => {
    // A loser misses all refusals with probability about n^-(4 (1-q)^3) = 1e-11 at q = 0.1; the leader stays below 60%
    // of 414 answers, where 81% are expected, with less (Hoeffding: e^-36).
    const params = { answers: "all", threshold: 0.6 };
    for (const faults of [{ loss: 0.01 }, { loss: 0.1 }, { crash: 0.05 }, { loss: 0.05, crash: 0.05 }]) {
      expect(share(run(5000, 25, params, { faults }), "one")).toBe(1);
    }
  });

  test("every run ends, whatever is lost", () => {
    for (const trial of run(100, 10, {}, { faults: { loss: 1 } })) {
      expect(trial).toMatchObject({ outcome: "none", measures: { undecided: 0 } });
    }
  });
});

test("simultaneous wake-up keeps to CONGEST: one message per link, direction and round, of O(log n) bits", () => {
  const protocol = { ...referees, assumes: { ...referees.assumes, congest: true } };
  for (const n of [3, 30, 3000]) {
    const { params } = resolve({ protocol: "referees", n, params: { explicit: true } });
    const setup = {
      protocol,
      params,
      topology: complete(n),
      ids: null,
      initiators: null,
      crashed: [],
      faults: NO_FAULTS,
    };
    for (let trial = 0; trial < 5; trial++) {
      const { messages, bits } = runLockstep({ ...setup, seed: 3, trial });
      expect(bits / Math.max(1, messages)).toBeLessThan(64 + 8 * Math.ceil(Math.log2(n)));
    }
  }
});

test("ranks are uniform in [1, n^4], in two halves, and a tie is broken by lot", () => {
  const asked: number[] = [];
  drawLotRank(10, { choose: (n) => asked.push(n) });
  drawLotRank(1e9, { choose: (n) => asked.push(n) });
  expect(asked).toEqual([100, 100, 2 ** 32, 2 ** 53, 2 ** 53, 2 ** 32]);
  const rank = { high: 5, low: 5, lot: 5 };
  expect(compareLotRanks({ ...rank, high: 6, low: 0 }, rank)).toBeGreaterThan(0);
  expect(compareLotRanks({ ...rank, low: 4 }, rank)).toBeLessThan(0);
  expect(compareLotRanks({ ...rank, lot: 6 }, rank)).toBeGreaterThan(0);
  expect(compareLotRanks({ ...rank }, rank)).toBe(0);
});

test("wrong n: believing in ten times as many costs messages, in a tenth of them costs candidates", () => {
  const cost = (estimate: number) => mean(run(2000, 20, { estimate }).map(({ messages }) => messages));
  const candidates = (estimate: number) => mean(run(2000, 20, { estimate }).map(({ measures }) => measures.candidates));
  expect(candidates(0.1)).toBeGreaterThan(60);
  expect(candidates(10)).toBeLessThan(6);
  expect(cost(0.1)).toBeGreaterThan(cost(1));
});
