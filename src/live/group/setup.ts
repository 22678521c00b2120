/** The settings of a member, and its means: network, clock and storage. */
import { electionParams, type GroupParams, groupParams, type LeaseSettings } from "../../elector/params.ts";
import type { MemberEvent } from "../../events/events.ts";
import { gatedTimes, leaseTimes } from "../../protocols/lease/params.ts";
import { pick } from "../../setting.ts";
import { ELECTIONS, type MemberSettings } from "../../settings/member.ts";
import type { LeaseEngine } from "../engines/engine.ts";
import type { Gate } from "../leading/gate.ts";
import type { Resolve } from "../net/address.ts";
import { idsOf, type Keyring } from "../net/keyring.ts";
import type { Sealing } from "../net/sealing.ts";
import type { FlightRecorder } from "../record/recorder.ts";
import type { Store } from "../store.ts";
import type { Address, Transport, World } from "../world.ts";
import type { ChronicleReader } from "./chronicle.ts";
import type { Peer } from "./peers.ts";
import { ENGINE } from "./peers.ts";

/** The settings of a member, and what was opened for it. */
export interface MemberBasics extends MemberSettings {
  readonly keyring: Keyring;
  /** Strict mode: the lease engine of this member; closed when the member ends. The lease store may be down at the start. */
  readonly engine?: LeaseEngine | undefined;
  /** With an engine: another process holds the work, and has to know each deadline before the next renewal. */
  readonly gate?: Gate | undefined;
  /** For tests: parameters that override the settings. */
  readonly params?: Partial<GroupParams>;
}

export interface MemberOptions extends MemberBasics, ChronicleReader {}

/** What a member runs on. */
export interface Means {
  readonly world: World;
  readonly transport: Transport;
  readonly resolve: Resolve;
  readonly store: Store;
  /** The address at which others reach it. */
  readonly reached: Address;
  /** Grants leases in place of the options' engine. */
  readonly engine?: Peer;
  readonly sealing?: Sealing;
  /** Records the machine's inputs and steps. */
  readonly recorder?: FlightRecorder | undefined;
  /** Events from before the start; they are told first. */
  readonly news?: MemberEvent[];
}

/** The elector's parameters, with defaults. */
export function memberParams(options: MemberBasics): GroupParams {
  const { name, keyring, engine, transport, params } = options;
  const elections = electionParams(pick(ELECTIONS, options));
  const lease = engine && { lease: leaseSettings(options) };
  return groupParams({ ...elections, ...params, name, keys: idsOf(keyring), transport, ...lease });
}

const leaseSettings = ({ leaseTtl, preemptible, gate }: MemberBasics): LeaseSettings => ({
  ...(gate === undefined ? leaseTimes(leaseTtl) : { ...gatedTimes(leaseTtl), gated: true }),
  engine: ENGINE,
  settles: true,
  preemptible,
});
