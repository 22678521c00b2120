/** Ramanathan et al., section 6: on a network that is not complete, random processes are found by random walks. */
import { describe, expect, test } from "vitest";
import { type Request, resolve } from "../../src/simulation/settings.ts";
import { runTrial, type Trial } from "../../src/simulation/trial.ts";
import { effort } from "../support/effort.ts";

function runs(trials: number, request: Request): Trial[] {
  const settings = resolve({ seed: 6, ...request });
  return Array.from({ length: trials }, (_, trial) => runTrial(settings, trial));
}
const share = (trials: readonly Trial[], outcome: string) =>
  trials.filter((trial) => trial.outcome === outcome).length / trials.length;
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

const PROTOCOLS = ["tournament", "tournament-async", "quorum", "referees"];
/** Contenders of Ramanathan et al. start by themselves; candidates of Kutten et al. are drawn among all. */
const starters = (protocol: string) => (protocol === "referees" ? {} : { initiators: 20 });

describe.each(effort(["ba:2"], ["ba:2", "star"]))("on %s", (topology) => {
  test.each(PROTOCOLS)(
    "%s elects as on a complete network, and reports hops beside end-to-end messages",
    (protocol) => {
      const trials = runs(10, { protocol, n: 256, topology, ...starters(protocol) });
      const ideal = runs(10, { protocol, n: 256, kernel: "off", ...starters(protocol) });
      // Errors are below 1/n per trial; two or more among ten come with probability 7e-4, and the seed is fixed.
      expect(share(trials, "one")).toBeGreaterThanOrEqual(0.9);
      for (const { messages, measures } of trials) expect(measures.hops).toBeGreaterThan(messages);
      // The same sizes, so about as many messages end to end: candidates of referees vary by a third per trial.
      const ratio = mean(trials.map((t) => t.messages)) / mean(ideal.map((t) => t.messages));
      expect(ratio).toBeGreaterThan(0.7);
      expect(ratio).toBeLessThan(1.4);
    },
  );
});

describe("n is believed wrong by a factor (estimate=)", () => {
  const success = (protocol: string, estimate: number, outcome: string) =>
    share(runs(20, { protocol, n: 500, topology: "regular:4", params: { estimate }, ...starters(protocol) }), outcome);

  test("a factor of 10 downwards elects several: quorums no longer meet", () => {
    for (const protocol of ["tournament", "tournament-async", "quorum"]) {
      expect(success(protocol, 0.1, "many")).toBeGreaterThan(0.5);
    }
  });

  test("a factor of 10 upwards costs quorum messages, and referees its candidates: sometimes nobody stands", () => {
    const cost = (estimate: number) =>
      mean(
        runs(3, { protocol: "quorum", n: 500, topology: "regular:4", initiators: 20, params: { estimate } }).map(
          (t) => t.messages,
        ),
      );
    expect(cost(10)).toBeGreaterThan(2 * cost(1));
    // 2 ln(10n) / 10 = 1.7 candidates are expected: nobody stands in e^-1.7 = 18% of all runs.
    const none = share(runs(200, { protocol: "referees", n: 500, params: { estimate: 10 } }), "none");
    expect(Math.abs(none - 0.182)).toBeLessThan(5 * 0.0273);
  });
});
