/**
 * A multicast without a network that has one, as live members send it: to each of a small group (fan-out), or by rumour,
 * where the sender tells a few random members and each member that hears of it for the first time does the same. With ln n + c targets
 * each, all n are reached with probability about exp(-exp(-c)) (Kermarrec, Massoulie and Ganesh, "Probabilistic reliable
 * dissemination in large-scale systems", IEEE TPDS 14(3), 2003).
 */

/** Groups above this size multicast by rumour, smaller ones to each member. */
export const FAN_OUT_LIMIT = 32;

/** c = 4: somebody is missed in about one multicast of fifty, without loss. */
const MARGIN = 4;

/** How many members each tells of a rumour. */
export const rumourTargets = (size: number): number => Math.min(size - 1, Math.ceil(Math.log(size)) + MARGIN);

/** What a multicast amounts to. */
interface Spread {
  readonly datagrams: number;
  /** Message delays until hardly anybody is still to be reached. */
  readonly delays: number;
  /** That a live member misses it. */
  readonly missed: number;
}

interface Group {
  readonly size: number;
  /** That a datagram is lost, that a member has crashed. */
  readonly loss: number;
  readonly crash: number;
}

/** As live members choose it where nobody says how. */
export const liveMulticast = (group: Group): Spread =>
  group.size > FAN_OUT_LIMIT ? rumour(group) : { datagrams: group.size - 1, delays: 1, missed: group.loss };

/** Members still to be reached that are few enough to end with. */
const LEFT = 0.005;

/** Follows the mean number of those who have not heard of it, from those who hear of it at a time to those that they tell. */
function rumour({ size, loss, crash }: Group): Spread {
  const targets = rumourTargets(size);
  const spared = 1 - (targets * (1 - loss)) / (size - 1);
  let unheard = (size - 1) * (1 - crash);
  let telling = 1;
  let told = 1;
  let delays = 0;
  while (telling > LEFT) {
    const left = unheard * spared ** telling;
    telling = unheard - left;
    told += telling;
    unheard = left;
    delays++;
  }
  const dies = diesOut(targets, (1 - loss) * (1 - crash));
  return { datagrams: told * targets, delays, missed: Math.min(1, unheard / ((size - 1) * (1 - crash)) + dies) };
}

/** That the first few who are told all fail to pass it on: the least root of e = (1 - q + q e)^targets. */
function diesOut(targets: number, q: number): number {
  let e = 0;
  for (let i = 0; i < 200; i++) e = (1 - q + q * e) ** targets;
  return e;
}
