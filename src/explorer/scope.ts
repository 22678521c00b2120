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

type Say = (what: string, setting?: string | null) => void;

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
  const { protocol, fifo, maxDelay, limits } = problem;
  const tried: Aspect[] = [];
  const untried: Aspect[] = [];
  const sayTried: Say = (what, setting = null) => tried.push({ what, setting });
  const sayUntried: Say = (what, setting = null) => untried.push({ what, setting });

  const walks = asked.walks !== undefined;
  if (walks) {
    sayTried(asked.walks === 1 ? "one random schedule" : `${asked.walks} random schedules`, "walks");
    sayUntried("every other schedule, draw, fault, arrangement of ids and set of starters", "walks");
    sayUntried("promises about runs that never end", "walks");
  }
  sayTried(walks && maxDelay === null ? `${orderOf(problem)} is possible` : orderOf(problem));
  if (fifo && !protocol.assumes.fifo) sayUntried("links that do not keep the order", "fifo");
  if (maxDelay !== null) {
    if (problem.ties === true) sayTried("every order of what happens in one instant", "ties");
    else sayUntried("ties of timers and messages", "ties");
    if (!isSynchronous(protocol, problem.params)) sayUntried("times between whole instants");
  }
  if (problem.capacity !== undefined) {
    const some = problem.capacity === 1 ? "one message" : `${problem.capacity} messages`;
    sayTried(`at most ${some} on a link, further ones are lost`, "capacity");
    sayUntried("more messages on a link", "capacity");
  }
  if (!walks && problem.ordered !== undefined) sayTried(`${problem.ordered.join(" and ")} of any size, by order`);
  if (!walks && problem.ids !== null) {
    const all = asked.ids === "all";
    sayTried(all ? `every arrangement of ids 1 to ${asked.n}` : `the ids ${problem.ids.join(", ")}`, "ids");
    sayUntried(all ? `ids other than 1 to ${asked.n}` : "other ids and arrangements of ids", "ids");
  }
  if (!walks) sayStarters(problem, asked, sayTried, sayUntried);
  if (draws !== null) {
    if (draws.tried === draws.of) sayTried("every value of each draw", "choices");
    else {
      sayTried(`${draws.tried} values of a draw`, "choices");
      sayUntried(`more than ${draws.tried} of the up to ${draws.of} values of a draw`, "choices");
    }
  }
  for (const [measure, most] of Object.entries(limits)) sayUntried(`${measure} beyond ${most}`, "limit");
  sayFaults(problem, sayTried, sayUntried);
  if (protocol.assumes.topology === "connected") {
    sayTried(`the network ${asked.topology ?? "complete"}`, "topology");
    sayUntried("other networks", "topology");
  }
  sayUntried("other numbers of nodes", "n");
  const elections = electionsOf(protocol, asked);
  if (elections !== null) {
    if (!walks) sayTried(elections === 1 ? "election number 1" : `election numbers 1 to ${elections}`, "elections");
    sayUntried("other numbers of the election", "elections");
  }
  return { tried, untried };
}

function sayFaults(problem: Problem, tried: Say, untried: Say): void {
  const { budget } = problem;
  for (const kind of Object.keys(FAULTS) as (keyof typeof FAULTS)[]) {
    const k = budget[kind] ?? 0;
    const [none, some] = FAULTS[kind];
    const missing = missingFor(problem, kind);
    if (missing !== null) untried(none, missing);
    else if (k > 0) tried(some(k) + lasting(problem, kind), kind);
    else untried(none, kind);
  }
  // A crash takes with it what is on its way to the node.
  if ((budget.restarts ?? 0) > 0 && missingFor(problem, "restarts") === null)
    untried("messages on their way to a node that crashes, after its restart");
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
