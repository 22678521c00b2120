/** What is run twice, in Node and in a browser's worker: a trial of each protocol, an exploration and a plan. */
import { explore } from "../../src/explorer/explore.ts";
import { plan } from "../../src/planner/plan.ts";
import { catalogue, protocolNamed } from "../../src/protocols/catalogue.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { runTrial } from "../../src/simulation/trial.ts";

/** As text, in which a number is the same in both places only if every bit is. */
export async function sample(): Promise<string> {
  const trials = catalogue.map(({ name }) => [name, runTrial(resolve({ protocol: name, n: 24, seed: 8 }), 0)]);
  const exploration = explore(protocolNamed("peterson"), { n: 3, initiators: "any" });
  const planned = await plan({ n: 200, success: 0.999, loss: 0.01 });
  return JSON.stringify({ trials: Object.fromEntries(trials), exploration, plan: planned });
}
