/**
 * Spreads the seats of one office over the members that can lead it. A member with more than its share hands one seat over to the member
 * that lacks most, and waits before the next. No seat moves while every member has its share, rounded down or up.
 */
import type { Cancel, World } from "../world.ts";
import type { MemberView, OfficeView } from "./view.ts";

/** A member that may have seats of an office. */
export interface Sharer {
  readonly name: string;
  readonly weight: number;
  readonly zone: string;
  /** The number of seats that it leads. */
  readonly held: number;
}

/** The member that gets one of this member's seats; null if no seat should move, or another member moves first. */
export function nextMove(self: string, sharers: readonly Sharer[]): string | null {
  const seats = sharers.reduce((sum, { held }) => sum + held, 0);
  const weight = sharers.reduce((sum, each) => sum + each.weight, 0);
  const own = sharers.find(({ name }) => name === self);
  if (own === undefined || weight <= 0) return null;
  const scaled = sharers.map((each) => ({ ...each, share: (seats * each.weight) / weight }));
  // A rounding error must not turn a share of 2 into one of 3.
  const lower = (share: number) => Math.floor(share + 1e-9);
  const upper = (share: number) => Math.ceil(share - 1e-9);
  const poor = scaled.filter(({ held, share }) => held < lower(share));
  const rich = scaled.filter(({ held, share }) => held > upper(share) || (poor.length > 0 && held > lower(share)));
  const takers = poor.length > 0 ? poor : scaled.filter(({ held, share }) => held < upper(share));
  const most = rich.sort((a, b) => b.held - b.share - (a.held - a.share) || (a.name < b.name ? -1 : 1))[0];
  // One member at a time: two members with the same view would both fill the same gap.
  if (most?.name !== self) return null;
  const near = ({ zone }: Sharer) => (zone === own.zone ? 0 : 1);
  const order = (a: (typeof scaled)[number], b: (typeof scaled)[number]) =>
    a.held - a.share - (b.held - b.share) || near(a) - near(b) || (a.name < b.name ? -1 : 1);
  return takers.sort(order)[0]?.name ?? null;
}

interface BalancerSetup {
  readonly world: Pick<World, "now" | "set">;
  readonly self: string;
  /** The seats of each office that has several. */
  offices(): readonly (readonly string[])[];
  office(seat: string): OfficeView;
  members(): readonly MemberView[];
  /** Resolves when that member leads; rejects if the hand-over has failed. */
  transfer(seat: string, to: string): Promise<unknown>;
}

/** Milliseconds between looks. A seat moves only if two looks in a row see the same. */
const LOOK_EVERY = 1000;
/** Milliseconds between two moves of a member. */
const PAUSE = 2000;
/** Milliseconds for which a member that has not taken a seat is offered none: it may not stand for the office, or have enough seats. */
const UNWILLING_FOR = 60_000;

export class Balancer {
  private readonly setup: BalancerSetup;
  private readonly unwilling = new Map<string, number>();
  private seen = "";
  private isMoving = false;
  private notBefore = 0;
  private cancel: Cancel = () => {};

  constructor(setup: BalancerSetup) {
    this.setup = setup;
  }

  start(): void {
    this.cancel = this.setup.world.set(LOOK_EVERY, () => {
      this.start();
      this.look();
    });
  }

  stop(): void {
    this.cancel();
  }

  private look(): void {
    const { world, self } = this.setup;
    const offices = this.setup.offices().map((seats) => ({ seats, sharers: this.sharers(seats) }));
    const picture = JSON.stringify(offices);
    const isCalm = picture === this.seen;
    this.seen = picture;
    if (!isCalm || this.isMoving || world.now() < this.notBefore) return;
    for (const { seats, sharers } of offices) {
      const to = sharers === null ? null : nextMove(self, sharers);
      // The last seat moves, so that when members come one after another the same seat moves on.
      const seat = seats.findLast((each) => this.setup.office(each).leader?.mine);
      if (to === null || seat === undefined) continue;
      this.move(seat, to);
      return;
    }
  }

  private move(seat: string, to: string): void {
    const { world } = this.setup;
    this.isMoving = true;
    const rest = () => {
      this.isMoving = false;
      this.notBefore = world.now() + PAUSE;
    };
    this.setup.transfer(seat, to).then(rest, () => {
      this.unwilling.set(`${seat.split("#")[0]} ${to}`, world.now() + UNWILLING_FOR);
      rest();
    });
  }

  /** Null while the leader of a seat is not known. */
  private sharers(seats: readonly string[]): readonly Sharer[] | null {
    const { world, members, self } = this.setup;
    const holders = seats.map((seat) => this.setup.office(seat).leader);
    if (holders.some((leader) => leader?.state !== "live")) return null;
    const held = (name: string) => holders.filter((leader) => leader!.name === name).length;
    const [office] = seats[0].split("#");
    const there = members();
    const own = there.find(({ name }) => name === self);
    const able = there.filter(({ name, state, weight, priority }) => {
      const isUnwilling = (this.unwilling.get(`${office} ${name}`) ?? 0) > world.now();
      // Priority comes before fairness: members of another priority do not count.
      return state === "alive" && weight > 0 && priority === own?.priority && (!isUnwilling || held(name) > 0);
    });
    return able.map(({ name, weight, zone }) => ({ name, weight, zone, held: held(name) }));
  }
}
