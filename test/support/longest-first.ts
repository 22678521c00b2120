/**
 * What takes longest begins first, so that no core waits for it at the end. Vitest goes by the durations of the last run, and where it
 * knows none, as on a fresh clone, by the sizes of files; but the longest tests have the smallest.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Seconds, where it is more than some, on two cores. */
const SECONDS: Readonly<Record<string, number>> = {
  "test/docs.test.ts": 80,
  "test/lab/watch.test.ts": 43,
  "test/reproduction/gupta.test.ts": 38,
  "test/reproduction/ramanathan.test.ts": 36,
  "test/campaign/nats-processes.test.ts": 40,
  "test/lab/live-processes.test.ts": 35,
  "test/lab/views.test.ts": 31,
  "test/cli/demo-processes.test.ts": 31,
  "test/group/simulation.test.ts": 29,
  "test/cli/pack.test.ts": 27,
  "test/cli/simulate.test.ts": 25,
  "src/protocols/membership/predict.test.ts": 22,
  "test/papers/gupta.test.ts": 20,
  "test/cli/own-protocol.test.ts": 20,
  "src/registry/predict.test.ts": 20,
  "test/group/strict.test.ts": 20,
  "test/cli/commands.test.ts": 20,
  "test/cli/live.test.ts": 20,
  "test/cli/errors.test.ts": 17,
  "test/reproduction/kutten.test.ts": 16,
  "test/agent/processes.test.ts": 15,
  "src/statistics/precision.test.ts": 14,
  "src/protocols/group/filter-relay.test.ts": 13,
  "test/group/live.test.ts": 13,
  "test/cli/theory.test.ts": 13,
  "test/cli/sweep.test.ts": 13,
  "test/tutorial/tutorial.test.ts": 13,
  "test/explorer/reduction.test.ts": 12,
  "src/planner/plan.test.ts": 12,
  "test/reproduction/raz.test.ts": 12,
  "test/papers/gnutella.test.ts": 12,
  "test/agent/rolling-processes.test.ts": 12,
  "test/papers/ramanathan-timed.test.ts": 11,
};

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Those of a project stay together: some share their processes.
    return [...new Set(sorted.map(({ project }) => project))].flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((a, b) => this.seconds(b) - this.seconds(a)),
    );
  }

  private seconds({ moduleId }: TestSpecification): number {
    return SECONDS[moduleId.slice(this.ctx.config.root.length + 1)] ?? 0;
  }
}
