/** What the engine has really done, beside what members think of it: every lease it gave, and how its clock and its rows were tampered with. */
import type { LeaseAnswer, LeaseRequest } from "../../../src/protocols/lease/messages.ts";

/** A lease as it was first given. */
export interface Grant {
  readonly seat: string;
  readonly token: number;
  readonly lease: string;
  readonly name: string;
  readonly life: number;
  readonly at: number;
  /** The highest token of the seat that the asker really knew of, whatever it said. */
  readonly floor: number;
  /** When it was released; infinity before. */
  releasedAt: number;
}

/** A request that the engine has carried out. */
export interface Deed {
  readonly request: LeaseRequest;
  readonly answer: LeaseAnswer;
}

export class History {
  /** Of each seat, in the order in which they were given. */
  readonly grants = new Map<string, Grant[]>();
  /** By token and lease: a late copy of an old request can give a lease again, with another token. */
  private readonly given = new Map<string, Grant>();
  /** The highest token ever given, by seat. */
  readonly highest = new Map<string, number>();
  /** By request for a lease, what its sender knew. */
  private readonly floors = new Map<string, number>();
  /** When the engine was last put back to an old copy, and when last without noticing. */
  restoredAt = -Infinity;
  rewoundAt = -Infinity;
  /** The tokens that the copy had to which it was last put back. */
  copied = new Map<string, number>();
  /** When its clock was last stepped: forward by more than it had missed, and back. */
  forwardAt = -Infinity;
  backAt = -Infinity;

  /** A member sends a request; `floorOf`: what it knows. */
  isAsked(request: LeaseRequest, floorOf: (seat: string) => number): void {
    if (request.kind === "acquire") this.floors.set(`${request.life} ${request.id}`, floorOf(request.seat));
  }

  note({ request, answer }: Deed, at: number): Grant | null {
    if (request.kind === "release" && answer.kind === "released" && answer.was) {
      const released = this.of(request.seat, request.token, request.lease);
      if (released !== null) released.releasedAt = Math.min(released.releasedAt, at);
    }
    if (request.kind !== "acquire" || answer.kind !== "granted") return null;
    const { seat, lease, name, life, id } = request;
    const floor = this.floors.get(`${life} ${id}`) ?? 0;
    const { token } = answer;
    if (this.of(seat, token, lease) !== null) return null;
    const grant: Grant = { seat, token, lease, name, life, at, floor, releasedAt: Infinity };
    this.given.set(keyOf(seat, token, lease), grant);
    this.grantsOf(seat).push(grant);
    this.highest.set(seat, Math.max(grant.token, this.highestOf(seat)));
    return grant;
  }

  /** The lease of that token, if it was ever given. */
  of(seat: string, token: number, lease: string): Grant | null {
    return this.given.get(keyOf(seat, token, lease)) ?? null;
  }

  grantsOf(seat: string): Grant[] {
    let grants = this.grants.get(seat);
    if (grants === undefined) {
      grants = [];
      this.grants.set(seat, grants);
    }
    return grants;
  }

  highestOf(seat: string): number {
    return this.highest.get(seat) ?? 0;
  }

  newestOf(seat: string): Grant | null {
    return this.grants.get(seat)?.at(-1) ?? null;
  }

  /** Tokens can come again where the engine was restored *and* its clock went back: stated, and nothing can be done. */
  get tokensMayRepeat(): boolean {
    return this.restoredAt > -Infinity && this.backAt > -Infinity;
  }
}

const keyOf = (seat: string, token: number, lease: string): string => `${token} ${lease} ${seat}`;
