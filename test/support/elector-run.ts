/** What tests of the elector look at in a simulated group, and a request to stand that no member has sent. */
import type { GroupState } from "../../src/elector/state.ts";
import type { runGroup } from "./group-run.ts";
import type { runStrict } from "./strict-run.ts";

export type ElectorRun = ReturnType<typeof runGroup> | ReturnType<typeof runStrict>;

export const groupStateOf = (run: ElectorRun, node: number): GroupState =>
  ("state" in run ? run.state(node) : run.run.state(node)) as GroupState;

export const officeOf = (run: ElectorRun, node: number, name = "leader") => groupStateOf(run, node).offices.get(name)!;

/** The lives that a message of `other` to `node` names. */
export const livesBetween = (run: ElectorRun, other: number, node: number) => ({
  from: groupStateOf(run, other).life,
  to: groupStateOf(run, node).life,
});

/** `node` is told by `other` that the office is vacant; `ahead`: from how many terms on. */
export function requestStand(
  run: ElectorRun,
  node: number,
  other: number,
  { office = "leader", position = 0, ahead = 1 }: { office?: string; position?: number; ahead?: number } = {},
): void {
  const known = groupStateOf(run, node).offices;
  const { term = 0, claim = null, setting = null } = known.get(office) ?? {};
  run.command(node, {
    kind: "stand",
    office,
    term: term + ahead,
    position,
    setting: setting ?? [...known.values()][0].setting,
    over: claim?.life ?? null,
    ...livesBetween(run, other, node),
  } as never);
}
