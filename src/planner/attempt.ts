/** One try of a protocol with parameters: what theory says of it, and what the network makes of that. */
import type { AnyProtocol } from "../protocol.ts";
import type { Params } from "../protocols/parameters.ts";
import { delaysOf, entryOf, predict } from "../registry/all.ts";
import { type Attempt, type Planning, type PlanSetting, spare, type Traffic } from "../registry/planning.ts";
import { pick } from "../setting.ts";
import { RATES } from "../settings/simulation.ts";
import { questionOf } from "../simulation/question.ts";
import type { Request } from "../simulation/settings.ts";
import type { Prediction, Question } from "../theory/prediction.ts";
import type { Carriage } from "./carriage.ts";

/** The simulation that an attempt stands for, of a setting as its protocol meets it. */
export function attemptRequest(setting: PlanSetting, protocol: AnyProtocol, params: Params): Request {
  const { n, initiators, topology, seed } = setting;
  return {
    protocol,
    n,
    seed,
    params,
    ...pick(RATES, setting),
    ...(initiators < n ? { initiators } : {}),
    ...(topology === "complete" ? {} : { topology }),
  };
}

export function planningOf(protocol: AnyProtocol): Planning {
  const planning = entryOf(protocol)?.planning;
  return typeof planning === "object" ? planning : {};
}

/** What to expect of a protocol with these parameters; null where theory cannot say. */
export function attempt(carriage: Carriage, protocol: AnyProtocol, chosen: Params): Attempt | null {
  const { setting } = carriage;
  const question = questionOf(attemptRequest(setting, protocol, chosen));
  const planning = planningOf(protocol);
  const prediction = planning.predict === undefined ? predict(question) : planning.predict(question);
  if (prediction.method === "none") return null;
  // What a ring costs is known without loss only; loss makes it cheaper, since it ends elections.
  const incomplete = prediction.messages === null || prediction.rounds === null;
  const costs: Prediction = incomplete ? predict({ ...question, loss: 0 }) : prediction;
  const { pNone, pMany, method } = prediction;
  const messages = prediction.messages ?? costs.messages;
  const { rounds } = costs;
  if (pNone === null || pMany === null || messages === null || rounds === null) return null;
  const known = { ...prediction, messages, rounds };
  const tail = spare(setting, { pNone, pMany });
  return {
    protocol,
    chosen,
    parameters: question.params,
    messages,
    rounds,
    datagrams: carriage.datagrams(trafficOf(planning, known, question.params)),
    delays: carriage.lengthen(delaysOf(protocol, rounds, question.params, setting.n)),
    time: carriage.waits ? null : timeOf(carriage, planning, question, tail, known),
    split: splitOf(planning, question),
    pNone,
    pMany,
    method: costs === prediction ? method : "approximation",
    rare: (prediction.factors?.rareMessages ?? 0) / messages,
  };
}

const trafficOf = ({ traffic }: Planning, prediction: Prediction, params: Params): Traffic =>
  traffic?.(prediction, params) ?? { unicasts: prediction.messages!, multicasts: 0 };

function timeOf(
  { lengthen }: Carriage,
  { time }: Planning,
  question: Question,
  tail: number,
  prediction: Prediction,
): number | null {
  const delays = time?.(question, tail, prediction) ?? null;
  return delays === null ? null : lengthen(delays);
}

/** Both halves have somebody who is elected. */
export const splitOf = ({ half }: Planning, { params, n }: Pick<Question, "params" | "n">): number =>
  n < 2 ? 0 : Math.min(1, half?.(params, n) ?? 0) ** 2;
