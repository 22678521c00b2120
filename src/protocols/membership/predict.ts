/**
 * What a profile costs and how quick it is, as formulas: held against simulation at n = 10, 100 and 1,000 by a test. Times are
 * in milliseconds, q is the loss of a message, T the period, h the helpers that there are.
 */
import { encodedSize } from "../../wire/codec.ts";
import { BUCKETS, type MembershipMessage } from "./messages.ts";
import {
  LARGE,
  leastDoubt,
  type Profile,
  probeEvery,
  spreading,
  transmissions,
  wantedConfirmations,
} from "./profile.ts";

/** What stands around each message on the wire, in bytes, and how long names, addresses and lives are. */
export interface Wire {
  /** Of each datagram: header and seal (31), the sender's address (7). */
  readonly datagram: number;
  /** What the parent wraps around a message: { kind: "members", message }. */
  readonly wrapper: number;
  readonly name: string;
  readonly address: string;
  readonly life: number;
}

export const SEALED: Wire = {
  datagram: 38,
  wrapper: encodedSize({ kind: "members", message: null }) - 1,
  name: "member-123",
  address: "10.0.0.123:7000",
  life: 2 ** 47,
};

const helpersAmong = ({ helpers }: Profile, n: number): number => Math.max(0, Math.min(helpers, n - 2));

/** A probe of a live member that gets no answer: (1 - (1-q)^2) · (1 - (1-q)^4)^h. */
export const silentProbe = (profile: Profile, n: number, loss: number): number =>
  (1 - (1 - loss) ** 2) * (1 - (1 - loss) ** 4) ** helpersAmong(profile, n);

/**
 * False alarms of the whole group in an hour, live members that are suspected: n · (an hour / probeEvery) · silentProbe. After a late
 * answer or an alarm more members are probed at once: up to a quarter more alarms, or a third while members have made only some ten probes.
 */
export function alarmsAnHour(profile: Profile, n: number, loss: number): number {
  const probes = n < 2 ? 0 : (n * 3_600_000) / (probeEvery(profile, n) * profile.tick);
  return probes * silentProbe(profile, n, loss);
}

/**
 * From the crash of one member until the first survivor declares it failed, on average (of many that crash together each is
 * found sooner: a member that finds one silent probes many more):
 *
 *     P·(n-1)/n        until the first probe of it, P = `probeEvery`: n - 1 survivors probe each of the others once in n - 1 turns
 *   + D + excess       that probe and the suspicion: D = their least time; the excess where the confirmations take longer than that
 *
 * The K-th confirmation comes an Erlang time X (K stages of T·(n-1)/n) after the end of that probe, which takes T, and is known
 * g = ln n / ln(1 + gossipTo) - 1 ticks later; then the last call takes a time-out. Excess = E max(0, T + X + g + time-out - D). In a
 * large group some members probe a suspect as soon as they hear of it, and there is no excess.
 */
export function detectionTime(profile: Profile, n: number): number {
  const { period, timeout, gossipEvery, tick } = profile;
  const stage = (probeEvery(profile, n) * (n - 1)) / n;
  const stages = wantedConfirmations(profile, n);
  const known = Math.max(0, spreading(profile, n) - gossipEvery);
  const least = Math.ceil(leastDoubt(profile, n));
  const excess = stages === 0 || n > LARGE ? 0 : erlangExcess(stages, stage, least - period - known - timeout);
  return tick * (stage + least + excess);
}

/** E max(0, X - a) for the sum X of k exponential times of that mean. Where a is 0, both lines say the same. */
function erlangExcess(k: number, mean: number, a: number): number {
  if (a <= 0) return k * mean - a;
  const x = a / mean;
  return mean * (k * poissonBelow(k + 1, x) - x * poissonBelow(k, x));
}

/** P(a Poisson number of mean x is below k). */
function poissonBelow(k: number, x: number): number {
  let [term, sum] = [Math.exp(-x), 0];
  for (let i = 0; i < k; i++) {
    sum += term;
    term *= x / (i + 1);
  }
  return sum;
}

/**
 * Bytes a second that a member of a group of n sends when nothing happens: a ping and an ack each period, a comparison now and
 * then; with loss also what helpers do, and the rumours of false suspicions and their refutations.
 */
export function bytesASecond(profile: Profile, n: number, loss: number, wire: Wire = SEALED): number {
  if (n < 2) return 0;
  const { life, name, address } = wire;
  const seq = 40_000;
  const entry = [name, life, 1, address, 0, null] as const;
  const cost = (message: MembershipMessage) => encodedSize(message) + wire.datagram + wire.wrapper;
  const ping = cost({ kind: "ping", seq, to: life, from: life });
  const ack = cost({ kind: "ack", seq, from: life });
  const got = 1 - loss;
  const helping =
    cost({ kind: "ask", seq, life, address }) +
    got * ping +
    got ** 2 * ack +
    got ** 3 * cost({ kind: "ack", seq, from: life, via: true }) +
    (got - got ** 3) * cost({ kind: "nack", seq });
  const probing = ping + got * ack + (1 - got ** 2) * helpersAmong(profile, n) * helping;
  const sums = Array.from({ length: BUCKETS }, () => 2 ** 31);
  const comparing = cost({ kind: "digest", name, life, sums, me: entry }) + got * cost({ kind: "answer", from: life });
  // Of each alarm the suspicion is told about half as often as it could be, until the refutation takes its place.
  const gossiping = 1.5 * transmissions(profile, n) * cost({ kind: "gossip", from: life, members: [entry] });
  const aSecond = 1000 / profile.tick;
  return (
    (aSecond * probing) / probeEvery(profile, n) +
    (aSecond * comparing) / profile.compareEvery +
    (alarmsAnHour(profile, n, loss) / 3600) * gossiping
  );
}
