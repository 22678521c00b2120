/**
 * The world that the members of a filter-relay election by counts act in: messages under way, alarms, and what is counted. What a
 * crowd does, each of its members does.
 */
import type { Result } from "../../host/setup.ts";
import { inUnits } from "../../host/stage.ts";
import { RunTally } from "../../host/tally.ts";
import type { Id, Port } from "../../protocol.ts";
import { bitLength } from "../../protocols/bits.ts";
import { filterRelay } from "../../protocols/group/filter-relay.ts";
import type { FilterRelayParams } from "../../protocols/group/filter-relay-parameters.ts";
import {
  type FilterRelayMessage,
  type FilterRelayTimer,
  newMember,
  type RoundContext,
} from "../../protocols/group/filter-relay-round.ts";
import { hypergeometric } from "../../random/hypergeometric.ts";
import type { Source } from "../../random/source.ts";
import { HostStream, NodeStream } from "../../random/streams.ts";
import { delayOf, type KernelSettings } from "../kernel.ts";
import { type Cohort, isNamed, Members, type NamedMember } from "./members.ts";

/** A message under way: from one to some others, one after the other, or from each of so many to all. */
export type RelayFlight = { readonly at: number; readonly message: FilterRelayMessage } & (
  | { readonly from: NamedMember; readonly to: readonly NamedMember[] }
  | { readonly from: Cohort; readonly to: null; readonly copies: number }
);

const KEPT = 1000;

export abstract class CrowdContext implements RoundContext {
  protected readonly settings: KernelSettings;
  protected readonly params: FilterRelayParams;
  protected readonly source: Source;
  protected readonly members: Members;
  protected readonly tally = new RunTally(filterRelay.measures);
  protected now = 0;
  protected acting!: Cohort;
  /** No alarm rings before. */
  protected soonest = Infinity;
  /** In the order in which they arrive, as all take the same time; the first of them have arrived. */
  protected flights: RelayFlight[] = [];
  protected landed = 0;
  /** When processes fail. */
  protected crashes: number[] = [];
  private orders = 0;
  private entered = 0;
  /** The receiver of what the acting member sends; it has one thing to say at a time. */
  private outbox: NamedMember[] = [];
  private said!: FilterRelayMessage;
  private idBits: IdBits | null = null;

  constructor(settings: KernelSettings, trial: number) {
    const { n, seed } = settings;
    this.settings = settings;
    this.params = settings.params as unknown as FilterRelayParams;
    this.source = new NodeStream(seed, trial, 0);
    const election = new HostStream(seed, trial, "election").choose(2 ** 53);
    this.members = new Members(settings, newMember(this.params, 0, n, election), this.source);
  }

  /** A round is announced, perhaps for the first time. */
  protected abstract announced(round: number): void;

  get degree(): number {
    return this.members.named.length;
  }

  peer(port: Port): Id {
    return this.members.named[port].state.id;
  }

  send(port: Port, message: FilterRelayMessage): void {
    this.outbox.push(this.members.named[port]);
    this.said = message;
  }

  multicast(message: FilterRelayMessage): void {
    const { acting, members } = this;
    this.count(message, acting.count);
    this.flights.push({ at: this.arrival, message, from: acting, to: null, copies: acting.count });
    if (message.kind === "initiate") this.announced(message.round);
    if (isNamed(acting)) return;
    acting.spoke = ++this.orders;
    this.idBits ??= new IdBits(
      this.settings.n,
      members.named.map(({ state }) => state.id),
    );
    this.tally.bits += this.idBits.draw(this.source, acting.count);
  }

  arm(timer: FilterRelayTimer, after: number): void {
    this.setAlarm(this.acting, timer, this.later(this.now, after));
  }

  disarm(timer: FilterRelayTimer): void {
    const { acting } = this;
    acting.timers[timer].at = Infinity;
    acting.noticed = 0;
    acting.slotsPassed = 0;
  }

  choose(n: number): number {
    return this.source.choose(n);
  }

  coin(p: number): boolean {
    return this.source.coin(p);
  }

  enter(round: number, after: number): boolean {
    if (round <= this.entered) return false;
    this.entered = round;
    this.crashes.push(this.settings.host === "lockstep" ? Math.ceil(this.now + after) : this.now + after);
    return true;
  }

  measure(name: string, value: number): void {
    this.tally.measure(name, value * this.acting.count);
  }

  protected nextFlight(): RelayFlight {
    // What has arrived need not be kept.
    if (this.landed > KEPT && 2 * this.landed > this.flights.length) {
      this.flights = this.flights.slice(this.landed);
      this.landed = 0;
    }
    return this.flights[this.landed++];
  }

  protected act(cohort: Cohort, handler: () => void): void {
    const { acting } = this;
    this.acting = cohort;
    handler();
    if (this.outbox.length > 0) this.post(cohort as NamedMember);
    this.acting = acting;
  }

  /** Unicasts leave in the order of the sender's ports. */
  private post(from: NamedMember): void {
    const { n, faults } = this.settings;
    const { outbox, said: message } = this;
    this.outbox = [];
    this.count(message, outbox.length);
    const distance = ({ node }: NamedMember) => (node - from.node + n) % n;
    const arriving = outbox.filter(() => !this.source.coin(faults.loss));
    const to = arriving.sort((a, b) => distance(a) - distance(b));
    if (to.length > 0) this.flights.push({ at: this.arrival, message, from, to });
  }

  protected tellEverybody(from: Cohort, message: FilterRelayMessage): void {
    const unicasts = from.count * (this.settings.n - 1);
    this.count(message, unicasts);
    this.tally.measure("unicasts", unicasts);
    this.flights.push({ at: this.arrival, message, from, to: null, copies: from.count });
  }

  private count(message: FilterRelayMessage, times: number): void {
    this.tally.messages += times;
    this.tally.bits += times * filterRelay.bits(message);
  }

  private get arrival(): number {
    return this.now + delayOf(this.settings);
  }

  /** When a timer of so long rings. */
  protected later(from: number, after: number): number {
    return from + (this.settings.host === "lockstep" ? Math.ceil(after) : after);
  }

  protected setAlarm({ timers }: Cohort, timer: FilterRelayTimer, at: number): void {
    this.soonest = Math.min(this.soonest, at);
    timers[timer].at = at;
    timers[timer].order = this.orders++;
  }

  protected nextTimer(): number {
    let next = Infinity;
    for (const { timers } of this.members.cohorts()) next = Math.min(next, timers.phase.at, timers.reinitiate.at);
    return next;
  }

  protected result(): Result {
    const { tally, settings } = this;
    return {
      messages: tally.messages,
      bits: tally.bits,
      time: inUnits(tally.lastDelivery, delayOf(settings)),
      census: this.members.census(),
      measures: tally.measures,
      series: tally.series,
    };
  }
}

/** How long the ids of members without a name are, where so many speak that nobody wants to know each. */
export class IdBits {
  /** By length, how many ids of 1 .. n are left. */
  private readonly left: number[];

  constructor(n: number, taken: Iterable<Id>) {
    this.left = Array.from({ length: bitLength(n) + 1 }, (_, length) =>
      length === 0 ? 0 : Math.min(n + 1, 2 ** length) - 2 ** (length - 1),
    );
    for (const id of taken) this.left[bitLength(id)]--;
  }

  /** The lengths of so many of them together, which are then gone. */
  draw(source: Source, count: number): number {
    const { left } = this;
    let urn = left.reduce((sum, ids) => sum + ids, 0);
    let wanted = count;
    return left.reduce((sum, ids, length) => {
      const drawn = hypergeometric(source, ids, urn - ids, wanted);
      left[length] -= drawn;
      urn -= ids;
      wanted -= drawn;
      return sum + drawn * length;
    }, 0);
  }
}
