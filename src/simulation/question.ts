/** The setting of a simulation as a question to theory, and what theory expects of it. */
import { InputError } from "../errors.ts";
import { isFaultless } from "../host/faults/faults.ts";
import type { AnyProtocol } from "../protocol.ts";
import { findProtocol } from "../protocols/registry.ts";
import { entryOf, type ProtocolQuestion, predict } from "../registry/all.ts";
import { pick } from "../setting.ts";
import { CHANCES, RATES, SETTINGS } from "../settings/simulation.ts";
import type { Method } from "../theory/prediction.ts";
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

/** Means and the success rate, by name. */
export type Expected = Readonly<Record<string, number | null>>;

export function theoryOf(settings: Settings): Expected {
  return expected(settings, ["exact", "approximation"]) ?? {};
}

/** Null where theory is only near, or silent. */
export const exactTheoryOf = (settings: Settings): Expected | null => expected(settings, ["exact"]);

function expected(settings: Settings, methods: readonly Method[]): Expected | null {
  const { ids, faults, topology, delay, until } = settings;
  const { assumes } = settings.protocol;
  const anyNetwork = entryOf(settings.protocol)?.anyNetwork === true;
  const planned = !isFaultless(faults, Object.keys(RATES) as (keyof typeof RATES)[]);
  // Theory knows random ids, the network that the protocol is made for, and faults that strike at random.
  const foreign =
    assumes.topology === "connected" ? topology !== "complete" && !anyNetwork : topology !== assumes.topology;
  if (planned || foreign || until !== undefined || (ids !== "random" && assumes.identity === "ids")) return null;
  const prediction = predict(questionFrom(settings));
  if (!methods.includes(prediction.method)) return null;
  const { success, messages, rounds } = prediction;
  const known = { success, messages, rounds: delay.kind === "fixed" ? rounds : null };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
}
