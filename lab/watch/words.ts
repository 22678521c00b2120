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
      return facts.network === "star" ? "active" : "contends";
    case "idle":
      return "waits";
    case "out":
      return facts.network === "ring" && facts.ids !== null ? "has seen a larger id" : "out of the race";
    case "informed":
      return "knows the leader";
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
