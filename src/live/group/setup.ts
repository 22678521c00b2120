/** How a member is set up, and what it runs on. */
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

/** All about a member, except its listeners: its settings, and what was opened for it. */
export interface MemberBasics extends MemberSettings {
  readonly keyring: Keyring;
  /** Strict mode: who grants leases to this member and this group; closed when the member ends. It may be down at the start. */
  readonly engine?: LeaseEngine | undefined;
  /** With an engine: somebody outside this process holds the work, and has to know each deadline before a later one is asked for. */
  readonly gate?: Gate | undefined;
  /** What no setting says, and what shall be otherwise than the settings say: for tests. */
  readonly params?: Partial<GroupParams>;
}

export interface MemberOptions extends MemberBasics, ChronicleReader {}

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
