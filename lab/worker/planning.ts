/** The planner in the page. */
import { flagOf } from "../../src/errors.ts";
import { plan } from "../../src/planner/plan.ts";
import { PLAN } from "../../src/planner/setting.ts";
import type { Answer, Fields } from "../run/types.ts";
import { commandLine } from "./command.ts";

const NAMES = new Map(Object.keys(PLAN).map((field) => [flagOf(field).slice(2), field]));

export async function planFor(fields: Fields): Promise<Extract<Answer, { kind: "plan" }>> {
  const known = Object.entries(fields).filter(([name]) => NAMES.has(name));
  const request = Object.fromEntries(known.map(([name, value]) => [NAMES.get(name)!, value]));
  // Text can be read wherever a value is wanted.
  const { advice, candidates, rejected } = await plan(request as never);
  const command = commandLine("sortition plan", Object.fromEntries(known), PLAN);
  return { kind: "plan", plan: { advice, candidates, rejected }, command };
}
