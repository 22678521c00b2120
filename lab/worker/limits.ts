/** What a page can bear: whatever would fill its memory is refused in words, before anything of it is built. */
import { InputError } from "../../src/errors.ts";
import { leastMemory } from "../../src/simulation/memory.ts";
import { theoryOf } from "../../src/simulation/question.ts";
import type { Settings } from "../../src/simulation/settings.ts";
import { shareOf } from "../../src/values.ts";
import type { Fields } from "../run/types.ts";

/** Above this nobody could wait for a run in a page. */
const MOST_NODES = 1_000_000;
/** The command line takes these with some protocols. */
const MOST_ANYWHERE = 1e9;
/** Networks with links of their own are built one by one. */
const MOST_IN_GRAPH = 20_000;
const MOST_LINKS = 4_000_000;

/** `fields` are complete: n is missing only where the network or a list of ids says it. */
export function checkSize(fields: Fields): void {
  const sides = /^torus:(\d+)x(\d+)$/.exec(fields.topology ?? "");
  const n = sides === null ? Number(fields.n ?? 0) : Number(sides[1]) * Number(sides[2]);
  if (n > MOST_NODES) {
    const elsewhere = `; on the command line "sortition simulate ${fields.protocol} --n ${n}" may`;
    throw new InputError(
      (name) =>
        `${name(sides === null ? "n" : "topology")} can be at most a million processes here, not ${n}: a page could not hold more${n <= MOST_ANYWHERE ? elsewhere : ""}`,
    );
  }
  const spec = fields.topology;
  if (spec === undefined || ["ring", "complete", "star", "open"].includes(spec)) return;
  if (n > MOST_IN_GRAPH) {
    throw new InputError(
      (name) => `${name("topology")} "${spec}" can have at most ${MOST_IN_GRAPH} processes here, not ${n}`,
    );
  }
  if (linksOf(spec, n) > MOST_LINKS) {
    throw new InputError((name) => `${name("topology")} "${spec}" of ${n} processes has too many links for a page`);
  }
}

/** About how many. */
function linksOf(spec: string, n: number): number {
  const [kind, given = "8"] = spec.split(":");
  if (kind === "er") return (shareOf(given) * n * n) / 2;
  return (kind === "power-law" ? 20 : shareOf(given)) * n;
}

/** Messages of complete networks are all on their way at once, and each takes memory. */
export const MOST_MESSAGES = 12_000_000;

/** Kernels keep no messages, but some keep tables. */
const MOST_BYTES = 200e6;

/** What theory expects to fill the memory of a page is refused before it does; ids on a ring go one behind the other. */
export function checkCost(settings: Settings, most: number): void {
  const { n, protocol } = settings;
  if (n <= 2_000 || protocol.assumes.topology === "ring") return;
  if (settings.kernel !== null && leastMemory(settings) <= MOST_BYTES) return;
  const expected = theoryOf(settings).messages ?? 0;
  if (expected <= most) return;
  const about = Number(expected.toPrecision(2)).toLocaleString("en");
  throw new InputError(
    (name) =>
      `${name("n")} = ${n} takes about ${about} messages with ${protocol.name}, too many for a page; the command line may hold them`,
  );
}
