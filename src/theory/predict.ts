/** One question, one answer: what theory says of any protocol. */
import { epidemicDelivery } from "./epidemic.ts";
import { filterRelayTheory } from "./gupta.ts";
import { predictReferees } from "./predict-kutten.ts";
import { predictRamanathan } from "./predict-ramanathan.ts";
import { predictCouncil } from "./predict-raz.ts";
import { predictRing } from "./predict-rings.ts";
import { predictWalks } from "./predict-walks.ts";
import type { Prediction, Question } from "./prediction.ts";

/** What is to be expected, or null where theory has nothing to say of a protocol or a variant. */
export function predict(question: Question): Prediction | null {
  switch (question.protocol) {
    case "referees":
      return predictReferees(question);
    case "random-walks":
      return predictWalks(question);
    case "tournament":
    case "tournament-async":
    case "quorum":
      return predictRamanathan(question);
    case "filter-relay":
      return predictRound(question);
    case "epidemic-multicast":
      return predictEpidemic(question);
    default:
      return question.protocol.startsWith("council-") ? predictCouncil(question) : predictRing(question);
  }
}

/** Theorem 1 of Gupta et al.: the first round, with its five factors. */
function predictRound({ params, n, loss, multicastLoss, crash }: Question): Prediction {
  const { optimum, ...theory } = filterRelayTheory(Number(params.K), {
    n,
    view: Number(params.view),
    loss,
    multicastLoss,
    crash,
  });
  return { ...theory, factors: { ...theory.factors }, optimum: { ...optimum } };
}

function predictEpidemic({ params, n, loss, multicastLoss, crash }: Question): Prediction | null {
  if (crash > 0) return null;
  const { fanout, rounds } = params;
  const { method, delivery, everybody } = epidemicDelivery({
    ...{ n, loss, multicastLoss },
    ...{ fanout: Number(fanout), rounds: Number(rounds) },
  });
  return {
    method,
    success: everybody,
    pNone: everybody === null ? null : 1 - everybody,
    pMany: 0,
    messages: null,
    rounds: null,
    factors: { delivery },
    optimum: null,
  };
}
