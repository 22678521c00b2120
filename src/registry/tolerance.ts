/** Which faults a protocol bears: the one place that the catalogue and the planner ask. */
import type { AnyProtocol } from "../protocol.ts";
import { entryOf } from "./all.ts";
import type { Fault } from "./planning.ts";

export const FAULTS: readonly Fault[] = ["loss", "crash", "pause", "partition"];

/** always: whatever its parameters are. Text: with these parameters. never: its claims do not hold then. */
type Tolerance = { readonly always: true } | { readonly with: string } | null;

export function toleranceOf(protocol: AnyProtocol, fault: Fault): Tolerance {
  if (protocol.assumes.tolerates.includes(fault)) return { always: true };
  const planning = entryOf(protocol)?.planning;
  const parameters = typeof planning === "object" ? planning.bears?.[fault] : undefined;
  return parameters === undefined ? null : { with: parameters };
}

/** "crash; with ask above s: loss" */
export function toleranceText(protocol: AnyProtocol): string {
  const always = protocol.assumes.tolerates.join(", ");
  const byParameters = new Map<string, Fault[]>();
  for (const fault of FAULTS) {
    const tolerance = toleranceOf(protocol, fault);
    if (tolerance === null || !("with" in tolerance)) continue;
    byParameters.set(tolerance.with, [...(byParameters.get(tolerance.with) ?? []), fault]);
  }
  const others = [...byParameters].map(([parameters, faults]) => `with ${parameters}: ${faults.join(", ")}`);
  return [always, ...others].filter(Boolean).join("; ") || "no faults";
}
