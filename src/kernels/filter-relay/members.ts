/**
 * The members of a filter-relay election: crowds of members in the same state, of which only the number is known, and those
 * that are followed one by one. Nothing tells the members of crowds apart: each of their nodes and ids is as likely to be any
 * one's. So a member gets its node and its id when it first matters which it is.
 */
import type { Census, Id } from "../../protocol.ts";
import type { FilterRelayState, FilterRelayTimer } from "../../protocols/group/filter-relay-round.ts";
import { binomial } from "../../random/binomial.ts";
import type { Source } from "../../random/source.ts";
import type { KernelSettings } from "../kernel.ts";

interface Alarm {
  at: number;
  /** Of two alarms at one time, the one that was set first comes first. */
  order: number;
}

/** Members in the same state with the same timers. */
export interface Cohort {
  state: FilterRelayState;
  count: number;
  readonly timers: Record<FilterRelayTimer, Alarm>;
  /** Members of a crowd that re-initiate: since when, and how many slots none of them has drawn. */
  noticed: number;
  slotsPassed: number;
  /** Members of a crowd that have spoken all at once: which time that was. They hear each other, but not themselves. */
  spoke: number;
}

/** A member that is followed by itself. */
export interface NamedMember extends Cohort {
  readonly node: number;
  /** Its place among the named, which is the port that leads to it. */
  readonly port: number;
  alive: boolean;
}

export const isNamed = (cohort: Cohort): cohort is NamedMember => "node" in cohort;

export class Members {
  readonly named: NamedMember[] = [];
  crowds: Cohort[];
  /** Members of crowds that have crashed. */
  private dead = 0;
  private readonly newborn: Cohort;
  private readonly settings: KernelSettings;
  private readonly source: Source;
  private readonly byNode = new Map<number, NamedMember>();
  private readonly byId = new Map<Id, NamedMember>();
  /** The named in the order of their nodes, as far as it is known. */
  private circle: NamedMember[] = [];

  constructor(settings: KernelSettings, state: FilterRelayState, source: Source) {
    this.settings = settings;
    this.source = source;
    this.newborn = cohortOf(state, settings.n);
    this.crowds = [twinOf(this.newborn)];
  }

  get unnamed(): number {
    return this.settings.n - this.named.length;
  }

  get alive(): number {
    return this.crowds.reduce((sum, { count }) => sum + count, this.named.filter(({ alive }) => alive).length);
  }

  withId(id: Id): NamedMember | undefined {
    return this.byId.get(id);
  }

  /** All that can still act. */
  *cohorts(): Generator<Cohort> {
    for (const member of this.named) if (member.alive) yield member;
    yield* this.crowds;
  }

  /** The named, from the one after a member on: in the order in which a multicast of that member reaches them. */
  *after(sender: NamedMember): Generator<NamedMember> {
    if (this.circle.length < this.named.length) this.circle = [...this.named].sort((a, b) => a.node - b.node);
    const { circle } = this;
    const place = circle.indexOf(sender);
    for (let i = 1; i < circle.length; i++) yield circle[(place + i) % circle.length];
  }

  /** One of a crowd, or of those that have crashed, gets a name. */
  name(crowd: Cohort | null, node = this.freeNode(), id = this.idOf(node)): NamedMember {
    const like = twinOf(crowd ?? this.newborn);
    const member = {
      ...like,
      state: { ...like.state, id },
      count: 1,
      node,
      port: this.named.length,
      alive: crowd !== null,
    };
    if (crowd === null) this.dead--;
    else crowd.count--;
    this.named.push(member);
    this.byNode.set(node, member);
    this.byId.set(id, member);
    return member;
  }

  /** The member with an id, or at a node. */
  nameId(id: Id): NamedMember {
    return this.byId.get(id) ?? this.name(this.anyCrowd(), this.nodeOf(id), id);
  }

  nameNode(node: number): NamedMember {
    return this.byNode.get(node) ?? this.name(this.anyCrowd(), node);
  }

  /** Names each of the unnamed with probability p. */
  nameSome(p: number): NamedMember[] {
    const { source } = this;
    return [null, ...this.crowds].flatMap((crowd) => {
      const drawn = binomial(source, crowd?.count ?? this.dead, p);
      return Array.from({ length: drawn }, () => this.name(crowd));
    });
  }

  /** Some of a crowd go another way. */
  split(crowd: Cohort, changed: Cohort): void {
    crowd.count -= changed.count;
    this.crowds.push(changed);
  }

  /** Each member alike crashes with probability p. */
  crash(p: number): void {
    for (const member of this.named) if (member.alive && this.source.coin(p)) member.alive = false;
    for (const crowd of this.crowds) {
      const crashed = binomial(this.source, crowd.count, p);
      crowd.count -= crashed;
      this.dead += crashed;
    }
  }

  /** Crowds in the same state become one, the first of them. */
  merge(): void {
    const merged: Cohort[] = [];
    for (const crowd of this.crowds) {
      if (crowd.count === 0) continue;
      const same = merged.find((other) => areAlike(crowd, other));
      if (same === undefined) merged.push(crowd);
      else same.count += crowd.count;
    }
    this.crowds = merged;
  }

  census(): Census {
    const beliefs = new Map<Id | null, number>();
    for (const { count, state } of this.cohorts()) {
      if (count > 0) beliefs.set(state.leader, (beliefs.get(state.leader) ?? 0) + count);
    }
    const ids = [...beliefs.keys()].filter((id) => id !== null);
    const leaders = ids.filter((id) => {
      const { alive, state } = this.nameId(id);
      return alive && state.leader === id;
    });
    const { alive } = this;
    const undecided = beliefs.get(null) ?? 0;
    const elected = leaders.length;
    return { alive, elected, notElected: alive - elected - undecided, undecided, beliefs, leaders };
  }

  /** The crowd of one of the unnamed, each as likely; null where it has crashed. */
  private anyCrowd(): Cohort | null {
    let place = this.source.choose(this.unnamed);
    for (const crowd of this.crowds) {
      if (place < crowd.count) return crowd;
      place -= crowd.count;
    }
    return null;
  }

  private freeNode(): number {
    return this.draw((node) => !this.byNode.has(node));
  }

  private draw(isFree: (value: number) => boolean): number {
    for (;;) {
      const drawn = this.source.choose(this.settings.n);
      if (isFree(drawn)) return drawn;
    }
  }

  private idOf(node: number): Id {
    const { n, ids } = this.settings;
    if (ids === "random") return 1 + this.draw((place) => !this.byId.has(1 + place));
    return ids === "increasing" ? node + 1 : n - node;
  }

  private nodeOf(id: Id): number {
    const { n, ids } = this.settings;
    if (ids === "random") return this.freeNode();
    return ids === "increasing" ? id - 1 : n - id;
  }
}

const NEVER: Alarm = { at: Infinity, order: 0 };

const copied = ({ phase, reinitiate }: Cohort["timers"]) => ({ phase: { ...phase }, reinitiate: { ...reinitiate } });

const cohortOf = (state: FilterRelayState, count: number): Cohort => ({
  state,
  count,
  timers: copied({ phase: NEVER, reinitiate: NEVER }),
  noticed: 0,
  slotsPassed: 0,
  spoke: 0,
});

/** The same members in a state of their own, to see what happens to them. */
export const twinOf = (cohort: Cohort): Cohort => ({
  ...cohort,
  state: { ...cohort.state },
  timers: copied(cohort.timers),
});

/**
 * Whether the members of two crowds have the same future. Who told them of a round only matters to hashes, and what these say of
 * a member without a name is drawn.
 */
export const areAlike = (one: Cohort, other: Cohort): boolean =>
  one.timers.phase.at === other.timers.phase.at &&
  one.timers.reinitiate.at === other.timers.reinitiate.at &&
  one.noticed === other.noticed &&
  one.slotsPassed === other.slotsPassed &&
  one.spoke === other.spoke &&
  one.state.round === other.state.round &&
  one.state.initiated === other.state.initiated &&
  one.state.phase === other.state.phase &&
  one.state.heard === other.state.heard &&
  one.state.several === other.state.several &&
  one.state.leader === other.state.leader;
