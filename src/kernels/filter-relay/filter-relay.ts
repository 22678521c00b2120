/**
 * The lumped kernel of filter-relay: most members only hear multicasts, and how many have heard which is all that matters of
 * them. Time and memory follow the messages, whatever n is.
 */

import { InputError } from "../../errors.ts";
import { crashedBefore, initiatorsOf } from "../../host/beginning.ts";
import type { Result } from "../../host/setup.ts";
import type { Id, Port } from "../../protocol.ts";
import { filterRelay, handlersFor } from "../../protocols/group/filter-relay.ts";
import { type FilterRelayParams, relaysExpected, strategyOf } from "../../protocols/group/filter-relay-parameters.ts";
import {
  beginListening,
  type FilterRelayMessage,
  type FilterRelayState,
  type FilterRelayTimer,
  filterShare,
  initiate,
  jumpTo,
  relay,
  start,
} from "../../protocols/group/filter-relay-round.ts";
import { addPort, type PortSet, portSet, sees } from "../../protocols/group/view.ts";
import { binomial } from "../../random/binomial.ts";
import { areLossesAndEarlyCrashes, type Kernel, type KernelSettings } from "../kernel.ts";
import { CrowdContext, type RelayFlight } from "./context.ts";
import { areAlike, type Cohort, isNamed, type NamedMember, twinOf } from "./members.ts";

/** Numbers of members and of slots stay exact under the arithmetic of the draws. */
const LARGEST_N = 2 ** 48;
/** Each hears of all others. */
const MOST_INITIATORS = 1000;

export const filterRelayKernel: Kernel = {
  name: `${filterRelay.name}, lumped`,
  protocol: filterRelay,
  lumped: true,

  refuses({ n, topology, host, delay, ids, initiators, faults, params }) {
    const { choice, reading, reinitiate, window, "n-spread": spread } = params as unknown as FilterRelayParams;
    if (topology !== "complete") return "the filter-relay kernel knows complete graphs only";
    if (host === "events" && !(delay.kind === "fixed" && delay.value > 0)) {
      return "the filter-relay kernel knows one fixed delay above 0 only, with which all hear a multicast at once";
    }
    if (!areLossesAndEarlyCrashes(faults)) {
      return "the filter-relay kernel knows no faults but lost messages, crashes before the start and those of each round";
    }
    if (n > LARGEST_N) return `the filter-relay kernel knows n up to ${LARGEST_N}`;
    if (typeof ids !== "string") return "the filter-relay kernel knows the ids 1 to n only";
    if (choice !== "lowest-id" && choice !== "highest-id") {
      return "the filter-relay kernel knows choice=lowest-id and choice=highest-id only: others take a look at all members";
    }
    if (reading !== "repaired")
      return "the filter-relay kernel knows reading=repaired only: view sizes tell members apart";
    if (spread !== 1 && reinitiate === "filtered") {
      return "the filter-relay kernel knows reinitiate=filtered with n-spread=1 only: each member's N would have to be kept";
    }
    if (reinitiate === "any" && n > MOST_INITIATORS * window) {
      return "so few slots let too many re-initiate at once for the filter-relay kernel: raise window";
    }
    return (initiators === "all" ? n : initiators) > MOST_INITIATORS
      ? `the filter-relay kernel knows up to ${MOST_INITIATORS} initiators`
      : null;
  },

  memory({ n, initiators, params }) {
    const { view, ...strategy } = params as unknown as FilterRelayParams;
    if (initiators === 0 || (strategy.rounds === 1 && view >= 1)) return 0;
    // Half of those that the first round is expected to have: each has its state, and a bit for each of the others.
    const relays = relaysExpected(strategyOf({ view, ...strategy }), 1, n) / 2;
    return relays * (500 + relays / 8);
  },

  run: (settings, trial) => new FilterRelayElection(settings, trial).run(),
};

// One election of filter-relay by counts. Members do what the protocol's own handlers say; a crowd does it once, and a
// multicast parts it into those who hear it and those who do not. Relays and re-initiators are followed one by one, from the
// moment on at which it is drawn who they are: the relays of a round when its first initiation leaves.

const TIMERS: readonly FilterRelayTimer[] = ["phase", "reinitiate"];
const NOWHERE: Port = -1;
/** Each has a bit for each other one: so many would take tens of gigabytes, and days. */
const MOST_FOLLOWED = 2 ** 19;

const tooManyRelays = (round: number, relays: number): InputError =>
  new InputError(
    `filter-relay has come to round ${round}, in which ${Math.round(relays)} members relay, too many to follow one by one: choose a smaller n, more rounds or view=1`,
  );

class FilterRelayElection extends CrowdContext {
  private readonly trial: number;
  private readonly handlers = handlersFor((state) => this.begin(state));
  /** By round, those whose hash is so low that it can admit them as relays, and the hash. */
  private readonly admitted = new Map<number, Map<NamedMember, number>>();

  constructor(settings: KernelSettings, trial: number) {
    super(settings, trial);
    this.trial = trial;
  }

  run(): Result {
    this.startAll();
    for (;;) {
      const message = this.flights[this.landed]?.at ?? Infinity;
      // The soonest alarm may have been turned off since.
      if (this.soonest < message) this.soonest = this.nextTimer();
      const next = Math.min(message, this.soonest);
      if (next === Infinity) return this.result();
      const crash = Math.min(...this.crashes);
      this.now = Math.min(next, crash);
      if (crash <= next) {
        this.crashes = this.crashes.filter((at) => at > crash);
        this.members.crash(this.settings.faults.crash);
      } else if (message === next) this.deliver(this.nextFlight());
      else this.fire(next);
    }
  }

  private startAll(): void {
    const { settings, trial, members } = this;
    for (const node of crashedBefore(settings, trial)) members.nameNode(node).alive = false;
    const nodes = initiatorsOf(settings, trial) ?? Array(settings.n).keys();
    const initiators = [...nodes].map((node) => members.nameNode(node)).filter(({ alive }) => alive);
    for (const crowd of members.crowds) this.act(crowd, () => start(crowd.state, false, this));
    for (const member of initiators) this.act(member, () => start(member.state, true, this));
  }

  /** All timers of an instant; whatever they send arrives later. */
  private fire(time: number): void {
    const due: { readonly cohort: Cohort; readonly timer: FilterRelayTimer; readonly order: number }[] = [];
    for (const cohort of this.members.cohorts()) {
      for (const timer of TIMERS) {
        const { at, order } = cohort.timers[timer];
        if (at === time) due.push({ cohort, timer, order });
      }
    }
    for (const { cohort, timer, order } of due.sort((a, b) => a.order - b.order)) {
      const alarm = cohort.timers[timer];
      if (alarm.at !== time || alarm.order !== order || cohort.count === 0) continue;
      alarm.at = Infinity;
      this.act(cohort, () => this.expire(cohort, timer));
    }
    this.members.merge();
  }

  private expire(cohort: Cohort, timer: FilterRelayTimer): void {
    const { state } = cohort;
    if (isNamed(cohort)) this.handlers.expire(state, timer, this);
    else if (timer === "reinitiate") this.drawSlots(cohort);
    else if (this.notices(state)) this.goFurther(cohort);
    else this.handlers.expire(state, timer, this);
  }

  /** Whether a member that now looks back on its round has seen none or several leaders, and there is another round. */
  private notices({ phase, round, heard, several }: FilterRelayState): boolean {
    return (
      (phase === "listening" || phase === "collecting") && round < this.params.rounds && (heard === null || several)
    );
  }

  /** A crowd has noticed that its round has failed. */
  private goFurther(crowd: Cohort): void {
    const { state } = crowd;
    state.phase = "deciding";
    if (this.params.reinitiate === "any") {
      crowd.noticed = this.now;
      this.drawSlots(crowd);
      return;
    }
    const admitted = binomial(this.source, crowd.count, filterShare(state, this));
    const members = Array.from({ length: admitted }, () => this.members.name(crowd));
    for (const member of members) this.act(member, () => initiate(member.state, state.round + 1, 0, this));
  }

  /** Names those of a crowd that re-initiate first; the others go on drawing, if they have not heard of it by then. */
  private drawSlots(crowd: Cohort): void {
    const { tau, window } = this.params;
    let first = crowd.slotsPassed;
    let drawn = crowd.count;
    // Of the members in some slots, either some are in the first half of these, and then only they matter, or none is.
    for (let slots = window - first; slots > 1; ) {
      const half = Math.floor(slots / 2);
      const early = binomial(this.source, drawn, half / slots);
      if (early > 0) drawn = early;
      else first += half;
      slots = early > 0 ? half : slots - half;
    }
    for (let i = 0; i < drawn; i++) this.setSlot(this.members.name(crowd), first);
    crowd.slotsPassed = first + 1;
    if (crowd.count > 0) this.setAlarm(crowd, "reinitiate", this.later(crowd.noticed, (first + 1) * tau));
  }

  private setSlot(member: NamedMember, slot: number): void {
    member.state.slot = slot;
    this.setAlarm(member, "reinitiate", this.later(member.noticed, slot * this.params.tau));
  }

  private begin(state: FilterRelayState): void {
    const { acting } = this;
    if (this.allRelayAlike(state.round)) {
      relay(state, [], this.favourite(0), this);
      this.tellEverybody(acting, { kind: "prefer", round: state.round, leader: state.best, step: 1 });
      return;
    }
    const hash = isNamed(acting) ? this.admitted.get(state.round)!.get(acting) : undefined;
    const share = hash === undefined ? 0 : filterShare(state, this);
    if (hash === undefined || hash >= share) beginListening(state, this);
    else relay(state, this.relaysKnownTo(acting as NamedMember, share), this.preferredBy(acting as NamedMember), this);
  }

  /** Whether all members relay in a round, and all prefer the same: then it does not matter which member tells which. */
  private allRelayAlike(round: number): boolean {
    return round >= this.params.rounds && this.params.view >= 1;
  }

  /** The relays of a round, drawn: from now on they have names. */
  protected announced(round: number): void {
    if (this.admitted.has(round)) return;
    const { params, members, source } = this;
    const { n } = this.settings;
    const admitted = new Map<NamedMember, number>();
    this.admitted.set(round, admitted);
    const before = members.named.length;
    if (this.allRelayAlike(round)) members.nameId(this.favourite(0));
    else {
      const all = round >= params.rounds;
      const highest = all ? 1 : Math.min(1, (relaysExpected(strategyOf(params), round, n) * params["n-spread"]) / n);
      if (highest * n > MOST_FOLLOWED) throw tooManyRelays(round, highest * n);
      const known = members.named.filter(() => source.coin(highest));
      for (const member of [...known, ...members.nameSome(highest)]) admitted.set(member, highest * source.uniform());
    }
    for (const member of members.named.slice(before)) {
      const { slotsPassed, timers } = member;
      // Its crowd has drawn the slots of others only.
      if (timers.reinitiate.at < Infinity) {
        this.setSlot(member, slotsPassed + source.choose(params.window - slotsPassed));
      }
    }
  }

  private relaysKnownTo(member: NamedMember, share: number): PortSet {
    const { state } = member;
    const relays = portSet(this.degree);
    for (const [other, hash] of this.admitted.get(state.round)!) {
      if (other !== member && hash < share && sees(state, other.port, other.state.id)) addPort(relays, other.port);
    }
    return relays;
  }

  private preferredBy({ state }: NamedMember): Id {
    for (let place = 0; ; place++) {
      const id = this.favourite(place);
      if (id === state.id || sees(state, this.members.withId(id)?.port ?? NOWHERE, id)) return id;
    }
  }

  /** The id that the choice function prefers to all but so many. */
  private favourite(place: number): Id {
    return this.params.choice === "lowest-id" ? 1 + place : this.settings.n - place;
  }

  private deliver(flight: RelayFlight): void {
    const { message, from, to } = flight;
    if (to === null) {
      if (message.kind === "prefer") this.hearEverybody(message, from, flight.copies);
      else this.hearAll(message, from, flight.copies);
      return;
    }
    for (const member of to) if (member.alive) this.hear(member, from.port, message);
  }

  private hear(cohort: Cohort, port: Port, message: FilterRelayMessage): void {
    this.tally.lastDelivery = this.now;
    this.act(cohort, () => this.handlers.receive(cohort.state, port, message, this));
  }

  /** A multicast, or several of the same by a crowd, arrives. */
  private hearAll(message: FilterRelayMessage, from: Cohort, copies: number): void {
    const { members, source } = this;
    const { multicastLoss } = this.settings.faults;
    const others = isNamed(from) ? members.after(from) : members.named;
    for (const member of others) {
      if (member.alive && !source.coin(multicastLoss ** copies)) this.hear(member, NOWHERE, message);
    }
    for (const crowd of [...members.crowds]) {
      // A member does not hear its own multicast.
      const voices = crowd === from ? copies - 1 : copies;
      this.part(crowd, 1 - multicastLoss ** voices, (hearing) => this.hear(hearing, NOWHERE, message));
    }
    members.merge();
  }

  /** Everybody has told everybody the same: only those who had not heard of the round learn anything. */
  private hearEverybody(
    { round, step }: Extract<FilterRelayMessage, { kind: "prefer" }>,
    from: Cohort,
    copies: number,
  ): void {
    const { members, source, tally, now } = this;
    const { loss } = this.settings.faults;
    let others = 0;
    const jump = (cohort: Cohort) => {
      tally.lastDelivery = now;
      this.act(cohort, () => jumpTo(cohort.state, round, cohort.state.id, step, this));
    };
    for (const cohort of [...members.cohorts()]) {
      if (cohort.state.round >= round) others += cohort.count;
      else if (!isNamed(cohort)) this.part(cohort, 1 - loss ** copies, jump);
      else if (!source.coin(loss ** copies)) jump(cohort);
    }
    const speakers = isNamed(from) ? Number(from.alive) : Math.min(copies, from.count);
    const told = copies * others - speakers;
    if (tally.lastDelivery < now && source.coin(1 - loss ** told)) tally.lastDelivery = now;
  }

  /** Something happens to each member of a crowd with some probability. */
  private part(crowd: Cohort, p: number, happen: (to: Cohort) => void): void {
    const count = binomial(this.source, crowd.count, p);
    if (count === 0) return;
    const changed = { ...twinOf(crowd), count };
    happen(changed);
    if (!areAlike(changed, crowd)) this.members.split(crowd, changed);
  }
}
