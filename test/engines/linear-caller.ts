/** One member in a history: what it asks next is drawn, with an eye to what was answered, so that leases are taken and lost. */
import type { LeaseAnswer, LeaseRequest, Token } from "../../src/protocols/lease/messages.ts";
import { HostStream } from "../../src/random/streams.ts";
import { life } from "../support/register.ts";

export const LINEAR_TTL = 100;
const SEATS = ["leader", "other"];

interface Known {
  readonly lease: string;
  token: Token | null;
}

export class Caller {
  private readonly draws: HostStream;
  private readonly member: ReturnType<typeof life>;
  private openings = 1;
  private asked = 0;
  private readonly own = new Map<string, Known>();
  /** The last that somebody else was said to have, by seat. */
  private readonly others = new Map<string, { readonly lease: string; readonly token: Token }>();

  constructor(number: number, seed: number) {
    this.draws = new HostStream(seed, number, "plan");
    this.member = life(`m${number}`, number, LINEAR_TTL);
  }

  next(): LeaseRequest {
    const { member, draws } = this;
    const session = `${member.name}-${this.openings}`;
    const seat = SEATS[draws.choose(SEATS.length)];
    const own = this.own.get(seat);
    const named = [...this.own].map(([name, { lease }]) => ({ seat: name, lease }));
    const dice = draws.choose(12);
    if (own === undefined || dice < 2) {
      // Sometimes the same lease again, as after a lost answer.
      const lease = own !== undefined && dice === 0 ? own.lease : `${member.name}.${++this.asked}`;
      if (own?.lease !== lease) this.own.set(seat, { lease, token: null });
      return member.acquire(seat, lease, { session });
    }
    if (dice < 7) return member.renew({ session, keeps: named });
    if (dice === 7) return member.renew({ session, keeps: named.slice(1), gives: named.slice(0, 1) });
    const other = this.others.get(seat);
    if (dice === 8 && other !== undefined) return member.freeze(seat, other.lease, other.token);
    if (dice === 9 && other !== undefined) return member.release(seat, other.lease, other.token - 1);
    return member.release(seat, own.lease, own.token ?? 1, dice === 11 ? { name: "m1", ms: 50 } : null);
  }

  heard(request: LeaseRequest, answer: LeaseAnswer | null): void {
    if (answer === null) return;
    if (answer.kind === "ended" || (answer.kind === "denied" && answer.why === "over")) {
      this.openings++;
      this.own.clear();
    } else if (answer.kind === "granted") {
      const known = this.own.get(answer.seat);
      if (known?.lease === answer.lease) known.token = answer.token;
    } else if (answer.kind === "denied") {
      this.own.delete(answer.seat);
      if (answer.holder !== null) this.others.set(answer.seat, answer.holder);
    } else if (answer.kind === "released" && request.kind === "release") this.own.delete(answer.seat);
  }
}
