/**
 * The simulated engine: the register (register.ts) as a node of its own, which hosts can crash, restart, pause and cut off, and
 * whose clock runs at a rate of theirs.
 *
 * Its clock counts ticks of a timer. A lease lasts one tick longer than was asked for, since a tick may have been under way: it ends
 * late, never early. While the process is paused, so is its clock; `step` after a pause makes it a server whose clock went on.
 * Its rows survive a crash, and each life is another incarnation, as after a restart of a server.
 */
import { type Context, type Port, type Protocol, SELF } from "../../protocol.ts";
import { encodedSize } from "../../wire/codec.ts";
import type { Holder, LeaseAnswer, LeaseMessage, LeaseRequest, Token } from "./messages.ts";
import { carryOut, holderOf } from "./register.ts";
import { leaseLeft, oneClock } from "./register-clock.ts";
import { copyOfRows, type Instant, noRows, type PlainRows, type Rows, rowsOf } from "./register-rows.ts";
import { isLeaseRequest } from "./shapes.ts";

/** Commands of tests to an engine; they come through SELF. */
export type EngineCommand =
  /** Copies all rows; replaces the former copy. */
  | { readonly kind: "snapshot" }
  /** Restores the copy. `noticed`: as another incarnation; otherwise only the members' knowledge shows it. */
  | { readonly kind: "restore"; readonly noticed: boolean }
  /** Steps the clock, forward or (by less than 0) back. */
  | { readonly kind: "step"; readonly by: number }
  /** From now on, each request waits for `before` until it is carried out, and its answer for `after`. */
  | { readonly kind: "slow"; readonly before: number; readonly after: number }
  /** From now on every request fails with these words; null: the engine works again. */
  | { readonly kind: "fail"; readonly why: string | null };

export interface EngineModelSettings {
  readonly topology?: "open" | "star";
  /** Between two readings of its clock, in the host's units (10). */
  readonly tick?: number;
  /** Whether tokens follow the clock, as those of real engines do (yes), or count from 1, so that an explorer comes to an end. */
  readonly stamps?: boolean;
  /** How long the end of a session is remembered (60,000); longer than any message takes. */
  readonly keep?: number;
  /** What it does with a request: the register, or one that tells of what it does, or that has a mistake. */
  readonly carryOut?: typeof carryOut;
}

/** A count of renewals is for clocks that cannot be read; here it would only tell states apart that are the same. */
const uncounted = (rows: PlainRows): Rows => ({
  ...rowsOf(rows),
  setSession: (id, row) => void rows.sessions.set(id, { ...row, counter: 0 }),
});

/** The state of a simulated engine, as plain data. */
export interface EngineState {
  rows: PlainRows;
  /** The copy, and its age. */
  snapshot: { readonly rows: PlainRows; age: number } | null;
  /** The clock, for tokens. */
  stamp: number;
  incarnation: string;
  restored: number;
  slow: { readonly before: number; readonly after: number };
  failing: string | null;
  ticking: boolean;
  /** Requests and answers that wait, by number. */
  readonly waiting: Map<number, { readonly port: Port; readonly message: LeaseMessage }>;
  waits: number;
}

type EngineSaved = Pick<EngineState, "rows" | "snapshot" | "stamp">;

export interface ModelEngineReport {
  readonly seats: readonly { readonly seat: string; readonly token: Token; readonly holder: Holder | null }[];
}

type EngineMessage = LeaseMessage | EngineCommand;
type Timer = "tick" | `wait#${number}`;
type Ctx = Context<EngineMessage, Timer>;

export type EngineModel = Protocol<unknown, EngineState, EngineMessage, Timer, EngineSaved, ModelEngineReport>;

/** What a simulated engine does, with the settings of its model. All that changes is in the machine's state. */
class SimulatedEngine {
  private readonly tick: number;
  private readonly stamps: boolean;
  private readonly keep: number;
  private readonly carryOut: typeof carryOut;

  constructor(settings: EngineModelSettings) {
    this.tick = settings.tick ?? 10;
    this.stamps = settings.stamps ?? true;
    this.keep = settings.keep ?? 60_000;
    this.carryOut = settings.carryOut ?? carryOut;
  }

  private answer(state: EngineState, request: LeaseRequest): LeaseAnswer {
    const { id, life } = request;
    if (state.failing !== null) return { kind: "failed", id, to: life, why: state.failing };
    const asked = "ttl" in request ? { ...request, ttl: request.ttl + this.tick } : request;
    return this.carryOut(uncounted(state.rows), asked, oneClock(0, this.stamps ? state.stamp : 0, state.incarnation));
  }

  /** Goes on with a request, or with its answer, unless that has to wait first. */
  handle(state: EngineState, port: Port, message: LeaseMessage, wait: number, ctx: Ctx): void {
    if (wait > 0) {
      if (state.waiting.size === 0) state.waits = 0;
      const number = state.waits++;
      state.waiting.set(number, { port, message });
      ctx.arm(`wait#${number}`, wait);
    } else if (isLeaseRequest(message)) {
      ctx.measure("requests", 1);
      const said = this.answer(state, message);
      this.keepTime(state, ctx);
      this.handle(state, port, said, state.slow.after, ctx);
    } else if (ctx.linked(port)) {
      ctx.send(port, message);
    }
  }

  /** Ticks only while time changes something, so that runs end. */
  keepTime(state: EngineState, ctx: Ctx): void {
    if (state.ticking || !isWaiting(state.rows, this.keep)) return;
    state.ticking = true;
    ctx.arm("tick", this.tick);
  }

  goOn(state: EngineState, by: number): void {
    pass(state.rows, by, this.keep);
    state.stamp += by;
    if (state.snapshot !== null) state.snapshot.age += by;
  }

  obey(state: EngineState, command: EngineCommand, ctx: Ctx): void {
    switch (command.kind) {
      case "snapshot":
        state.snapshot = { rows: copyOfRows(state.rows), age: 0 };
        break;
      case "restore":
        if (state.snapshot === null) return;
        state.rows = copyOfRows(state.snapshot.rows);
        pass(state.rows, state.snapshot.age, this.keep);
        if (command.noticed) state.incarnation = `${state.incarnation}+${++state.restored}`;
        this.keepTime(state, ctx);
        break;
      case "step":
        this.goOn(state, command.by);
        this.keepTime(state, ctx);
        break;
      case "slow":
        state.slow = { before: command.before, after: command.after };
        break;
      case "fail":
        state.failing = command.why;
    }
  }

  expire(state: EngineState, timer: Timer, ctx: Ctx): void {
    if (timer === "tick") {
      state.ticking = false;
      this.goOn(state, this.tick);
      this.keepTime(state, ctx);
      return;
    }
    const number = Number(timer.slice("wait#".length));
    const { port, message } = state.waiting.get(number)!;
    state.waiting.delete(number);
    this.handle(state, port, message, 0, ctx);
  }
}

/** A machine for the role of the engine; it takes no parameters of the group's. */
export function engineModel(settings: EngineModelSettings = {}): EngineModel {
  const engine = new SimulatedEngine(settings);
  return {
    name: "lease-engine",
    title: "A lease store that grants leases",
    citation: "",
    cost: "an answer to each request",
    assumes: {
      topology: settings.topology ?? "open",
      identity: "anonymous",
      timing: "asynchronous",
      start: "any",
      knows: [],
      fifo: false,
      multicast: false,
      tolerates: ["loss", "crash", "pause", "partition"],
    },
    parameters: [],
    measures: { requests: "sum" },

    init(_params, { life }, saved, ctx) {
      const state: EngineState = {
        rows: saved === null ? noRows() : copyOfRows(saved.rows),
        snapshot: saved?.snapshot ?? null,
        stamp: saved?.stamp ?? 0,
        incarnation: String(life),
        restored: 0,
        slow: { before: 0, after: 0 },
        failing: null,
        ticking: false,
        waiting: new Map(),
        waits: 0,
      };
      engine.keepTime(state, ctx);
      return state;
    },

    receive(state, port, message, ctx) {
      if (isLeaseRequest(message)) engine.handle(state, port, message, state.slow.before, ctx);
      else if (port === SELF) engine.obey(state, message as EngineCommand, ctx);
    },

    expire: (state, timer, ctx) => engine.expire(state, timer, ctx),
    verdict: () => ({ status: "not-elected", leader: null, term: 0 }),
    saved: ({ rows, snapshot, stamp }) => ({ rows, snapshot, stamp }),
    accepts: isLeaseRequest,
    bits: (message) => 8 * encodedSize(message),

    report({ rows }) {
      const read = rowsOf(rows);
      const seats = read.seats().map(([seat, { token, lease }]) => {
        const isHeld = lease !== null && leaseLeft(seat, lease, read, oneClock(0, 0, "")) > 0;
        return { seat, token, holder: isHeld ? holderOf(lease, read) : null };
      });
      return { seats };
    },
  };
}

// The clock of the simulated engine. All its instants are kept relative to now, which is 0: two moments at which the same is left
// of everything are the same state, so that an explorer comes back to them.

/**
 * Time goes on by so much (or back): everything is nearer (or further). What lies `keep` behind is not followed any more, and a
 * session that ended so long ago is forgotten, unless a seat names it; until then a late request of it is known to be late.
 */
function pass(rows: PlainRows, by: number, keep: number): void {
  const nearer = (instant: Instant): Instant => ({ ...instant, at: Math.max(instant.at - by, -keep) });
  if (rows.group?.barred) rows.group = { ...rows.group, barred: nearer(rows.group.barred) };
  for (const [id, session] of rows.sessions) {
    const expires = nearer(session.expires);
    if (expires.at > -keep || isNamed(id, rows)) rows.sessions.set(id, { ...session, expires });
    else rows.sessions.delete(id);
  }
  for (const [name, seat] of rows.seats) {
    const { lease, reserved } = seat;
    if (!lease?.until && reserved === null) continue;
    rows.seats.set(name, {
      ...seat,
      lease: lease?.until ? { ...lease, until: nearer(lease.until) } : lease,
      reserved: reserved && { ...reserved, until: nearer(reserved.until) },
    });
  }
}

const isNamed = (session: string, { seats }: PlainRows): boolean =>
  [...seats.values()].some(({ lease }) => lease?.session === session);

/** Whether anything changes as time goes on. */
function isWaiting({ group, sessions, seats }: PlainRows, keep: number): boolean {
  const waits = (instant: Instant | null | undefined) => instant != null && instant.at > -keep;
  if (waits(group?.barred)) return true;
  for (const { expires } of sessions.values()) if (waits(expires)) return true;
  for (const { lease, reserved } of seats.values()) if (waits(lease?.until) || waits(reserved?.until)) return true;
  return false;
}
