/**
 * Hellos that have not been answered: said again at growing intervals, drawn at random so that a group does not speak in
 * unison, and few at a time. Patience is counted in hellos, not in time: whoever stood still for a minute has not waited.
 */
import type { Id } from "../protocol.ts";
import type { Cancel, World } from "./world.ts";

/** Milliseconds between two hellos: from the first to the second, and at most. */
const FIRST = 60;
const SLOWEST = 1000;
/** About a minute's worth. */
const MOST_HELLOS = 64;
/** Hellos ahead of need that are on their way at one time; a member that does not answer two holds nobody up. */
const AT_A_TIME = 8;
const HOLDS_UP = 2;
/** Milliseconds, for each member of the group, that the one who is to be greeted waits before it says hello itself. */
const COURTESY = 4;

export interface Greeting {
  readonly salt: Buffer;
  readonly keyId: number;
  readonly datagram: Buffer;
}

/** How much slower than those before an answer may come until the hello is said again. */
const SLOWER = 3;

interface Pending {
  /** Null until the first hello. */
  greeting: Greeting | null;
  hellos: number;
  sentAt: number;
  cancel: Cancel;
}

export interface GreetingHooks {
  /** How many members there are. */
  readonly size: number;
  make(member: Id): Greeting;
  send(member: Id, datagram: Buffer): void;
  givenUp(member: Id): void;
}

export class Greetings {
  private readonly world: World;
  private readonly hooks: GreetingHooks;
  private readonly pending = new Map<Id, Pending>();
  private readonly queue: Id[] = [];
  /** Who holds a place among those greeted ahead. */
  private readonly places = new Set<Id>();
  /** Milliseconds that answers have taken of late: a large group on a busy machine is slow to begin with. */
  private usual = 0;

  constructor(world: World, hooks: GreetingHooks) {
    this.world = world;
    this.hooks = hooks;
  }

  /** The hello that waits for an answer, if one does. */
  of(member: Id): Greeting | null {
    return this.pending.get(member)?.greeting ?? null;
  }

  /** Something waits to be sent. */
  begin(member: Id): void {
    if (this.of(member) !== null) return;
    this.end(member);
    this.pending.set(member, { greeting: this.hooks.make(member), hellos: 0, sentAt: 0, cancel: () => {} });
    this.say(member);
  }

  /** Before there is anything to say: when it is this member's turn, or, where the other is to begin, if it does not. */
  ahead(member: Id, isFirst: boolean): void {
    if (this.pending.has(member)) return;
    const cancel = this.world.set(isFirst ? 0 : COURTESY * this.hooks.size * (1 + this.world.draws.uniform()), () => {
      this.queue.push(member);
      this.fill();
    });
    this.pending.set(member, { greeting: null, hellos: 0, sentAt: 0, cancel });
  }

  /** Says the hello again at once, unless that has just been done: the other side is there. */
  repeat(member: Id): void {
    const pending = this.pending.get(member);
    if (pending?.greeting == null || this.world.now() - pending.sentAt < FIRST / 2) return;
    pending.cancel();
    this.say(member);
  }

  /** The hello was answered. */
  answered(member: Id): void {
    const pending = this.pending.get(member);
    if (pending?.hellos === 1) this.usual = 0.75 * this.usual + 0.25 * (this.world.now() - pending.sentAt);
    this.end(member);
  }

  end(member: Id): void {
    this.pending.get(member)?.cancel();
    this.pending.delete(member);
    this.leavePlace(member);
  }

  endAll(): void {
    for (const { cancel } of this.pending.values()) cancel();
    this.pending.clear();
    this.places.clear();
    this.queue.length = 0;
  }

  private say(member: Id): void {
    const pending = this.pending.get(member)!;
    if (pending.hellos === MOST_HELLOS) {
      this.end(member);
      this.hooks.givenUp(member);
      return;
    }
    const first = Math.max(FIRST, SLOWER * this.usual);
    const interval = Math.min(first * 2 ** pending.hellos, SLOWEST) * (0.75 + this.world.draws.uniform() / 2);
    pending.hellos++;
    pending.sentAt = this.world.now();
    pending.cancel = this.world.set(interval, () => this.say(member));
    this.hooks.send(member, pending.greeting!.datagram);
    if (pending.hellos > HOLDS_UP) this.leavePlace(member);
  }

  private leavePlace(member: Id): void {
    if (this.places.delete(member)) this.fill();
  }

  private fill(): void {
    while (this.places.size < AT_A_TIME && this.queue.length > 0) {
      const member = this.queue.shift()!;
      const pending = this.pending.get(member);
      if (pending === undefined || pending.greeting !== null) continue;
      this.places.add(member);
      pending.greeting = this.hooks.make(member);
      this.say(member);
    }
  }
}
