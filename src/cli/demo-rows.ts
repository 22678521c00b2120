/** One election of the demonstration as a row of its table. */
import { type Request, resolve } from "../campaign/settings.ts";
import { runTrial } from "../campaign/trial.ts";
import { InputError } from "../errors.ts";
import { topologyOf } from "../live/network.ts";
import type { GroupResult } from "../live/process-group.ts";
import type { AnyProtocol } from "../protocol.ts";
import { resolveParameters } from "../protocols/parameters.ts";
import { ringTheory } from "../theory/rings.ts";
import { figure } from "./figures.ts";

const SIMULATIONS = 50;

export interface Shown {
  readonly cells: readonly string[];
  readonly unsafe: string | null;
}

/** Whether the protocol can run, with its defaults, among n members without a given graph. */
export function showable(protocol: AnyProtocol, n: number): boolean {
  const members = Array.from({ length: n }, (_, i) => ({ id: i + 1, host: "127.0.0.1", port: 1 + i }));
  try {
    resolveParameters(protocol, {}, n);
    topologyOf(protocol, { members, edges: [] });
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

export function row(network: string, protocol: AnyProtocol, result: GroupResult): Shown {
  const { outcomes, leaders, unsafe } = result;
  const n = outcomes.length;
  const total = (of: (outcome: GroupResult["outcomes"][number]) => number) =>
    outcomes.reduce((sum, outcome) => sum + of(outcome), 0);
  const times = outcomes.map(({ seconds }) => seconds);
  const decided = outcomes.every(({ status }) => status !== "undecided");
  const complete = outcomes[0]?.members === n;
  return {
    cells: [
      network,
      protocol.name,
      String(n),
      leaders.length === 0 ? "none" : leaders.join(" and "),
      decided ? `${Math.round(1000 * Math.max(...times.map((time) => time ?? 0)))} ms` : "time-out",
      figure(total(({ messages }) => messages)),
      complete
        ? figure(
            simulated(
              protocol,
              outcomes.map(({ self }) => self),
            ),
          )
        : "-",
      complete ? figure(ringTheory(protocol.name, n).bound) : "-",
      figure(total(({ bytes }) => bytes)),
      figure(total(({ datagrams: { received: _, ...sent } }) => Object.values(sent).reduce((a, b) => a + b, 0))),
    ],
    unsafe: unsafe === null ? null : `${protocol.name}, ${network}: ${unsafe}`,
  };
}

/** The mean number of messages in the simulator, on the same ring. */
function simulated(protocol: AnyProtocol, ids: readonly number[]): number | null {
  const request: Request = { protocol: protocol.name, n: ids.length, ids };
  try {
    const settings = resolve(request);
    const trials = Array.from({ length: SIMULATIONS }, (_, trial) => runTrial(settings, trial).messages);
    return trials.reduce((a, b) => a + b) / SIMULATIONS;
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
