/** Groups in strict mode on the events host: n members, of which m0 comes first, and an engine, node n. Milliseconds. */
import { DEFAULT_ATTRIBUTES } from "../../src/elector/params.ts";
import type { GroupEvent } from "../../src/elector/report.ts";
import type { GroupState } from "../../src/elector/state.ts";
import type { Chance } from "../../src/host/faults/faults.ts";
import type { ModelEngineReport } from "../../src/protocols/lease/model.ts";
import { type GroupRunOptions, runGroup } from "./group-run.ts";

export function runStrict(options: GroupRunOptions) {
  const { n, params, lease = {} } = options;
  const attributesOf = { 0: { ...DEFAULT_ATTRIBUTES, priority: 1 } };
  const group = runGroup({ ...options, lease, params: { attributesOf, ...params } });
  return {
    ...group,
    engine: n,
    /** Until somebody leads, and its watchers sit. */
    begin(): number {
      group.settle(5000);
      group.pass(3000);
      return group.agreed()!;
    },
    state: (node: number) => (group.run.state(node) as { state: GroupState }).state,
    /** By the engine's word. */
    holder: (seat = "leader") =>
      (group.run.report(n) as ModelEngineReport).seats.find((each) => each.seat === seat)?.holder ?? null,
    events: (event: GroupEvent["event"]) => group.told.filter((each) => each.event === event),
  };
}

/** Nothing passes between one member and others, while both reach the engine. */
export function apart(node: number, others: readonly number[], from: number, to: number | null = null): Chance[] {
  const lost = (link: readonly [number, number]) => ({ rate: 1, kind: "both", link, from, to }) as const;
  return others.filter((other) => other !== node).flatMap((other) => [lost([node, other]), lost([other, node])]);
}
