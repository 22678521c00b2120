/**
 * Every setting of a simulation, once: types and checks of requests, options of the commands, axes of sweeps, completion and
 * docs/settings.md are made from this table. A new setting is an entry here, and its use.
 */
import type { FaultPlan } from "../host/faults/faults.ts";
import { type Setting, setting } from "../setting.ts";
import { between0And1, choice, list, number, probability, text, whole, yesOrNo } from "../values.ts";
import { delay, ids, initiators } from "./simulation-kinds.ts";

/** Draws are keyed by 32 bits of trial number: more trials would repeat the first ones. */
const MOST_TRIALS = 2 ** 32;
const MOST_THREADS = 1024;

/** Which network it is. */
export const NETWORK = {
  n: setting(whole(1), {
    value: "count",
    about: "number of processes",
    otherwise: "100, or as many as ids lists, or as the network has",
    unit: "processes",
    varies: true,
    incomparable: true,
    inTheory: true,
    offers: ["10", "100", "1000"],
  }),
  topology: setting(text("text, such as ring"), {
    value: "spec",
    about: "network, as `sortition graph` takes it, such as torus or regular:8",
    otherwise: "the one that the protocol assumes",
    varies: true,
    incomparable: true,
    inTheory: true,
    offers: "ring complete hypercube torus star regular:8 er:0.01 ba:3 power-law:0.8 file:".split(" "),
  }),
  largestComponent: setting(yesOrNo, {
    about: "take the largest component of a network that is not connected",
    default: "false",
    inTheory: true,
  }),
  walk: setting(whole(1), {
    value: "steps",
    about: "length of walks that find random processes in networks that are not complete",
    otherwise: "the network's mixing time",
    varies: true,
    inTheory: true,
  }),
};

/** How a run goes. */
export const RUN = {
  seed: setting(whole(0, Number.MAX_SAFE_INTEGER), {
    value: "number",
    about: "0 to 2^53-1; neighbouring seeds are independent",
    default: "1",
  }),
  ids: setting(ids, {
    value: "order",
    about: "random, increasing or decreasing in the direction of messages, or a list: 7,3,12",
    default: "random",
    offers: ["random", "increasing", "decreasing"],
  }),
  initiators: setting(initiators, {
    value: "who",
    about: "processes that start the election: all, a number, or a share such as 10%",
    otherwise: "all; one where the protocol needs one",
    unit: "processes",
    varies: true,
    inTheory: true,
    offers: ["all", "1", "10%"],
  }),
  roles: setting(list("a list of roles such as member,member,engine"), {
    value: "list",
    about: "the role of each process, if the protocol has roles",
    otherwise: "all play the first of its roles",
  }),
  host: setting(choice("auto", "lockstep", "events"), {
    value: "name",
    about: "lockstep (rounds), events (virtual time), or auto: lockstep for synchronous protocols",
    default: "auto",
    varies: true,
  }),
  kernel: setting(choice("auto", "lumped", "off"), {
    value: "choice",
    about: "auto: a fast path if there is one; lumped: one that draws counts; off: none",
    default: "auto",
  }),
  delay: setting(delay, {
    value: "model",
    about: "events host, in virtual time: fixed:1, uniform:0.5..1.5 or exp:1 (the mean)",
    default: "fixed:1",
    varies: true,
    offers: ["fixed:1", "uniform:0.5..1.5", "exp:1"],
  }),
  fifo: setting(yesOrNo, {
    value: "choice",
    about: "events host: whether links keep the order of messages, true or false",
    default: "true",
    varies: true,
  }),
  until: setting(number(0, true), {
    value: "time",
    about: "end the run at this time (rounds or virtual time), even if events are left",
    otherwise: "when no event is left",
    varies: true,
  }),
  mostMessages: setting(whole(1, Number.MAX_SAFE_INTEGER), {
    value: "count",
    about: "end the command with an error if one trial sends more messages",
    otherwise: "10^8 + 20 n^2",
  }),
};

/** Probabilities of faults that theory knows; in a plan of faults they have the same names. */
export const RATES = {
  loss: setting(probability, {
    value: "p",
    about: "probability that a datagram is lost, including each copy of a multicast",
    default: "0",
    unit: "probability",
    varies: true,
    inTheory: true,
  }),
  multicastLoss: setting(probability, {
    value: "p",
    about: "probability that one receiver misses a multicast",
    otherwise: "as loss",
    unit: "probability",
    varies: true,
    inTheory: true,
  }),
  crash: setting(probability, {
    value: "p",
    about: "probability that a process crashed before the start (filter-relay: crashes in a round)",
    default: "0",
    unit: "probability",
    varies: true,
    inTheory: true,
  }),
} satisfies Partial<Record<keyof FaultPlan, Setting>>;

/** As `RATES`, but theory does not know them. Without defaults, so that a plan that leaves them out stays as it is. */
export const CHANCES = {
  duplicate: setting(probability, {
    value: "p",
    about: "probability that a message arrives twice",
    otherwise: "0",
    unit: "probability",
    varies: true,
  }),
  reorder: setting(probability, {
    value: "p",
    about: "events host: probability that a message takes up to one delay more",
    otherwise: "0",
    unit: "probability",
    varies: true,
  }),
  drift: setting(probability, {
    value: "share",
    about: "events host: clocks run at rates drawn from 1 - share to 1 + share",
    otherwise: "0",
    unit: "share",
    varies: true,
  }),
} satisfies Partial<Record<keyof FaultPlan, Setting>>;

/** All that a trial depends on, besides its protocol, its parameters and planned faults. */
export const SETTINGS = { ...NETWORK, ...RUN, ...RATES, ...CHANCES };

/** How long a campaign goes on, and on how many threads: nothing that a single trial depends on. */
export const LENGTH = {
  trials: setting(whole(1, MOST_TRIALS), {
    value: "count",
    about: "number of elections; with precision, the most",
    otherwise: "100; with precision 1000000",
    offers: ["100", "1000", "10000"],
  }),
  precision: setting(between0And1("1%"), {
    value: "share",
    about: "run until the 95% intervals of messages and success are this narrow, such as 1%",
    offers: ["1%", "0.1%"],
  }),
  threads: setting(whole(0, MOST_THREADS), {
    value: "count",
    about: "worker threads; 0 takes the calling one; results do not depend on it",
    otherwise: "one for each core; 0 from a program",
  }),
};
