/** The bench of a whole reproduction: every campaign on one pool of threads, and an end when somebody interrupts. */
import { campaign } from "../campaign/campaign.ts";
import type { Crew } from "../campaign/crew.ts";
import { resolve } from "../simulation/settings.ts";
import type { Bench, Part, Reproduction } from "./claim.ts";

/** Thrown out of whatever was under way. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/**
 * A seed of its own for each point of a curve, so that points do not move together; the same for the same point of other curves
 * and at either effort. Outside curves it is 1. (FNV-1a.)
 */
export function seedOf(...point: readonly unknown[]): number {
  if (point.length === 0) return 1;
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(point)) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  return hash >>> 0;
}

export interface BenchOptions {
  readonly effort: Bench["effort"];
  readonly pool: Crew;
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((what: string) => void) | undefined;
  /** Within a campaign: how many of its trials are done. */
  readonly onProgress?: ((done: number, trials: number) => void) | undefined;
}

export function benchOn({ effort, pool, signal, onStep, onProgress }: BenchOptions): Bench {
  const goOn = () => {
    if (signal?.aborted === true) throw new Interrupted();
  };
  const step = (what: string) => {
    goOn();
    onStep?.(what);
  };
  const trialsOf = (quick: number, full: number) => (effort === "quick" ? quick : full);
  const simulate: Bench["simulate"] = async (request, wanted) => {
    const settings = resolve({ ...request, seed: request.seed ?? seedOf(...at) });
    step(`${settings.protocol.name}, n = ${settings.n}`);
    const trials = typeof wanted === "number" ? wanted : trialsOf(...wanted);
    const report = await campaign(settings, { trials, pool, signal, onProgress });
    goOn();
    return report;
  };
  /** The points of the curves that are under way, the inner ones last. */
  const at: unknown[] = [];
  const each: Bench["each"] = async (xs, run) => {
    const found = [];
    for (const [i, x] of xs.entries()) {
      at.push(x);
      found.push(await run(x, i));
      at.pop();
    }
    return found;
  };
  return {
    effort,
    trials: trialsOf,
    simulate,
    each,
    async sweep(xs, request, trials) {
      const reports = await each(xs, (x) => simulate(request(x), trials));
      return new Map(xs.map((x, i) => [x, reports[i]]));
    },
    step,
  };
}

export interface Finding {
  readonly reproduction: Reproduction;
  readonly part: Part;
  readonly seconds: number;
}

/** One after the other; each is told before the next begins. */
export async function reproduce(
  reproductions: readonly Reproduction[],
  bench: Bench,
  onFinding: (finding: Finding) => void,
): Promise<void> {
  for (const reproduction of reproductions) {
    bench.step(reproduction.title);
    const began = performance.now();
    const part = await reproduction.run(bench);
    onFinding({ reproduction, part, seconds: (performance.now() - began) / 1000 });
    // Lets signals have their turn after work that did not.
    await new Promise((resolve) => setTimeout(resolve));
  }
}
