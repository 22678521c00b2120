/**
 * What takes longest begins first, so that no core waits for it at the end. Vitest goes by the durations of the last run, and where it
 * knows none, as on a fresh clone, by the sizes of files; but the longest tests have the smallest.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Seconds, where it is more than some, on two cores. */
const SECONDS: Readonly<Record<string, number>> = {
  "test/docs.test.ts": 46,
  "test/campaign/nats-processes.test.ts": 12,
  "test/cli/demo-processes.test.ts": 38,
  "test/lab/live-processes.test.ts": 32,
  "test/run/ends.test.ts": 31,
  "test/run/faults.test.ts": 29,
  "test/cli/live.test.ts": 25,
  "test/run/guarded.test.ts": 24,
  "test/lab/views.test.ts": 22,
  "src/planner/plan.test.ts": 19,
  "test/live/processes.test.ts": 18,
  "test/cli/own-protocol.test.ts": 18,
  "test/examples/examples-processes.test.ts": 18,
  "test/lab/watch.test.ts": 17,
  "test/agent/processes.test.ts": 16,
  "test/group/strict.test.ts": 15,
  "test/cli/theory.test.ts": 14,
  "test/explorer/reduction.test.ts": 14,
  "test/engines/stores.test.ts": 15,
  "test/tutorial/tutorial.test.ts": 13,
  "test/lab/stage.test.ts": 12,
  "test/engines/linear.test.ts": 11,
  "test/cli/explore.test.ts": 11,
  "test/run/jobs.test.ts": 9,
  "test/lab/share.test.ts": 9,
  "test/agent/floods-processes.test.ts": 8,
  "src/protocols/group/filter-relay.test.ts": 13,
  "test/group/live.test.ts": 12,
  "test/agent/rolling-processes.test.ts": 12,
  "test/explorer/lease.test.ts": 12,
  "test/group/simulation.test.ts": 11,
  "src/statistics/precision.test.ts": 11,
  "src/registry/predict.test.ts": 10,
  "test/cli/completion.test.ts": 10,
  "test/explorer/rings.test.ts": 9,
  "test/cli/pack.test.ts": 9,
  "test/live/lease-stores.test.ts": 9,
  "test/live/lease-postgres.test.ts": 9,
  "test/live/group-parted.test.ts": 8,
  "test/live/lease-sqlite.test.ts": 8,
  "test/live/library-docs.test.ts": 8,
  "test/cli/simulate.test.ts": 8,
  "src/protocols/graph/flood-max.test.ts": 8,
  "test/lab/hostile.test.ts": 8,
  "src/protocols/graph/network-size.test.ts": 7,
  "src/kernels/filter-relay/filter-relay.test.ts": 7,
  "test/conformance/protocols.test.ts": 7,
  "test/examples/clients-processes.test.ts": 7,
  "test/agent/http-malformed.test.ts": 7,
  "src/protocols/membership/predict.test.ts": 7,
  "src/campaign/campaign.test.ts": 7,
  "test/engines/sqlite-processes.test.ts": 6,
  "test/explorer/referees-async.test.ts": 6,
  "test/explorer/ramanathan.test.ts": 6,
  "test/agent/http.test.ts": 6,
  "src/protocols/ring/chang-roberts.test.ts": 6,
  "test/live/group-of-25.test.ts": 6,
  "test/papers/sampling.test.ts": 6,
  "src/campaign/rare.test.ts": 6,
  "test/explorer/term-rule.test.ts": 6,
  "test/agent/http-fence.test.ts": 6,
  "src/kernels/drawn-settings.test.ts": 6,
  "src/protocols/council/continuous.test.ts": 5,
  "src/planner/promises.test.ts": 5,
  "src/topology/mixing.test.ts": 5,
  "src/protocols/ring/hirschberg-sinclair.test.ts": 5,
  "test/agent/http-contract.test.ts": 5,
  "src/explorer/probability/probabilities.test.ts": 5,
  "src/protocols/graph/tree-election.test.ts": 5,
  "test/group/strict-planted.test.ts": 5,
  "test/conformance/own-protocols.test.ts": 5,
  "test/papers/gnutella.test.ts": 5,
  "test/explorer/twins.test.ts": 5,
  "test/keys/rotation.test.ts": 5,
  "test/cli/reproduce.test.ts": 5,
  "test/cli/group.test.ts": 5,
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
