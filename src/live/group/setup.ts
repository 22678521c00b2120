/** How a member is set up, and what it runs on. */
import { type GroupParams, groupParams, type LeaseSettings } from "../../elector/params.ts";
import type { MemberEvent } from "../../events/events.ts";
import { gatedTimes, leaseTimes } from "../../protocols/lease/params.ts";
import type { LeaseEngine } from "../engines/engine.ts";
import type { Gate } from "../leading/gate.ts";
import type { Resolve } from "../net/address.ts";
import { idsOf, type Keyring } from "../net/keyring.ts";
import type { Sealing } from "../net/sealing.ts";
import type { FlightRecorder, RecordOptions } from "../record/recorder.ts";
import type { Store } from "../store.ts";
import type { Address, Transport, World } from "../world.ts";
import type { ChronicleReader } from "./chronicle.ts";
import type { Peer } from "./peers.ts";
import { ENGINE } from "./peers.ts";

/** All about a member, except its listeners. */
export interface MemberBasics {
  /** Unique in the group and the same after a restart; up to 64 bytes. */
  readonly name: string;
  /** All members name the same group. */
  readonly group: string;
  /** Where to listen, such as "0.0.0.0:7001"; port 0 takes a free one. */
  readonly bind: string;
  /** Where others reach this member, where that is not `bind`. */
  readonly advertise?: string | undefined;
  /** How members speak to each other ("udp"); the same at all members. */
  readonly transport?: "udp" | "tcp" | undefined;
  /** Where other members may be found. */
  readonly seeds: readonly string[];
  readonly keyring: Keyring;
  /** The folder for what must survive a restart; null: nothing does. */
  readonly state: string | null;
  readonly params?: Partial<GroupParams>;
  /** Strict mode: leaders hold leases of an engine. */
  readonly lease?: LeaseOptions | undefined;
  /** Where the last minutes are recorded. */
  readonly record?: RecordOptions | undefined;
  /** Pauses of more milliseconds than this are told, as `stalled`; missing: they are not measured. */
  readonly stallLimit?: number | undefined;
}

export interface MemberOptions extends MemberBasics, ChronicleReader {}

export interface LeaseOptions {
  /** For this member and this group; closed when the member ends. It may be down at the start. */
  readonly engine: LeaseEngine;
  /** Milliseconds that a lease lasts without being renewed (5,000); the same at all members. */
  readonly ttl?: number | undefined;
  /** Whether the lease of a holder that cannot be reached is cut short; counts when the engine first hears of an office. */
  readonly preemptible?: boolean | undefined;
  /** Somebody outside this process holds the work, and has to know each deadline before a later one is asked for. */
  readonly gate?: Gate | undefined;
}

/** What a member runs on. */
export interface Means {
  readonly world: World;
  readonly transport: Transport;
  readonly resolve: Resolve;
  readonly store: Store;
  /** Where others reach it. */
  readonly reached: Address;
  /** Who grants leases, where it is not the engine of the options. */
  readonly engine?: Peer;
  readonly sealing?: Sealing;
  /** Who writes down what the machine takes from outside and does. */
  readonly recorder?: FlightRecorder | undefined;
  /** What has happened before the start, and what is found out in it: told first. */
  readonly news?: MemberEvent[];
}

/** Complete: what was not given has its default. */
export function memberParams({ name, keyring, lease, transport = "udp", params }: MemberBasics): GroupParams {
  const keys = idsOf(keyring);
  return groupParams({ ...params, name, keys, transport, ...(lease && { lease: leaseSettings(lease) }) });
}

const leaseSettings = ({ ttl, preemptible = false, gate }: LeaseOptions): LeaseSettings => ({
  ...(gate === undefined ? leaseTimes(ttl) : { ...gatedTimes(ttl), gated: true }),
  engine: ENGINE,
  settles: true,
  preemptible,
});
