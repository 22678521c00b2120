/** Short simulations in the calling thread: costs and times that theory does not know. The same trials on every machine. */
import type { AnyProtocol } from "../protocol.ts";
import { reliable } from "../protocols/reliable.ts";
import { type Attempt, type PlanSetting, spare } from "../registry/planning.ts";
import { resolve, type Settings } from "../simulation/settings.ts";
import type { Trial } from "../simulation/trial.ts";
import { eachTrial } from "../statistics/chunk.ts";
import { binomialBelow } from "../theory/chance.ts";
import { attemptRequest, planningOf } from "./attempt.ts";
import type { Carriage } from "./carriage.ts";

/** Messages that a pilot may simulate in all. */
const MESSAGES = 1e6;
/** Trials of a pilot, at least and at most. */
const TRIALS = [20, 4000] as const;
/** No pilot runs the trial of this number or a later one. */
export const MOST_PILOTED = TRIALS[1];
/** The same for acknowledged links, whose timeouts take more steps to simulate. */
const LINKED_TRIALS = [8, 60] as const;
const LINKED_MESSAGES = 30_000;
/** Acknowledged rings are simulated with at most this many nodes: a hop takes as long on any ring. */
const LINKED_N = 32;
/** Time-outs double from the round trip on, up to this many delays. */
const FIRST_TIMEOUT = 2;
const LONGEST_TIMEOUT = 32;

async function trialsOf(settings: Settings, trials: number): Promise<Trial[]> {
  const all: Trial[] = [];
  await eachTrial(settings, { trials }, (trial) => all.push(trial));
  return all;
}

const meanOf = (trials: readonly Trial[], of: (trial: Trial) => number): number =>
  trials.reduce((sum, trial) => sum + of(trial), 0) / trials.length;

/** An election of more messages is not simulated, not even once. */
const LARGEST = 1e6;

/** A plan for a million processes must not wait for a simulation of a million. */
export const isTooLarge = ({ messages }: Attempt): boolean => messages > LARGEST;

type Costs = Pick<Attempt, "messages" | "rounds" | "datagrams" | "delays"> & { readonly time: number };

/** What elections cost and how long they take, as they run over datagrams. */
export async function pilot(carriage: Carriage, tried: Attempt): Promise<Costs> {
  const { setting } = carriage;
  const settings = resolve(attemptRequest(setting, tried.protocol, tried.chosen));
  const trials = await trialsOf(settings, trialsFor(tried.messages, MESSAGES, TRIALS));
  const messages = meanOf(trials, (trial) => trial.messages);
  const multicasts = meanOf(trials, ({ measures }) => measures.multicasts ?? 0);
  // Multicasts are counted among the messages of some protocols and not of others.
  const { traffic } = planningOf(tried.protocol);
  const counted = traffic === undefined || tried.protocol.assumes.topology === "star" ? 0 : multicasts;
  const times = trials.map(({ measures }) => measures.steps);
  return {
    messages,
    rounds: meanOf(trials, ({ rounds }) => rounds),
    datagrams: carriage.datagrams({ unicasts: messages - counted, multicasts }),
    delays: carriage.lengthen(meanOf(trials, ({ measures }) => measures.steps)),
    time: tried.time ?? carriage.lengthen(timeBeyond(times, spare(setting, tried))),
  };
}

const trialsFor = (messages: number, all: number, [least, most]: readonly [number, number]): number =>
  Math.round(Math.min(Math.max(all / Math.max(1, messages), least), most));

const linkedTo = (protocol: AnyProtocol): AnyProtocol =>
  reliable(protocol, { timeout: FIRST_TIMEOUT, longest: LONGEST_TIMEOUT });

/** As the protocol is simulated: over acknowledged links where it has them, and then with the losses of datagrams. */
export function simulated(asked: PlanSetting, { setting, waits }: Carriage, protocol: AnyProtocol) {
  return waits ? { setting: { ...setting, loss: asked.loss }, protocol: linkedTo(protocol) } : { setting, protocol };
}

/**
 * What losses cost over acknowledged links: the ratio of a smaller ring with losses to the same ring without. Rare delays that the
 * sample does not show are taken to be one more message that is lost several times in a row.
 */
export async function linkedPilot(asked: PlanSetting, carriage: Carriage, tried: Attempt): Promise<Costs> {
  const { protocol, chosen } = tried;
  const n = protocol.assumes.topology === "ring" ? Math.min(asked.n, LINKED_N) : asked.n;
  const initiators = Math.max(1, Math.round((asked.initiators * n) / asked.n));
  const small = { ...asked, n, initiators };
  const run = (of: AnyProtocol, setting: PlanSetting) =>
    trialsOf(resolve(attemptRequest(setting, of, chosen)), linkedTrials);
  const linkedTrials = trialsFor((tried.messages * n) / asked.n, LINKED_MESSAGES, LINKED_TRIALS);
  const bare = await run(protocol, { ...small, loss: 0 });
  // Here every datagram counts.
  const trials = await run({ ...linkedTo(protocol), counts: () => true }, small);
  const steps = ({ measures }: Trial) => measures.steps;
  const longest = Math.max(...bare.map(steps));
  const [messages, delays] = [meanOf(bare, (trial) => trial.messages), meanOf(bare, steps)];
  const tail = spare(asked, tried);
  const slowest = Math.max(...trials.map(steps));
  const [linkedMessages, linkedDelays] = [meanOf(trials, (trial) => trial.messages), meanOf(trials, steps)];
  const waited = lostAgain(asked.loss, tail / tried.messages);
  // The ring has the size that was asked for, so nothing has to be scaled. Theory may know only bounds here.
  if (n === asked.n) {
    return {
      messages,
      rounds: meanOf(bare, ({ rounds }) => rounds),
      datagrams: linkedMessages,
      delays: linkedDelays,
      time: slowest + waited,
    };
  }
  return {
    messages: tried.messages,
    rounds: tried.rounds,
    datagrams: tried.messages * (linkedMessages / messages),
    delays: tried.delays * (linkedDelays / delays),
    time: (slowest / longest) * (lossless(carriage, tried) ?? tried.delays * (longest / delays)) + waited,
  };
}

/** How long it would take if nothing were lost. */
function lossless({ setting }: Carriage, { protocol, parameters, messages, rounds, pNone, pMany }: Attempt) {
  const { n, initiators } = setting;
  const question = { params: parameters, n, initiators, loss: 0, multicastLoss: 0, crash: 0 };
  const prediction = { pNone, pMany, messages, rounds, success: null, factors: null, optimum: null };
  const tail = spare(setting, { pNone, pMany });
  return planningOf(protocol).time?.(question, tail, { ...prediction, method: "exact" }) ?? null;
}

/** The timeouts of a message that is lost k times in a row, with the least k whose chance is at most `p`. */
function lostAgain(loss: number, p: number): number {
  let waited = 0;
  for (let [chance, timeout] = [loss, FIRST_TIMEOUT]; chance > p; chance *= loss) {
    waited += timeout;
    timeout = Math.min(LONGEST_TIMEOUT, 2 * timeout);
  }
  return waited;
}

/** The chance that the time from the sample is too short, where the sample is large enough to show the tail. */
const DOUBT = 0.025;
/** The share of the sample from which the tail is extrapolated. */
const TOP = 0.1;

/**
 * A time that elections exceed with a chance of at most `tail`. If the sample is too small to show this time, its largest tenth is
 * extrapolated with an exponential tail. Counts of exchanges and sums of many delays have such a tail, or a lighter one.
 */
function timeBeyond(times: readonly number[], tail: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  const size = sorted.length;
  let exceed = 0;
  if (binomialBelow(size, tail, 1) <= DOUBT) {
    while (binomialBelow(size, tail, exceed + 2) <= DOUBT) exceed++;
    return sorted[size - 1 - exceed];
  }
  const from = sorted[Math.floor((1 - TOP) * size)];
  const above = sorted.filter((time) => time > from);
  if (above.length === 0) return sorted[size - 1];
  const mean = above.reduce((sum, time) => sum + time - from, 0) / above.length;
  const beyond = mean * (1 + 2 / Math.sqrt(above.length)) * Math.log(above.length / size / tail);
  return Math.max(sorted[size - 1], from + beyond);
}
