/**
 * One member of a group that lasts, in this process. It has four parts: the node (the machine on its host, with network and saved
 * state), the chronicle (what its program is told), the keys, and the work that it does while it leads.
 */
import { group } from "../../elector/group.ts";
import type { GroupParams } from "../../elector/params.ts";
import type { GroupReport } from "../../elector/report.ts";
import type { GroupState } from "../../elector/state.ts";
import type { GroupCommand } from "../../elector/talk/messages.ts";
import { InputError } from "../../errors.ts";
import type { MemberEvent } from "../../events/events.ts";
import { taped } from "../../flight/tape.ts";
import { leaseTimes } from "../../protocols/lease/params.ts";
import { type Departed, departed, live } from "../../protocols/membership/parent.ts";
import type { KnownMember } from "../../protocols/membership/records.ts";
import { RECORD_MINUTES } from "../../settings/member.ts";
import { utf8Length } from "../../wire/bytes.ts";
import type { LeaseEngine } from "../engines/engine.ts";
import { Leading } from "../leading/leading.ts";
import type { LeadHandle, LeadOptions } from "../leading/scope.ts";
import { heldIn, type Work } from "../leading/scope.ts";
import { checkReach, parsePlace, resolveAddress, systemResolve } from "../net/address.ts";
import type { Counters } from "../net/counters.ts";
import { LARGEST_MESSAGE } from "../net/datagram.ts";
import { type Keyring, keyIdText } from "../net/keyring.ts";
import { openTransport } from "../net/transport.ts";
import { addressText } from "../net/udp.ts";
import { realWorld } from "../real-world.ts";
import { FlightRecorder } from "../record/recorder.ts";
import type { StallReport } from "../stalls.ts";
import type { Cancel, World } from "../world.ts";
import { Chronicle } from "./chronicle.ts";
import type { LeaderCause, LeaderChange } from "./history.ts";
import { OpenNode } from "./host.ts";
import { diskErrorInWords, memberStore } from "./kept.ts";
import { GroupKeys } from "./keys.ts";
import { ENGINE, enginePeer, type Peer } from "./peers.ts";
import { type Means, type MemberBasics, type MemberOptions, memberParams } from "./setup.ts";

const LONGEST_NAME = 64;
/** Milliseconds after which a member that is still alone reports that no member has answered. */
const PATIENCE = 5000;

/** A running member, once `start` was called. */
export class RunningMember {
  /** The elector's parameters, with defaults. */
  readonly params: GroupParams;
  /** Milliseconds in which work must end. */
  readonly settleWithin: number;
  /** The address at which others reach it. */
  readonly address: string;
  /** Resolves when the member has left; rejects if it had to stop. */
  readonly ended: Promise<void>;
  /** The lease engine; null without leases. */
  readonly engine: Peer | null;
  private readonly options: MemberOptions;
  private readonly node: OpenNode<GroupState, GroupReport>;
  private readonly chronicle: Chronicle;
  private readonly keys: GroupKeys;
  private readonly leading: Leading;
  private readonly recorder: FlightRecorder | null;
  /** The version of the latest report. */
  private version = -1;
  /** Whether it has ever met another member. */
  private hasMet = false;
  private failure: { readonly error: unknown } | null = null;
  private leaving: Promise<void> | null = null;
  /** Resolves when everything that it has opened is closed. */
  private closed: Promise<void> | null = null;
  private resolve!: () => void;
  private reject!: (error: unknown) => void;

  /** Each part is made from those before it. The node gets its listeners at the start. */
  constructor(options: MemberOptions, means: Means) {
    const params = memberParams(options);
    const settleWithin = (params.lease ?? leaseTimes()).settleWithin;
    const { engine = options.engine && enginePeer(options.engine) } = means;
    const node = nodeOf(options, means, params, engine);
    const chronicle = new Chronicle(options, node.world, means.news ?? []);
    const keys = new GroupKeys({
      name: options.name,
      group: options.group,
      keyring: options.keyring,
      node,
      dropped: (why) => chronicle.dropped(why),
    });
    const leading = new Leading({
      world: node.world,
      offices: params.offices,
      settleWithin,
      releaseWithin: params.lease?.requestTimeout ?? null,
      gate: options.gate,
      report: () => node.report,
      command: (command) => node.command(command),
      left: (timer) => node.left(timer),
      look: () => node.look(),
      fence: (held) => keys.fence(held),
      threw(why, { seat, failures, retryMs }) {
        chronicle.tell({ event: "threw", office: seat, why, failures, ...(retryMs !== null && { ms: retryMs }) });
      },
      unsettled: (office, why) => chronicle.tell({ event: "unsettled", office, why }),
    });
    this.options = options;
    this.params = params;
    this.settleWithin = settleWithin;
    this.address = addressText(means.reached);
    this.node = node;
    this.engine = engine ?? null;
    this.chronicle = chronicle;
    this.keys = keys;
    this.leading = leading;
    this.recorder = means.recorder ?? null;
    if (this.recorder !== null) this.recorder.onStopped = (why) => chronicle.later({ event: "unrecorded", why });
    this.ended = new Promise<void>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // If no caller waits for `ended`, its rejection must not end the process.
    this.ended.catch(() => {});
  }

  /** Throws if the member fails at once. */
  start(): void {
    const { chronicle } = this;
    this.node.start({
      reported: (report) => this.reported(report),
      released: () => this.released(),
      failed: (error) => this.fail(diskErrorInWords(error, this.options)),
      refused: (refusal) => this.keys.refused(refusal),
      stalled: (ms) => chronicle.stalled(ms),
      unresolved: (address, why) =>
        chronicle.tell({ event: "unresolved", address, why: `${why}; it is looked up again` }),
      oversized: (bytes) =>
        chronicle.dropped(`a message of ${bytes} bytes was not sent: a datagram holds ${LARGEST_MESSAGE}`),
    });
    if (this.failure !== null) throw this.failure.error;
    const patience = this.sayWhenAlone();
    const close = () => {
      patience();
      this.recorder?.close();
      return this.options.engine?.close().catch(() => {});
    };
    this.closed = this.ended.then(close, close);
  }

  /** Clock and timers that handle overdue deadlines first. */
  get world(): World {
    return this.node.world;
  }

  /** Tells an event that is not part of a report, at once. */
  tell(event: MemberEvent): void {
    this.chronicle.tell(event);
  }

  /** The latest changes of leaders, the oldest first. */
  get history(): readonly LeaderChange[] {
    return this.chronicle.history.changes;
  }

  get counters(): Counters {
    return this.node.counters;
  }

  /** The machine's measures: `elections` in which this member stood, `electionMessages` that it sent. */
  get measures(): Readonly<Record<string, number>> {
    return this.node.measures;
  }

  get stalls(): StallReport {
    return this.node.stalls;
  }

  /** Milliseconds since another member was heard, or since the start. */
  get silence(): number {
    return this.node.silence;
  }

  /** Ids of its keys, the one that it seals with first. */
  get keyIds(): readonly number[] {
    return this.keys.ids;
  }

  report(): GroupReport {
    return this.node.report;
  }

  /** The live members as far as this one knows, by name; itself included once it has joined. */
  members(): readonly KnownMember[] {
    return live(this.node.state.members);
  }

  /** The members that have failed or left, as long as they are remembered. */
  departed(): readonly Departed[] {
    return departed(this.node.state.members);
  }

  /** Milliseconds until a timer of the machine is due, by the clocks. */
  left(timer: string): number | null {
    return this.node.left(timer);
  }

  /** The fence of a seat that this member leads; null if it does not lead, and without leases. */
  fence(seat: string): string | null {
    const office = this.node.report.offices[seat];
    return office.mine ? this.keys.fence(heldIn(seat, office)) : null;
  }

  /** Returns for how many milliseconds the lease of a seat is not given back (`Leading.promise`). */
  promise(seat: string): number {
    return this.leading.promise(seat);
  }

  /** Gives a seat up by a command, in the order that its work needs (`Leading.giveUp`). */
  giveUp(seat: string, command: GroupCommand, why: LeaderCause): void {
    this.chronicle.history.gives(seat, why);
    this.leading.giveUp(seat, command);
  }

  command(command: GroupCommand): void {
    if (command.kind === "office") this.leading.add(command.office);
    this.node.command(command);
  }

  /**
   * Does the work whenever this member leads the office, in one scope for each of its seats. The work gets a `Leadership`; `LeadHandle`
   * says how it ends.
   */
  lead(office: string, work: Work, options?: LeadOptions): LeadHandle {
    return this.leading.lead(office, work, options);
  }

  rekey(keyring: Keyring): void {
    this.keys.replace(keyring);
  }

  /** Stops its work, waits until the work has ended (not for ever), gives up its offices, tells the others, and ends. */
  leave(): Promise<void> {
    this.leaving ??= this.depart();
    return this.leaving;
  }

  /** The state is saved, and no message has left. Signals fire here; other callbacks of users run later. */
  private reported(report: GroupReport): void {
    this.hasMet ||= report.members > 1;
    if (report.version === this.version) return;
    this.version = report.version;
    this.chronicle.record(report, {
      left: (timer) => this.node.left(timer),
      isWorking: (seat) => this.leading.isWorking(seat),
      fence: (held) => this.keys.fence(held),
    });
    this.keys.follow(report);
    this.leading.follow(report);
  }

  /** All messages have left. */
  private released(): void {
    const { node } = this;
    this.chronicle.release(node.report);
    const { refused } = node.report;
    if (refused === null) {
      this.leading.proceed();
      return;
    }
    void node.close();
    this.fail(new InputError(refused));
  }

  private fail(error: unknown): void {
    this.failure = { error };
    this.leading.abandon("its member has stopped");
    this.reject(error);
  }

  private async depart(): Promise<void> {
    const settling = this.leading.close();
    if (settling !== null) await settling;
    await this.node.leave();
    this.leading.abandon("its member has left");
    this.resolve();
    await this.closed;
  }

  private sayWhenAlone(): Cancel {
    const elsewhere = this.options.seeds.filter((seed) => seed !== this.address);
    return this.node.world.set(PATIENCE, () => {
      if (this.hasMet || elsewhere.length === 0) return;
      const keys = this.keyIds.map(keyIdText).join(", ");
      this.chronicle.tell({
        event: "alone",
        why: `nobody has answered at ${elsewhere.join(", ")}; this member goes on asking. Check that a member listens there, with the same group name and the same key (here ${keys})`,
      });
    });
  }
}

function nodeOf(
  options: MemberBasics,
  means: Means,
  params: GroupParams,
  engine: Peer | undefined,
): OpenNode<GroupState, GroupReport> {
  const { name, keyring, seeds, stallMs } = options;
  return new OpenNode({
    ...means,
    machine: means.recorder === undefined ? group() : taped(group(), means.recorder),
    params,
    name,
    group: options.group,
    keyring,
    seeds,
    advertised: means.reached,
    peers: engine === undefined ? {} : { [ENGINE]: engine },
    stallLimit: stallMs > 0 ? stallMs : undefined,
  });
}

/** As `runMember`, with given means. */
export function startMember(options: MemberOptions, means: Means): RunningMember {
  const member = new RunningMember(options, means);
  member.start();
  return member;
}

/** Starts a member; rejects if it cannot start. */
export const runMember = (options: MemberOptions): Promise<RunningMember> =>
  onThisMachine(options, (means) => startMember(options, means));

/** Opens state and socket and starts a member with them. If anything fails, they are closed, and the engine too. */
export async function onThisMachine<T>(options: MemberBasics, start: (means: Means) => T): Promise<T> {
  try {
    return await open(options, start);
  } catch (error) {
    await options.engine?.close();
    throw error;
  }
}

async function open<T>(options: MemberBasics, start: (means: Means) => T): Promise<T> {
  const { name, seeds, engine, record, recordMinutes: minutes = RECORD_MINUTES } = options;
  checkName(name, "a member");
  checkName(options.group, "a group");
  for (const seed of seeds) parsePlace(seed, "join");
  // A chosen protocol needs its formula for epsilon. Formulas are half of the package, so they are loaded only then.
  if (options.protocol !== "auto") await import("../../registry/all.ts");
  const listening = await resolveAddress(options.bind, "bind");
  const advertised = options.advertise === undefined ? listening : await resolveAddress(options.advertise, "advertise");
  checkReach(advertised, options.bind, seeds);
  const news: MemberEvent[] = [];
  const store = memberStore(options, (why) => news.push({ event: "new", member: name, why }));
  let recorder: FlightRecorder | undefined;
  try {
    if (record !== undefined) recorder = new FlightRecorder({ file: record, minutes }, realWorld);
    const transport = await openTransport(listening, options.transport);
    const port = advertised.port === 0 ? transport.address.port : advertised.port;
    const reached = { host: advertised.host, port };
    const address = addressText(reached);
    recorder?.begin({ machine: "group", group: options.group, member: name, address });
    const strict = engine && { why: leasesInWords(engine, options.leaseTtl) };
    news.push({ event: "started", member: name, address, ...strict });
    const trouble = engine?.trouble;
    if (trouble !== undefined) news.push({ event: "engine", engine: "silent", why: trouble });
    return start({ world: realWorld, resolve: systemResolve, transport, store, reached, news, recorder });
  } catch (error) {
    recorder?.close();
    store.close();
    throw error;
  }
}

const leasesInWords = (engine: LeaseEngine, ttl: number | undefined): string =>
  `leaders hold leases of ${leaseTimes(ttl).ttl} ms in ${engine.name}`;

function checkName(name: string, whose: string): void {
  const length = utf8Length(name);
  // UTF-8 and databases change such characters, and the member would not recognize its name.
  if (/\0|\p{Surrogate}/u.test(name)) {
    throw new InputError(
      `the name of ${whose} has a character that cannot be used (${JSON.stringify(name)}): use others`,
    );
  }
  if (length > 0 && length <= LONGEST_NAME) return;
  throw new InputError(`the name of ${whose} has 1 to ${LONGEST_NAME} bytes, and "${name}" has ${length}`);
}
