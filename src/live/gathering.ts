/**
 * A common start, and who takes part in it. Members report to the convenor, the lowest of those present. When all have come,
 * or it has waited long enough, it fixes the roster (each member's life) and gives the word to those who are on it. What
 * they then send carries the roster's digest, and members with different rosters do not hear each other: a member that
 * restarts in the middle has forgotten what it said, and cannot say it twice. A member joins one roster in its life.
 *
 * Who is not on the roster is told that it has begun without it. A protocol that saves its state is an exception: its
 * members go on in a new life, and the word is given again.
 *
 * Patience is counted in reports and not in time, so that nobody takes its own standstill for the silence of others.
 */
import { createHash } from "node:crypto";
import { type Gathered, ROSTER_BYTES } from "./frames.ts";
import { type Cancel, every, type World } from "./world.ts";

/** Milliseconds between two reports of one member: in a large group the convenor has more to read. */
const repeatAfter = (size: number, patience: number) => Math.min(100 + 4 * size, patience / 4);

/** Milliseconds after which the word is repeated: who misses it starts too late for synchronous rounds. */
const AGAIN = [5, 15];

/** Members whom a convenor asks at a time whether it has begun: those that have not reported, by turns. */
const ASKED = 16;

/** Reports after which a convenor that still says "not yet" has not just been overtaken by the news. */
const FORGETFUL = 2;

export interface GatheringSetup {
  readonly world: World;
  readonly node: number;
  readonly size: number;
  readonly life: number;
  /** Milliseconds. */
  readonly patience: number;
  /** Whether a member that has crashed remembers what it needs to go on. */
  readonly remembers: boolean;
  /** Whether this member has met its neighbours, but for those below `from`, which do not answer. */
  isPrepared(from: number): boolean;
  send(to: number, frame: Gathered): void;
  begin(roster: number): void;
  /** It has begun without this member. */
  late(): void;
}

interface Presence {
  readonly life: number;
  readonly isPrepared: boolean;
}

export class Gathering {
  private readonly setup: GatheringSetup;
  private readonly present = new Map<number, Presence>();
  private readonly timers: Cancel[] = [];
  private readonly mostTicks: number;
  private convenor = 0;
  /** Reports without an answer; of the convenor, intervals waited. */
  private ticks = 0;
  /** Somebody says that it has begun: then nobody else convenes it again. Since when, in ticks. */
  private hasBegun = false;
  private ticksSince = 0;
  private hasSaidPrepared = false;
  /** It has begun without this member. */
  private isLate = false;
  /** Who is asked next, as a convenor. */
  private turn = 0;
  /** The lives that the convenor has fixed. */
  private lives: Map<number, number> | null = null;
  private roster: number | null = null;

  constructor(setup: GatheringSetup) {
    this.setup = setup;
    this.mostTicks = Math.ceil(setup.patience / repeatAfter(setup.size, setup.patience));
  }

  open(): void {
    const { world, size, patience } = this.setup;
    this.report();
    if (this.roster === null) this.timers.push(every(world, repeatAfter(size, patience), () => this.tick()));
  }

  close(): void {
    for (const cancel of this.timers.splice(0)) cancel();
  }

  /** What a member is told that comes now; null where this one knows of no start. Who came too late knows too. */
  get answer(): Gathered | null {
    return this.roster === null && !this.isLate ? null : { kind: "begun", convenor: this.convenor };
  }

  /** There is a session with that member, and it is in this life. */
  met(node: number, life: number): void {
    if (this.roster !== null) this.tell(node, life);
    else {
      if (this.present.get(node)?.life !== life) this.present.delete(node);
      if (!this.hasSaidPrepared && this.setup.isPrepared(this.convenor)) this.report();
    }
  }

  /** Somebody has begun, with a roster that this member has not heard of. */
  ask(node: number): void {
    if (node !== this.convenor && !this.hasBegun) this.setup.send(node, { kind: "ready", isPrepared: true });
  }

  receive(from: number, life: number, frame: Gathered): void {
    if (frame.kind === "ready") this.reported(from, life, frame.isPrepared);
    else if (this.roster !== null) return;
    else if (frame.kind === "wait") {
      if (from === this.convenor) this.waits();
    } else if (frame.kind === "word") this.join(frame.roster, frame.convenor);
    else this.begun(from, frame.convenor);
  }

  private reported(from: number, life: number, isPrepared: boolean): void {
    const { send } = this.setup;
    if (this.roster === null) {
      this.present.set(from, { life, isPrepared });
      this.completeIfAll();
      if (this.roster === null) send(from, { kind: "wait" });
    } else this.tell(from, life);
  }

  /** That it has begun: with the roster where this life may take part. */
  private tell(node: number, life: number): void {
    const { convenor, roster } = this;
    const mayJoin = this.setup.remembers || this.lives?.get(node) === life;
    this.setup.send(node, mayJoin ? { kind: "word", roster: roster!, convenor } : { kind: "begun", convenor });
  }

  /** Only the convenor knows whether this life is on the roster; where that is this very member, it was a former one. */
  private begun(from: number, convenor: number): void {
    if (convenor === from || convenor === this.setup.node) this.end();
    else if (!this.hasBegun) {
      this.hasBegun = true;
      this.convenor = convenor;
      this.ticks = 0;
      this.ticksSince = 0;
      this.report();
    }
  }

  /** The convenor has not begun. If it has, according to others, it has forgotten: that was a former life of it. */
  private waits(): void {
    this.ticks = 0;
    if (!this.hasBegun || this.ticksSince < FORGETFUL) return;
    this.setup.send(this.convenor, { kind: "begun", convenor: this.convenor });
    this.end();
  }

  private tick(): void {
    this.ticks++;
    this.ticksSince++;
    if (this.ticks < this.mostTicks) {
      this.report();
      if (this.convenor === this.setup.node && this.roster === null) this.askAround();
    } else if (this.convenor === this.setup.node) this.complete();
    else if (this.hasBegun) this.end();
    else {
      this.convenor++;
      this.ticks = 0;
      this.report();
    }
  }

  private report(): void {
    const { node, life, send } = this.setup;
    const isPrepared = this.setup.isPrepared(this.convenor);
    this.hasSaidPrepared = isPrepared;
    if (this.convenor !== node) send(this.convenor, { kind: "ready", isPrepared });
    else {
      this.present.set(node, { life, isPrepared });
      this.completeIfAll();
    }
  }

  /** Those who have begun say so when they meet this member, once; if that is lost, a convenor in a new life would begin anew. */
  private askAround(): void {
    const { node, size, send } = this.setup;
    const { isPrepared } = this.present.get(node)!;
    const others = Array.from({ length: size - 1 }, (_, i) => (this.turn + i) % size).filter(
      (member) => member !== node && !this.present.has(member),
    );
    for (const member of others.slice(0, ASKED)) {
      send(member, { kind: "ready", isPrepared });
      this.turn = member + 1;
    }
  }

  private completeIfAll(): void {
    const { node, size } = this.setup;
    if (this.convenor !== node) return;
    for (let member = node; member < size; member++) if (!this.present.get(member)?.isPrepared) return;
    this.complete();
  }

  /** Fixes the roster and gives the word. */
  private complete(): void {
    const lives = new Map([...this.present].map(([node, { life }]) => [node, life]));
    const { node, world, send } = this.setup;
    const roster = digestOf(lives);
    const give = () => {
      for (const member of lives.keys()) if (member !== node) send(member, { kind: "word", roster, convenor: node });
    };
    this.lives = lives;
    give();
    this.join(roster, node);
    for (const delay of AGAIN) this.timers.push(world.set(delay, give));
  }

  private join(roster: number, convenor: number): void {
    this.close();
    this.roster = roster;
    this.convenor = convenor;
    this.setup.begin(roster);
  }

  private end(): void {
    this.close();
    this.isLate = true;
    this.setup.late();
  }
}

/** The same members in the same lives are the same roster. */
function digestOf(lives: ReadonlyMap<number, number>): number {
  const text = JSON.stringify([...lives].sort(([a], [b]) => a - b));
  return createHash("sha256").update(text).digest().readUIntBE(0, ROSTER_BYTES);
}
