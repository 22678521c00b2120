/** What the parts of processes are called, in the papers' words. */
import type { PartName } from "../run/record.ts";
import type { Facts } from "../run/types.ts";

export function wordOf(part: PartName | null, facts: Facts): string {
  const own = part === null || part === "crashed" ? undefined : facts.parts[part];
  if (own !== undefined) return own;
  switch (part) {
    case null:
      return "has not taken part yet";
    case "contends":
      return facts.network === "star" ? "has replied" : "contends";
    case "idle":
      return "waits";
    case "out":
      return facts.network === "ring" && facts.ids !== null ? "has seen a larger id" : "out of the race";
    case "informed":
      return facts.ids === null ? "knows that somebody leads" : "knows the leader";
    case "mediator":
      return "mediator";
    case "referee":
      return "referee";
    case "relay":
      return "relay";
    case "centre":
      return "centre";
    case "member":
      return "council member";
    case "leads":
      return facts.network === "star" ? "elected" : "leads";
    case "crashed":
      return "crashed";
  }
}

const DELAYS = ["fixed:1", "uniform:0.5..1.5", "uniform:0.2..1", "exp:1"];

/** How long messages take, in words: the notation is the command line's. */
function delayWords(spec: string): string {
  const [kind, value = ""] = spec.split(":");
  const [from, to] = value.split("..");
  if (kind === "fixed") return value === "1" ? "1 unit of time" : `${value} units of time`;
  if (kind === "uniform" && to !== undefined) return `${from} to ${to} units of time`;
  if (kind === "exp") return `${value} ${value === "1" ? "unit" : "units"} of time on average`;
  return spec;
}

/** What can be chosen, with what was chosen. */
export const delaysFor = (chosen: string): (readonly [string, string])[] =>
  [...new Set([...DELAYS, chosen])].map((spec) => [spec, delayWords(spec)] as const);
