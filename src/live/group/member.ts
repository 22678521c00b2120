/**
 * One member of a group that lasts, in this process: its socket, its saved state, and the machine that does the rest. What
 * happens is told as events, after the messages of that moment have left; whoever throws in being told stops nothing.
 */

import { group } from "../../elector/group.ts";
import type { GroupCommand } from "../../elector/messages.ts";
import { type GroupParams, groupParams, type LeaseSettings } from "../../elector/params.ts";
import type { GroupReport } from "../../elector/report.ts";
import type { GroupState } from "../../elector/state.ts";
import { keysIn } from "../../elector/told-keys.ts";
import { InputError } from "../../errors.ts";
import { gatedTimes, leaseTimes } from "../../protocols/lease/params.ts";
import { type Departed, departed, live } from "../../protocols/membership/parent.ts";
import type { Member } from "../../protocols/membership/records.ts";
import { utf8Length } from "../../wire/bytes.ts";
import type { Counters } from "../counters.ts";
import type { LeaseEngine } from "../engines/engine.ts";
import { fenceOf } from "../guards/fence.ts";
import { guardKeys } from "../guards/keys.ts";
import { idsOf, type Keyring, keyIdText } from "../keyring.ts";
import { type Gate, Gatekeeper } from "../leading/gate.ts";
import type { LeadHandle, LeadLimits } from "../leading/lead.ts";
import { Leading } from "../leading/leading.ts";
import { type Held, heldIn, type Work } from "../leading/scope.ts";
import { realWorld } from "../real-world.ts";
import type { Sealing } from "../sealing.ts";
import { NO_STALLS, type StallReport, StallWatch } from "../stalls.ts";
import type { Store } from "../store.ts";
import { openUdp } from "../udp.ts";
import { type Address, attentive, type Transport, type World } from "../world.ts";
import { parsePlace, placeText } from "./address.ts";
import { LARGEST_MESSAGE } from "./datagram.ts";
import { ENGINE, enginePeer } from "./engine-peer.ts";
import { Chronicle, type MemberEvent } from "./events.ts";
import { OpenNode } from "./host.ts";
import { inWords, storeOf } from "./kept.ts";
import type { Peer } from "./peers.ts";
import { checkReach, numbersOf } from "./reach.ts";
import { type Resolve, systemResolve } from "./resolve.ts";
import { type Keyed, Strangers } from "./strangers.ts";

const LONGEST_NAME = 64;
/** Milliseconds after which a member that is still alone says that nobody has answered. */
const PATIENCE = 5000;

export interface MemberOptions {
  /** Unique in the group and the same after a restart; up to 64 bytes. */
  readonly name: string;
  /** All members name the same group. */
  readonly group: string;
  /** Where to listen, such as "0.0.0.0:7001"; port 0 takes a free one. */
  readonly bind: string;
  /** Where others reach this member, where that is not `bind`. */
  readonly advertise?: string | undefined;
  /** Where other members may be found. */
  readonly seeds: readonly string[];
  readonly keyring: Keyring;
  /** The folder for what must survive a restart; null: nothing does. */
  readonly state: string | null;
  readonly params?: Partial<GroupParams>;
  /** Strict mode: leaders hold leases of an engine. */
  readonly lease?: LeaseOptions | undefined;
  /** Standstills of more milliseconds than this are told, as `stalled`; missing: they are not measured. */
  readonly stallLimit?: number | undefined;
  onEvent(event: MemberEvent): void;
  /** Something has changed: after everything has left, and after the events of it. */
  onReport?(report: GroupReport): void;
}

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

/** A member that runs. */
export interface RunningMember {
  readonly address: string;
  readonly counters: Counters;
  /** What the machine has counted: `elections` that this member stood in, `electionMessages` that it sent in any. */
  readonly measures: Readonly<Record<string, number>>;
  readonly stalls: StallReport;
  report(): GroupReport;
  /** Who is live as far as this member knows, by name, itself included once it has joined. */
  members(): readonly Member[];
  /** Who has failed or left, as long as that is remembered. */
  departed(): readonly Departed[];
  /** Ids of its keys, the one that it seals with first. */
  readonly keys: readonly number[];
  /** Milliseconds since any other member was heard, or since the start. */
  readonly silence: number;
  /** Milliseconds until a timer of the machine is due, as the clocks say now. */
  left(timer: string): number | null;
  /** What guards verify, of a seat that this member leads; null where it does not, and without an engine. */
  fence(seat: string): string | null;
  /** Promises that the lease of a seat is not given back for so many milliseconds (`Leading.promise`). */
  promise(seat: string): number;
  /** Gives a seat up by a command, in the order that its work needs (`Leading.giveUp`). */
  giveUp(seat: string, command: GroupCommand): void;
  command(command: GroupCommand): void;
  /**
   * Does the work whenever this member leads that office: one scope for each of its seats. See `Leadership` for what work is
   * told, and `LeadHandle` for how it ends.
   */
  lead(office: string, work: Work, limits?: LeadLimits): LeadHandle;
  rekey(keyring: Keyring): void;
  /** Stops its work and waits until it has ended (not for ever), gives up its offices, says goodbye, and ends. */
  leave(): Promise<void>;
  /** Comes true when it has left; rejects where it had to stop. */
  readonly ended: Promise<void>;
}

/** Starts a member; rejects where it cannot start. */
export async function runMember(options: MemberOptions): Promise<RunningMember> {
  try {
    return await open(options);
  } catch (error) {
    await options.lease?.engine.close();
    throw error;
  }
}

async function open(options: MemberOptions): Promise<RunningMember> {
  const { name, seeds, lease } = options;
  checkName(name, "a member");
  checkName(options.group, "a group");
  for (const seed of seeds) parsePlace(seed, "join");
  const listening = await numbersOf(options.bind, "bind");
  const advertised = options.advertise === undefined ? listening : await numbersOf(options.advertise, "advertise");
  checkReach(advertised, options.bind, seeds);
  const news: MemberEvent[] = [];
  const store = storeOf(options, (why) => news.push({ event: "new", member: name, why }));
  try {
    const transport = await openUdp(listening);
    const port = advertised.port === 0 ? transport.address.port : advertised.port;
    const reached = { host: advertised.host, port };
    const strict = lease && { why: leasesInWords(lease) };
    news.push({ event: "started", member: name, address: placeText(reached), ...strict });
    return startMember(options, { world: realWorld, resolve: systemResolve, transport, store, reached }, news);
  } catch (error) {
    store.close();
    throw error;
  }
}

function leasesInWords({ ttl, engine }: LeaseOptions): string {
  const trouble = engine.trouble === undefined ? "" : `, which could not be asked just now: ${engine.trouble}`;
  return `leaders hold leases of ${leaseTimes(ttl).ttl} ms in ${engine.name}${trouble}`;
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
}

/** As `runMember`, in a world that is given. */
export function startMember(options: MemberOptions, means: Means, news: MemberEvent[] = []): RunningMember {
  const { name, seeds, lease, stallLimit, onEvent } = options;
  let { keyring } = options;
  const { reached, engine = lease && enginePeer(lease.engine) } = means;
  // Whatever calls a user back: overdue deadlines, and with them signals, come before it.
  const world = attentive(means.world, () => node.look());
  const keys = idsOf(keyring);
  const params = groupParams({ ...options.params, name, keys, ...(lease && { lease: leaseSettings(lease) }) });
  let report: GroupReport | null = null;
  let hasMet = false;
  let isChanged = false;
  let failure: unknown = null;
  let end = () => {};
  let fail: (error: unknown) => void = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = (error) => {
      failure = error;
      leading.abandon("its member has stopped");
      reject(error);
    };
  });
  const tell = (event: MemberEvent) => {
    try {
      onEvent(event);
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  };
  const dropped = (why: string) => tell({ event: "dropped", why });
  const known = () => [...live(membersOf(node)), ...departed(membersOf(node)).map(({ member }) => member)];
  const strangers = new Strangers(world, dropped, {
    own: () => idsOf(keyring),
    told: () => known().flatMap(({ meta }) => keysIn(meta) ?? []),
  });
  const left = (timer: string) => node.left(timer);
  const fence = ({ seat, token, lease }: Held) =>
    token === null || lease === null ? null : fenceOf(guardKeys(keyring, options.group), { seat, token, lease });
  const chronicle = new Chronicle({ left, fence, isWorking: (seat) => leading.isWorking(seat) });
  const flush = () => {
    for (const event of news.splice(0)) tell(event);
  };
  const stalled = (ms: number) => {
    news.push({ event: "stalled", ms, why: `this process stood still, or was busy, for ${ms} ms` });
    world.soon(flush);
  };
  const watch = stallLimit === undefined ? null : new StallWatch(means.world, stallLimit, stalled);
  const leading = new Leading({
    ...{ world, left, fence, offices: params.offices },
    settleWithin: (params.lease ?? leaseTimes()).settleWithin,
    releaseWithin: params.lease?.requestTimeout ?? null,
    report: () => report!,
    command: (command) => node.command(command),
    look: () => node.look(),
    tell: (event, office, why) => tell({ event, office, why }),
  });
  const gatekeeper = lease?.gate && new Gatekeeper({ gate: lease.gate, left, command: (each) => node.command(each) });
  const node = new OpenNode(
    {
      ...means,
      ...{ machine: group(), params, name, group: options.group, keyring, seeds, advertised: reached },
      peers: engine === undefined ? {} : { [ENGINE]: engine },
      awake: () => watch?.look(),
    },
    {
      reported(latest) {
        const isNews = (latest as GroupReport).version !== report?.version;
        report = latest as GroupReport;
        hasMet ||= report.members > 1;
        if (!isNews) return;
        isChanged = true;
        news.push(...chronicle.of(report));
        const joined = report.news.flatMap(({ event, member }) => (event === "joined" ? [member] : []));
        if (joined.length > 0) world.soon(() => strangers.meet(others(joined)));
        leading.follow(report);
      },
      released() {
        flush();
        if (isChanged) {
          isChanged = false;
          options.onReport?.(report!);
        }
        if (report?.refused == null) {
          gatekeeper?.follow(report!);
          return leading.proceed();
        }
        void node.close();
        fail(new InputError(report.refused));
      },
      failed: (error) => fail(inWords(error, options)),
      refused: (refusal) => strangers.refused(refusal),
      unresolved: (address, why) => tell({ event: "unresolved", address, why: `${why}; it is looked up again` }),
      oversized: (bytes) => dropped(`a message of ${bytes} bytes was not sent: a datagram holds ${LARGEST_MESSAGE}`),
    },
  );
  /** Members with these names, or all, this one excepted. */
  const others = (names?: readonly (string | undefined)[]): readonly Keyed[] =>
    live(membersOf(node))
      .filter((one) => one.name !== name && (names?.includes(one.name) ?? true))
      .map((one) => ({ name: one.name, address: one.address, keys: keysIn(one.meta) }));
  node.start();
  // Whoever waits for the end is told of a failure; where nobody does, it must not end the process.
  ended.catch(() => {});
  if (failure !== null) throw failure;
  const elsewhere = seeds.filter((seed) => seed !== placeText(reached));
  const patience = world.set(PATIENCE, () => {
    if (hasMet || elsewhere.length === 0) return;
    tell({
      event: "alone",
      why: `nobody has answered at ${elsewhere.join(", ")}; this member goes on asking. Is one there, with the same group name and the same key (here ${idsOf(keyring).map(keyIdText).join(", ")})?`,
    });
  });
  const closing = () => {
    patience();
    watch?.stop();
    return lease?.engine.close().catch(() => {});
  };
  const gone = ended.then(closing, closing);
  let leaving: Promise<void> | null = null;
  const depart = async () => {
    const settling = leading.close();
    if (settling !== null) await settling;
    await node.leave();
    leading.abandon("its member has left");
    end();
    await gone;
  };
  return {
    address: placeText(reached),
    counters: node.counters,
    get measures() {
      return node.measures;
    },
    get stalls() {
      return watch?.report ?? NO_STALLS;
    },
    get silence() {
      return node.silence;
    },
    get keys() {
      return idsOf(keyring);
    },
    members: () => live(membersOf(node)),
    departed: () => departed(membersOf(node)),
    left,
    fence(seat) {
      const office = report!.offices[seat];
      return office.mine ? fence(heldIn(seat, office)) : null;
    },
    promise: (seat) => leading.promise(seat),
    giveUp: (seat, command) => leading.giveUp(seat, command),
    report: () => report!,
    command(command) {
      if (command.kind === "office") leading.add(command.office);
      node.command(command);
    },
    lead: (office, work, limits) => leading.lead(office, work, limits),
    rekey(fresh) {
      const before = idsOf(keyring);
      keyring = fresh;
      node.rekey(fresh);
      node.command({ kind: "keys", keys: idsOf(fresh) });
      strangers.rekeyed(before, others());
    },
    leave() {
      leaving ??= depart();
      return leaving;
    },
    ended,
  };
}

const membersOf = (node: OpenNode) => (node.state as GroupState).members;

const leaseSettings = ({ ttl, preemptible = false, gate }: LeaseOptions): LeaseSettings => ({
  ...(gate === undefined ? leaseTimes(ttl) : { ...gatedTimes(ttl), gated: true }),
  ...{ engine: ENGINE, settles: true, preemptible },
});

export function checkName(name: string, whose: string): void {
  const length = utf8Length(name);
  // Neither goes through UTF-8 and databases as it is: the member would not know itself again.
  if (/\0|\p{Surrogate}/u.test(name)) {
    throw new InputError(`the name of ${whose} has a character that is none (${JSON.stringify(name)}): use others`);
  }
  if (length > 0 && length <= LONGEST_NAME) return;
  throw new InputError(`the name of ${whose} has 1 to ${LONGEST_NAME} bytes, and "${name}" has ${length}`);
}
