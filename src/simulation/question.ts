/** The setting of a simulation as a question to theory. */
import { InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import { findProtocol } from "../protocols/registry.ts";
import type { ProtocolQuestion } from "../registry/all.ts";
import { pick } from "../setting.ts";
import { CHANCES, RATES, SETTINGS } from "../settings/simulation.ts";
import { graphFactsFor } from "./network.ts";
import { LARGEST_N, type Request, resolve, type Settings, settle } from "./settings.ts";

/** A question about a setting, with the protocol itself. */
export interface SettingQuestion extends ProtocolQuestion {
  readonly protocol: AnyProtocol;
}

/**
 * The setting of a simulation as a question to `predict`.
 *
 * @example
 * ```ts
 * import { predict, questionOf } from "sortition/theory";
 *
 * const prediction = predict(questionOf({ protocol: "chang-roberts", n: 1000 }));
 * ```
 */
export function questionOf(request: Request): SettingQuestion {
  const strange = Object.keys({ ...CHANCES, until: SETTINGS.until }).find((field) => request[field as keyof Request]);
  if (strange !== undefined) {
    throw new InputError((name) => `theory does not know ${name(strange)}: leave it out, or simulate`);
  }
  // Theory draws no ranks and has no table of the processes: limits of n that come from these do not hold for it.
  if ((SETTINGS.n.read(request.n) ?? 0) <= LARGEST_N) return questionFrom(resolve(request));
  const { protocol, source } = findProtocol(request.protocol);
  const { refuse: _, ...unrefused } = protocol;
  return { ...questionFrom(settle(request, { protocol: unrefused, source })), protocol };
}

export const questionFrom = (settings: Settings): SettingQuestion => {
  const { protocol, n, params, initiators, faults } = settings;
  return {
    protocol,
    n,
    params,
    initiators: initiators === "all" ? n : initiators,
    ...pick(RATES, faults),
    graph: graphFactsFor(protocol, settings),
  };
};
