/** One election of the demonstration as a row of its table. */

import { InputError } from "../../../errors.ts";
import { parametersFor } from "../../../live/once/network.ts";
import type { GroupResult } from "../../../live/once/process-group.ts";
import type { AnyProtocol } from "../../../protocol.ts";
import type { Params } from "../../../protocols/parameters.ts";
import { entryOf, predict } from "../../../registry/all.ts";
import { type Request, resolve } from "../../../simulation/settings.ts";
import { runTrial } from "../../../simulation/trial.ts";
import { LOSSLESS } from "../../../theory/losses.ts";
import type { Prediction } from "../../../theory/prediction.ts";
import { figure } from "../../text/figures.ts";

const SIMULATIONS = 50;

export const parametersOf = (protocol: AnyProtocol): Params => entryOf(protocol)?.demonstration ?? {};

export interface ProtocolRow {
  readonly cells: readonly string[];
  readonly unsafe: string | null;
  /** Nobody was elected, although everybody was there. */
  readonly missed: boolean;
}

/** Whether the protocol can run, with its defaults, among n members without a given graph. */
export function showable(protocol: AnyProtocol, n: number): boolean {
  try {
    parametersFor(protocol, parametersOf(protocol), group(Array.from({ length: n }, (_, i) => i + 1)));
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

/** `shared`: others were held at the same time on the same sockets, so nobody can tell whose a datagram was. */
export function row(network: string, protocol: AnyProtocol, result: GroupResult, shared = false): ProtocolRow {
  const { outcomes, unsafe } = result;
  const leaders = outcomes.filter(({ status }) => status === "elected").map(({ self }) => self);
  const n = outcomes.length;
  const total = (of: (outcome: GroupResult["outcomes"][number]) => number) =>
    outcomes.reduce((sum, outcome) => sum + of(outcome), 0);
  const times = outcomes.map(({ seconds }) => seconds);
  const decided = outcomes.every(({ status }) => status !== "undecided");
  const complete = outcomes[0]?.members === n;
  const ids = outcomes.map(({ self }) => self);
  const expected = complete ? theory(protocol, ids) : null;
  return {
    cells: [
      network,
      protocol.name,
      String(n),
      leaders.length === 0 ? "none" : leaders.length > 2 ? `${leaders.length} of them` : leaders.join(" and "),
      decided ? `${Math.round(1000 * Math.max(...times.map((time) => time ?? 0)))} ms` : "time-out",
      figure(total(({ messages }) => messages)),
      complete ? figure(simulated(protocol, ids)) : "-",
      complete ? figure(expected?.messages ?? null) : "-",
      complete ? figure(expected?.factors?.worst ?? null) : "-",
      shared ? "-" : figure(total(({ bytes }) => bytes)),
      shared
        ? "-"
        : figure(total(({ datagrams: { received: _, ...sent } }) => Object.values(sent).reduce((a, b) => a + b, 0))),
    ],
    missed: complete && leaders.length === 0,
    // Ring protocols promise one leader; others one with high probability, or a council.
    unsafe: unsafe === null || protocol.assumes.topology !== "ring" ? null : `${protocol.name}, ${network}: ${unsafe}`,
  };
}

const group = (ids: readonly number[]) => ({
  members: ids.map((id) => ({ id, host: "127.0.0.1", port: 1 })),
  edges: [],
});

/** What theory expects, for ids in random order. */
function theory(protocol: AnyProtocol, ids: readonly number[]): Prediction | null {
  const isStar = protocol.assumes.topology === "star";
  const n = isStar ? ids.length - 1 : ids.length;
  const params = parametersFor(protocol, parametersOf(protocol), group(ids));
  const { initiators = n } = protocol;
  return predict({ protocol, n, params, initiators, ...LOSSLESS });
}

/** The mean number of messages in the simulator, on the same ring. */
function simulated(protocol: AnyProtocol, ids: readonly number[]): number | null {
  const { topology, identity } = protocol.assumes;
  const placed = topology === "ring" && identity === "ids";
  const n = topology === "star" ? ids.length - 1 : ids.length;
  const request: Request = { protocol: protocol.name, n, params: parametersOf(protocol), ...(placed ? { ids } : {}) };
  try {
    const settings = resolve(request);
    const trials = Array.from({ length: SIMULATIONS }, (_, trial) => runTrial(settings, trial).messages);
    return trials.reduce((a, b) => a + b) / SIMULATIONS;
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
