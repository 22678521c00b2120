/** A lease client keeps books: deadlines, users of its session, attempts, timers. After every drawn step the books agree with its seats. */
import { expect, test } from "vitest";
import { HostStream } from "../../random/streams.ts";
import { MOST_AT_ONCE } from "./asking.ts";
import { leaseClient } from "./client.ts";
import type { LeaseAnswer, LeaseMessage, LeaseRequest, NamedLease } from "./messages.ts";
import { leaseTimes } from "./params.ts";
import * as parent from "./parent.ts";
import { isHolding } from "./session.ts";
import type { Asking, LeaseContext, LeaseState } from "./state.ts";

const LIFE = 7;
const SEATS = ["a", "b", "c", "d", "e", "f"];
const NOTHING = {
  attempts: 0,
  users: 0,
  session: null,
  renewing: false,
  renewalWaits: false,
  line: new Set(),
  seats: new Map(),
  releases: new Map(),
  renewals: new Map(),
};

class Walk {
  readonly state: LeaseState;
  readonly armed = new Set<string>();
  readonly requests: LeaseRequest[] = [];
  private readonly draws: HostStream;
  private token = 1;
  private readonly ctx = {
    link: () => 0,
    send: (_port: number, message: LeaseMessage) => void this.requests.push(message as LeaseRequest),
    arm: (timer: string) => void this.armed.add(timer),
    deadline: (timer: string) => void this.armed.add(timer),
    disarm: (timer: string) => void this.armed.delete(timer),
  } as unknown as LeaseContext;

  constructor(seed: number) {
    this.draws = new HostStream(seed, 0, "plan");
    const settles = this.draws.choose(2) === 0;
    const params = { ...leaseTimes(1000), name: "ann", engine: "e", settles, preemptible: false };
    this.state = leaseClient.init(
      { ...params, gated: this.draws.choose(3) === 0 },
      { life: LIFE } as never,
      null,
      this.ctx,
    );
  }

  private among<T>(all: readonly T[]): T {
    return all[this.draws.choose(all.length)];
  }

  step(): void {
    const way = this.draws.choose(10);
    const late = [...this.armed];
    if (way < 3) this.command(this.among(SEATS));
    else if (way < 5 && late.length > 0) this.fire(this.among(late));
    else if (this.requests.length > 0) this.hear(this.among(this.requests.slice(-8)));
  }

  private command(seat: string): void {
    const { state, ctx } = this;
    switch (this.draws.choose(8)) {
      case 0:
        parent.stopWork(state, seat, null, ctx);
        break;
      case 1:
        parent.settled(state, seat, parent.unsettledToken(state, seat) ?? 0, ctx);
        break;
      case 2:
        parent.withdraw(state, seat, ctx);
        break;
      case 3:
        parent.hasten(state, seat, ctx);
        break;
      case 4:
        parent.preempt(state, seat, ctx);
        break;
      case 5:
        parent.acknowledgeConfirmation(state, seat, parent.confirmationOf(state, seat) ?? 0, ctx);
        break;
      default:
        parent.acquire(state, seat, ctx);
    }
  }

  fire(timer: string): void {
    this.armed.delete(timer);
    leaseClient.expire!(this.state, timer, this.ctx);
  }

  private hear(request: LeaseRequest): void {
    const answer = { ...this.answerTo(request), id: request.id, to: LIFE } as LeaseAnswer;
    leaseClient.receive(this.state, 0, answer, this.ctx);
  }

  private answerTo(request: LeaseRequest): object {
    if (this.draws.choose(8) === 0) return { kind: "failed", why: "drawn" };
    if (request.kind === "acquire") return this.answerToAcquire(request);
    if (request.kind === "renew") {
      if (this.draws.choose(5) === 0) return { kind: "ended", lost: [...request.keeps, ...request.gives] };
      const lost = request.keeps.filter(() => this.draws.choose(6) === 0);
      const has = [...request.keeps, ...request.gives].filter((named) => !lost.includes(named));
      const frozen = () => this.draws.choose(6) === 0;
      return { kind: "renewed", lost, leases: has.map((named) => ({ ...named, token: 1, frozen: frozen() })) };
    }
    const { seat, lease } = request as NamedLease;
    if (request.kind === "release") return { kind: "released", seat, lease, was: true };
    return { kind: "frozen", seat, lease, left: this.draws.choose(2) === 0 ? null : 100 };
  }

  private answerToAcquire({ seat, lease }: NamedLease): object {
    if (this.draws.choose(3) > 0) return { kind: "granted", seat, lease, token: ++this.token };
    const holder = { name: "bob", life: 9, token: 1, lease: "9.1.bob", frozen: false };
    const why = this.among(["held", "reserved", "barred", "floor", "over"]);
    return { kind: "denied", seat, lease, why, wait: 100 * this.draws.choose(2), token: 1, holder };
  }

  /** Nobody wants anything any more, and no answer comes. */
  end(): void {
    const { state, ctx } = this;
    for (const seat of SEATS) {
      parent.withdraw(state, seat, ctx);
      parent.stopWork(state, seat, null, ctx);
      parent.settled(state, seat, parent.unsettledToken(state, seat) ?? 0, ctx);
    }
    for (let again = 0; this.armed.size > 0; again++) {
      if (again > 100) throw new Error(`${[...this.armed]} never end`);
      for (const timer of [...this.armed]) this.fire(timer);
    }
  }
}

const sorted = (all: Iterable<string>) => [...all].sort();

/** What the seats say that the books should be. */
function booksFrom({ state, armed }: Walk) {
  const { line, releases } = state;
  const seats = [...state.seats];
  const asking = seats.filter((entry): entry is [string, Asking] => entry[1].status === "asking");
  const attempts = asking.flatMap(([, { attempt }]) => attempt ?? []);
  const holdings = seats.flatMap(([, it]) => (isHolding(it) ? it : []));
  const slots = state.slots.map(() => 0);
  for (const { confirmation } of [...attempts, ...holdings]) slots[confirmation.slot]++;
  for (const { slot } of state.renewals.values()) slots[slot]++;
  const users = attempts.length + holdings.length;
  const isKept = holdings.some(({ status }) => status !== "giving");
  // While nothing but leases that are given up is left, a last renewal may be due.
  const isRenewed = isKept || (users > 0 && (armed.has("renew") || state.renewalWaits));
  const timers = [
    ...[...slots.keys()].filter((slot) => slots[slot] > 0).map((slot) => `lapse#${slot}`),
    ...asking.filter(([seat]) => !line.has(seat)).map(([seat]) => `ask ${seat}`),
    ...seats.filter(([, { status }]) => status === "settling").map(([seat]) => `settle ${seat}`),
    ...(releases.size > 0 ? ["release"] : []),
    ...(isRenewed && (armed.has("renew") || !state.renewalWaits) ? ["renew"] : []),
  ];
  return {
    slots,
    users,
    attempts: attempts.length,
    hasSession: users > 0,
    timers: sorted(timers),
    isLineStuck: false,
    isStormed: false,
    forgotten: [],
  };
}

function booksOf({ state, armed }: Walk): ReturnType<typeof booksFrom> {
  const { slots, users, attempts, session, line, seats, releases } = state;
  const forgotten = [...seats].filter(([, it]) => it.status === "releasing" && !releases.has(it.lease));
  return {
    slots,
    users,
    attempts,
    hasSession: session !== null,
    timers: sorted(armed),
    isLineStuck: line.size > 0 && attempts === 0 && ![...armed].some((timer) => timer.startsWith("ask ")),
    isStormed: attempts > MOST_AT_ONCE,
    forgotten: forgotten as [],
  };
}

test("the books of a client agree with its seats after every step, and are empty when nothing is wanted", () => {
  for (let seed = 0; seed < 40; seed++) {
    const walk = new Walk(seed);
    for (let step = 0; step < 100; step++) {
      walk.step();
      expect(booksOf(walk)).toEqual(booksFrom(walk));
    }
    walk.end();
    expect(walk.state).toMatchObject(NOTHING);
    expect(walk.state.slots.filter((users) => users !== 0)).toEqual([]);
  }
});
