/** What stands above a run: which one it is, and how it came out. */
import type { Settings } from "../simulation/settings.ts";
import type { TraceEvent } from "./events.ts";
import type { Story } from "./story.ts";

export interface Headline {
  readonly title: string;
  /** Ids, host and seed. */
  readonly subtitle: string;
  /** What time is counted in. */
  readonly unit: string;
}

/** More ids than this are not listed: the lanes have them. */
const MOST_IDS = 16;

export function simulationHeadline(
  { name, n, host, seed }: { readonly name: string } & Pick<Settings, "n" | "host" | "seed">,
  trial: number,
  story: Story,
): Headline {
  const how = `${host === "lockstep" ? "in rounds" : "in time"}, seed ${seed}, trial ${trial}`;
  return {
    title: `${name}, n = ${n}: ${outcomeText(story)}`,
    subtitle: [idsText(story), how].filter((part) => part !== "").join("; "),
    unit: host === "lockstep" ? "round" : "t =",
  };
}

/** A run of the explorer or of a scenario. */
export function pathHeadline(name: string, n: number, timed: boolean, story: Story, what?: string): Headline {
  return {
    title: `${name}, n = ${n}: ${what ?? outcomeText(story)}`,
    subtitle: idsText(story),
    unit: timed ? "t =" : "step",
  };
}

function idsText({ scene }: Story): string {
  const ids = Array.from({ length: scene.n }, (_, node) => scene.id(node));
  return ids.includes(null) || ids.length > MOST_IDS ? "" : `ids ${ids.join(", ")}`;
}

/** Who is elected in the end, as far as the events tell. */
function outcomeText({ events, scene, told }: Story): string {
  const elected = electedIn(events);
  const parts = new Map([...told.values()].map(({ node, as }) => [node, as]));
  const names = elected.map((node) => {
    const name = parts.get(node)?.startsWith("host ") ? parts.get(node)! : scene.name(node);
    const id = scene.id(node);
    return id === null ? name : `${name} (id ${id})`;
  });
  if (names.length === 0) return "nobody is elected";
  if (names.length === 1) return `${names[0]} is elected`;
  if (names.length > 4) return `${names.length} are elected`;
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]} are elected`;
}

function electedIn(events: readonly TraceEvent[]): number[] {
  const elected = new Set<number>();
  for (const event of events) {
    if (event.do === "verdict" && event.status === "elected") elected.add(event.node);
    else if (event.do === "verdict" || event.do === "crash" || event.do === "leave") elected.delete(event.node);
  }
  return [...elected].sort((a, b) => a - b);
}
