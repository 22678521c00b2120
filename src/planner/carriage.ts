/**
 * What the network makes of a protocol's messages: how many datagrams each becomes, how long it takes and how often it is
 * lost. On a network that is not complete a message to a random process goes along a walk; without IP multicast
 * a multicast goes to each member or by rumour; a protocol that bears no loss can have its messages acknowledged.
 */
import type { AnyProtocol } from "../protocol.ts";
import { isSynchronous, type Params, resolveParameters } from "../protocols/parameters.ts";
import { entryOf, toleranceOf } from "../registry/all.ts";
import type { PlanSetting, Traffic } from "../registry/planning.ts";
import { checkNetwork } from "../simulation/network.ts";
import { liveMulticast } from "../theory/gupta/rumour.ts";

export interface Carriage {
  /** The setting as the protocol meets it: its rates are those of whole messages. */
  readonly setting: PlanSetting;
  /** Messages are acknowledged, and sent again until they are. */
  readonly acknowledged: boolean;
  /** How long an election takes depends on what is lost and sent again: only a simulation can say it. */
  readonly waits: boolean;
  datagrams(traffic: Traffic): number;
  /** So many of the protocol's own delays, in those of a datagram. */
  lengthen(delays: number): number;
}

/** Where messages must come within a round, so many tries fit into it: the time-outs are a quarter and a half of it. */
const TIMELY_TRIES = 3;
const TIMELY_DELAYS = 4;

export function carriageOf(setting: PlanSetting, protocol: AnyProtocol): Carriage {
  const { loss } = setting;
  const route = routeOf(setting, protocol);
  const acknowledged = setting.reliable && toleranceOf(protocol, "loss") === null;
  const timely = acknowledged && inTime(protocol, resolveParameters(protocol, {}, setting.n));
  const unicast = acknowledged ? route.links * acknowledgedDatagrams(loss) : route.links;
  const multicast = multicastOf(setting, protocol);
  const planning = entryOf(protocol)?.planning;
  const spreading = (delays: number): number =>
    (typeof planning === "object" ? planning.lengthen?.(delays, multicast.delays) : undefined) ?? delays;
  const perDelay = route.delays * (timely && loss > 0 ? TIMELY_DELAYS : 1);
  return {
    setting: {
      ...setting,
      loss: acknowledged ? (timely ? loss ** TIMELY_TRIES : 0) : route.loss,
      multicastLoss: multicast.missed,
    },
    acknowledged,
    waits: acknowledged && !timely && loss > 0,
    datagrams: ({ unicasts, multicasts }) => unicasts * unicast + multicasts * multicast.datagrams,
    lengthen: (delays) => perDelay * spreading(delays),
  };
}

const inTime = (protocol: AnyProtocol, params: Params): boolean =>
  isSynchronous(protocol, params) || protocol.assumes.timing === "partial";

/** A message until it and its acknowledgement have both arrived, and an acknowledgement of each that does. */
const acknowledgedDatagrams = (loss: number): number => 1 / (1 - loss) ** 2 + 1 / (1 - loss);

/** Where a protocol asks random processes of a network that is not complete, a message goes along a walk. */
function routeOf({ topology, n, seed, loss, crash }: PlanSetting, protocol: AnyProtocol) {
  const sampling = topology === "complete" ? null : checkNetwork(protocol, { n, topology, seed }).sampling;
  if (sampling === null) return { links: 1, delays: 1, loss };
  // A lazy walk rests in every other step.
  const moves = sampling.walk === "lazy" ? 0.5 : 1;
  // It ends at a process that has crashed; whether the last one has, the protocol reckons with.
  const passes = (1 - moves * crash) ** (sampling.steps - 1);
  const { steps } = sampling;
  return { links: steps * moves, delays: steps, loss: 1 - (1 - moves * loss) ** steps * passes };
}

/** The centre of a star is a member beside the n. */
function multicastOf({ n, loss, multicastLoss, crash, multicast }: PlanSetting, { assumes }: AnyProtocol) {
  const direct = { datagrams: 1, delays: 1, missed: multicastLoss };
  if (!assumes.multicast || multicast) return direct;
  const spread = liveMulticast({ size: assumes.topology === "star" ? n + 1 : n, loss, crash });
  // What was said of multicasts holds, however they are sent.
  return multicastLoss === loss ? spread : { ...spread, missed: multicastLoss };
}
