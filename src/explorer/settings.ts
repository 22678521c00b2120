/** Every setting of an exploration, once. A new budget is an entry here, and its use. */
import type { Id } from "../protocol.ts";
import { setting } from "../setting.ts";
import { choice, type Kind, list, numbers, probability, text, whole, yesOrNo } from "../values.ts";

const listOr = <W extends string, T>(...words: readonly W[]): Kind<W | readonly T[]> => ({
  wanted: `${words.join(", ")} or a list such as 0,2`,
  read: (given) => words.find((word) => word === given) ?? (numbers.read(given) as readonly T[] | undefined),
});

const upTo = (what: string) => setting(whole(0), { value: "k", about: `up to k ${what}`, default: "0" });

const upToIfAny = (what: string) => setting(whole(0), { value: "k", about: `up to k ${what}`, otherwise: "0" });

/** Faults that may come, at any moment. The later ones are left out of reports and traces in which nobody asked for them. */
export const BUDGETS = {
  drops: upTo("messages are lost"),
  crashes: upTo("nodes crash"),
  restarts: upTo("crashed nodes start again with what they had saved"),
  duplicates: upToIfAny("messages arrive twice"),
  pauses: upToIfAny("times a node does nothing for a while"),
  halfway: upToIfAny("nodes crash inside a handler: state saved, only some messages sent"),
  late: upToIfAny("initiators start late, at any moment or with their first message"),
  drifts: upToIfAny("times a clock is an instant behind or ahead (timed)"),
  partitions: upToIfAny("times the network splits into two sides, until it heals"),
};

/** Far more than any budget allows: only so that a number mistyped is told from one that is meant. */
const MOST_N = 10_000;

export const EXPLORATION = {
  n: setting(whole(1, MOST_N), { value: "count", about: "how many nodes", default: "4", offers: ["3", "4", "5"] }),
  topology: setting(text("text, such as ring"), {
    value: "spec",
    about: "a small network, as `sortition graph` takes it, for protocols that run on any",
    otherwise: "the one that the protocol assumes; complete where it takes any",
  }),
  ids: setting(listOr<"all", Id>("all"), {
    value: "all|list",
    about: "every arrangement of 1..n (up to rotation, if possible), or one such as 3,1,2",
    default: "all",
    offers: ["all"],
  }),
  initiators: setting(listOr<"all" | "any", number>("all", "any"), {
    value: "all|any|list",
    about: "nodes that start: all, any (every possible set), or a list such as 0,2",
    otherwise: "all, or every set of as many as the protocol says",
    offers: ["all", "any"],
  }),
  elections: setting(whole(1), {
    value: "k",
    about: "election numbers 1 to k, if the protocol knows its number",
    otherwise: "3",
  }),
  roles: setting(list("a list of roles such as member,member,engine"), {
    value: "list",
    about: "the role of each node, if the protocol has roles",
    otherwise: "all play the first of its roles",
  }),
  fifo: setting(yesOrNo, { value: "choice", about: "links keep the order of messages", default: "true" }),
  timed: setting(whole(1), {
    value: "d",
    about: "messages take 1 to d instants, and timers fire at their times",
  }),
  capacity: setting(whole(1), {
    value: "k",
    about: "at most k messages are on a link; further messages are lost",
    otherwise: "as many as are sent",
  }),
  ...BUDGETS,
  longestPause: setting(whole(1), {
    value: "d",
    about: "timed: the longest pause, in instants",
    otherwise: "one more than the longest delay",
  }),
  latestStart: setting(whole(1), {
    value: "d",
    about: "timed: the latest start, in instants",
    otherwise: "one more than the longest delay",
  }),
  ties: setting(yesOrNo, {
    value: "choice",
    about: "timed: messages and timers of one instant come in any order",
    otherwise: "false: node by node, messages first",
  }),
  reduction: setting(choice("auto", "always", "never"), {
    value: "auto|always|never",
    about: "try commuting steps in one order: auto (beyond 100,000 configurations), always or never",
    default: "auto",
    offers: ["auto", "always", "never"],
  }),
  walks: setting(whole(1), {
    value: "k",
    about: "k random schedules instead of all, for networks that are too large",
  }),
  seed: setting(whole(0, Number.MAX_SAFE_INTEGER), { value: "number", about: "of random walks", default: "1" }),
  choices: setting(whole(1), {
    value: "k",
    about: "try at most k values of each random draw",
    default: "4",
    otherwise: "2, then 4, then 8; 4 from a program",
  }),
};

export const FAULT_CHANCES = {
  loss: setting(probability, {
    value: "p",
    about: "with probabilities: each message, each copy of a multicast too, is lost with probability p",
  }),
  multicastLoss: setting(probability, {
    value: "p",
    about: "with probabilities: each receiver misses a multicast with probability p; as loss where missing",
  }),
  crash: setting(probability, {
    value: "p",
    about: "with probabilities: each node has crashed before the run with probability p",
  }),
};
