/** What one election among 2^20 members costs, with every protocol's defaults and without faults: simulated, and by theory. */
import { catalogue } from "../src/protocols/catalogue.ts";
import { theoryOf } from "../src/simulation/question.ts";
import { resolve } from "../src/simulation/settings.ts";
import type { Measured } from "./measured.ts";
import { ours } from "./programs.ts";
import { ownNetwork } from "./settings.ts";

export const MILLION = 2 ** 20;
/** Milliseconds of one election. */
const PATIENCE = 300_000;
/** More are not waited for. */
const MOST_MESSAGES = 2e9;

export interface AtMillion {
  readonly protocol: string;
  /** Null where theory is silent, or has only a bound. */
  readonly theory: { readonly messages: number | null; readonly rounds: number | null };
  readonly simulated: Measured | null;
  /** Why not, where it was not simulated. */
  readonly why: string | null;
}

export function* atMillion(): Generator<AtMillion> {
  for (const each of catalogue) {
    const request = { protocol: each.name, n: MILLION, seed: 1, ...ownNetwork(each) };
    const { messages = null, rounds = null } = theoryOf(resolve(request));
    const theory = { messages, rounds };
    let [simulated, why]: [Measured | null, string | null] = [null, null];
    if (messages !== null && messages > MOST_MESSAGES) why = "too many messages";
    else {
      try {
        simulated = ours({ request, trials: 1 }, PATIENCE);
      } catch (error) {
        why = (error as Error).message.split("\n")[0];
      }
    }
    yield { protocol: each.name, theory, simulated, why };
  }
}
