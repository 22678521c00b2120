/** What an exploration tried, in words, and what it did not: its verdict speaks of the first alone. */
import { isSynchronous } from "../protocols/parameters.ts";
import type { Problem } from "./problem.ts";
import { type ExplorationSettings, electionsOf, startersOf } from "./search/cases.ts";
import type { SearchCounts } from "./search/search-terms.ts";

/** One part of it, and the setting that changes it, where there is one. */
export interface Aspect {
  readonly what: string;
  readonly setting: string | null;
}

const FAULTS = {
  drops: ["loss", (k: number) => `up to ${k} lost ${k === 1 ? "message" : "messages"}`],
  crashes: ["crashes", (k: number) => `up to ${k} ${k === 1 ? "crash" : "crashes"}`],
  restarts: ["restarts", (k: number) => `up to ${k} ${k === 1 ? "restart" : "restarts"}`],
  duplicates: ["duplicates", (k: number) => `up to ${k} ${k === 1 ? "duplicate" : "duplicates"}`],
  pauses: ["pauses", (k: number) => `up to ${k} ${k === 1 ? "pause" : "pauses"}`],
  halfway: ["a crash between two sends", (k: number) => `up to ${k} ${k === 1 ? "crash" : "crashes"} inside a handler`],
  late: ["late starts", (k: number) => `up to ${k} late ${k === 1 ? "start" : "starts"}`],
  drifts: [
    "clocks that run apart",
    (k: number) => `up to ${k} ${k === 1 ? "instant" : "instants"} by which clocks drift`,
  ],
  partitions: ["partitions", (k: number) => `up to ${k} ${k === 1 ? "partition" : "partitions"} into two sides`],
} as const;

export function scopeOf(
  problem: Problem,
  asked: ExplorationSettings,
  draws: SearchCounts["draws"],
): { readonly tried: readonly Aspect[]; readonly untried: readonly Aspect[] } {
  const { protocol, budget, fifo, maxDelay, limits } = problem;
  const tried: Aspect[] = [];
  const untried: Aspect[] = [];
  const say = (list: Aspect[], what: string, setting: string | null = null) => list.push({ what, setting });

  const walks = asked.walks !== undefined;
  if (walks) {
    say(tried, asked.walks === 1 ? "one random schedule" : `${asked.walks} random schedules`, "walks");
    say(untried, "every other schedule, draw, fault, arrangement of ids and set of starters", "walks");
    say(untried, "promises about runs that never end", "walks");
  }
  say(tried, walks && maxDelay === null ? `${orderOf(problem)} is possible` : orderOf(problem));
  if (fifo && !protocol.assumes.fifo) say(untried, "links that do not keep the order", "fifo");
  if (maxDelay !== null) {
    if (problem.ties === true) say(tried, "every order of what happens in one instant", "ties");
    else say(untried, "ties of timers and messages", "ties");
    if (!isSynchronous(protocol, problem.params)) say(untried, "times between whole instants");
  }
  if (problem.capacity !== undefined) {
    const some = problem.capacity === 1 ? "one message" : `${problem.capacity} messages`;
    say(tried, `at most ${some} on a link, further ones are lost`, "capacity");
    say(untried, "more messages on a link", "capacity");
  }
  if (!walks && problem.ordered !== undefined) say(tried, `${problem.ordered.join(" and ")} of any size, by order`);
  if (!walks && problem.ids !== null) {
    const all = asked.ids === "all";
    say(tried, all ? `every arrangement of ids 1 to ${asked.n}` : `the ids ${problem.ids.join(", ")}`, "ids");
    say(untried, all ? `ids other than 1 to ${asked.n}` : "other ids and arrangements of ids", "ids");
  }
  if (!walks) sayStarters(problem, asked, say.bind(null, tried), say.bind(null, untried));
  if (draws !== null) {
    if (draws.tried === draws.of) say(tried, "every value of each draw", "choices");
    else {
      say(tried, `${draws.tried} values of a draw`, "choices");
      say(untried, `more than ${draws.tried} of the up to ${draws.of} values of a draw`, "choices");
    }
  }
  for (const [measure, most] of Object.entries(limits)) say(untried, `${measure} beyond ${most}`, "limit");
  for (const kind of Object.keys(FAULTS) as (keyof typeof FAULTS)[]) {
    const k = budget[kind] ?? 0;
    const [none, some] = FAULTS[kind];
    const missing = missingFor(problem, kind);
    if (missing !== null) say(untried, none, missing);
    else if (k > 0) say(tried, some(k) + lasting(problem, kind), kind);
    else say(untried, none, kind);
  }
  // A crash takes with it what is on its way to the node.
  if ((budget.restarts ?? 0) > 0 && missingFor(problem, "restarts") === null)
    say(untried, "messages on their way to a node that crashes, after its restart");
  if (protocol.assumes.topology === "connected") {
    say(tried, `the network ${asked.topology ?? "complete"}`, "topology");
    say(untried, "other networks", "topology");
  }
  say(untried, "other numbers of nodes", "n");
  const elections = electionsOf(protocol, asked);
  if (elections !== null) {
    if (!walks) say(tried, elections === 1 ? "election number 1" : `election numbers 1 to ${elections}`, "elections");
    say(untried, "other numbers of the election", "elections");
  }
  return { tried, untried };
}

/** The setting without which a fault cannot come, however many are allowed: without time no clock, without a crash no restart. */
function missingFor({ budget, maxDelay }: Problem, kind: keyof typeof FAULTS): string | null {
  if (kind === "drifts" && maxDelay === null) return "timed";
  const down = (budget.crashes ?? 0) + (budget.halfway ?? 0);
  return kind === "restarts" && (budget.restarts ?? 0) > 0 && down === 0 ? "crashes" : null;
}

/** How long a fault lasts, where there is time. */
function lasting({ maxDelay, longestPause = 1, latestStart = 1 }: Problem, kind: keyof typeof FAULTS): string {
  if (maxDelay === null) return "";
  const instants = (most: number) => `at most ${most} ${most === 1 ? "instant" : "instants"}`;
  return kind === "pauses" ? `, of ${instants(longestPause)}` : kind === "late" ? `, by ${instants(latestStart)}` : "";
}

function orderOf({ maxDelay, protocol, params }: Problem): string {
  if (maxDelay === null) return "every order of messages";
  if (isSynchronous(protocol, params)) return "synchronous rounds";
  return maxDelay === 1 ? "messages that take 1 instant" : `messages that take 1 to ${maxDelay} instants`;
}

type Say = (what: string, setting?: string | null) => void;

function sayStarters({ protocol }: Problem, asked: ExplorationSettings, tried: Say, untried: Say): void {
  const starters = startersOf(protocol, asked);
  if (starters === "all") {
    tried("all nodes start, together", "initiators");
    if (protocol.assumes.start === "any" && asked.n > 1) untried("fewer nodes that start", "initiators");
  } else if (starters === "any") tried("every set of nodes that start, together", "initiators");
  else if (typeof starters === "number") {
    tried(`every set of ${starters} ${starters === 1 ? "node" : "nodes"} that starts`, "initiators");
  } else {
    tried(
      starters.length === 1 ? `node ${starters[0]} starts` : `nodes ${starters.join(", ")} start, together`,
      "initiators",
    );
    // The centre of a star starts alone.
    if (protocol.assumes.topology !== "star") untried("other starters", "initiators");
  }
}
