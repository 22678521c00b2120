/** What the lumped kernel of the councils gains over the reference host: trials a second at one n. */
import { resolve } from "../src/simulation/settings.ts";
import { runTrial } from "../src/simulation/trial.ts";

export function compareCouncils(n: number): Record<string, { readonly host: number; readonly kernel: number }> {
  const names = ["naive", "basic", "skip-reset", "choice", "history", "unknown", "masks"];
  return Object.fromEntries(
    names.map((name) => {
      const rate = (kernel: "auto" | "off", trials: number) => {
        const settings = resolve({ protocol: `council-${name}`, n, kernel });
        const start = performance.now();
        for (let trial = 0; trial < trials; trial++) runTrial(settings, trial);
        return Math.round((1000 * trials) / (performance.now() - start));
      };
      return [name, { host: rate("off", 20), kernel: rate("auto", 10_000) }];
    }),
  );
}
