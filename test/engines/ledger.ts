/**
 * The history of an engine, judged by somebody who knows nothing of how it works: what was promised to whom until when, and
 * whether a later answer broke it. Requests are told in the order in which the engine carried them out, with its clock.
 */
import type { LeaseAnswer, LeaseRequest, NamedLease } from "../../src/protocols/lease/messages.ts";

interface Promised {
  readonly lease: string;
  readonly token: number;
  readonly session: string;
  /** Until then nobody else may have the seat. */
  end: number;
  frozen: boolean;
}

export class Ledger {
  /** Who was promised each seat last; gone when released. */
  private readonly promised = new Map<string, Promised>();
  private readonly highest = new Map<string, number>();
  private readonly sessionEnd = new Map<string, number>();

  /** Throws where the answer breaks what was answered before. */
  heard(request: LeaseRequest, answer: LeaseAnswer, now: number): void {
    const broken = this.judge(request, answer, now);
    if (broken !== null)
      throw new Error(`${broken}: ${JSON.stringify(request)} -> ${JSON.stringify(answer)} at ${now}`);
  }

  private judge(request: LeaseRequest, answer: LeaseAnswer, now: number): string | null {
    if (request.kind === "acquire" && answer.kind === "granted") return this.granted(request, answer, now);
    if (request.kind === "renew" && answer.kind === "renewed") return this.renewed(request, answer, now);
    if (request.kind === "renew" && answer.kind === "ended") {
      return (this.sessionEnd.get(request.session) ?? now) > now ? "a session ended early" : null;
    }
    if (answer.kind === "released" && answer.was) {
      if (!this.has(answer)) return "a lease was released that was not there";
      this.promised.delete(answer.seat);
    }
    if (answer.kind === "frozen" && answer.left !== null) return this.freeze(answer, now + answer.left);
    if (
      answer.kind === "denied" &&
      answer.why === "held" &&
      answer.holder!.token !== this.promised.get(answer.seat)?.token
    ) {
      return "somebody has it to whom it was not given";
    }
    return null;
  }

  private granted(
    request: Extract<LeaseRequest, { kind: "acquire" }>,
    { seat, lease, token }: Extract<LeaseAnswer, { kind: "granted" }>,
    now: number,
  ): string | null {
    const { session, ttl } = request;
    const former = this.promised.get(seat);
    if (former?.lease === lease) {
      if (former.token !== token) return "one lease has two tokens";
    } else {
      if (former !== undefined && former.end > now) return "two holders";
      if (token <= (this.highest.get(seat) ?? 0)) return "a token did not grow";
      this.highest.set(seat, token);
      this.promised.set(seat, { lease, token, session, end: now + ttl, frozen: false });
    }
    this.extend(session, now + ttl);
    return null;
  }

  private renewed(
    { session, ttl, keeps, gives }: Extract<LeaseRequest, { kind: "renew" }>,
    { leases, lost }: Extract<LeaseAnswer, { kind: "renewed" }>,
    now: number,
  ): string | null {
    for (const { seat, lease, token } of leases) {
      const promised = this.promised.get(seat);
      if (promised?.lease !== lease || promised.token !== token || promised.session !== session) {
        return "a renewal was confirmed after the seat was lost";
      }
    }
    for (const named of [...keeps, ...gives]) {
      const same = (one: NamedLease) => one.seat === named.seat && one.lease === named.lease;
      if (leases.some(same) === lost.some(same)) return "a lease that was named is both there and lost, or neither";
      if (lost.some(same) && this.has(named) && this.promised.get(named.seat)!.end > now)
        return "a lease was lost early";
    }
    for (const named of gives) if (this.has(named)) this.promised.get(named.seat)!.frozen = true;
    this.extend(session, now + ttl);
    return null;
  }

  private freeze(named: NamedLease, end: number): string | null {
    if (!this.has(named)) return "a lease was frozen that was not there";
    const promised = this.promised.get(named.seat)!;
    if (end < promised.end) return "a lease was cut short of what its holder was promised";
    promised.frozen = true;
    return null;
  }

  private extend(session: string, end: number): void {
    this.sessionEnd.set(session, end);
    for (const one of this.promised.values()) if (one.session === session && !one.frozen) one.end = end;
  }

  private has({ seat, lease }: NamedLease): boolean {
    return this.promised.get(seat)?.lease === lease;
  }
}
