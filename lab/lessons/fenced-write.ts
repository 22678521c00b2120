/**
 * A model for one lesson: workers take turns by a lease and write to a data store. A worker does not look at its lease between deciding
 * to write and writing, because no program can: it may be paused just there. `reading` says whether the data store checks tokens.
 *
 * The process with id 1 is the lease store, that with id 2 the data store, all others are workers. Sortition's own leases are another
 * thing (docs/leases.md): they are checked by the explorer, not shown here.
 */
import type { Narrate, Part, Telling } from "../../src/narrator.ts";
import type { Context, Port } from "../../src/protocol.ts";
import { defineProtocol } from "../../src/protocols/check.ts";
import type { Entry } from "../../src/registry/entry.ts";

interface Params {
  readonly reading: "fenced" | "unfenced";
  readonly ttl: number;
}

type Message =
  | { readonly kind: "acquire" }
  | { readonly kind: "granted" | "release" | "write" | "written" | "refused"; readonly token: number };

interface LeaseStore {
  readonly role: "store";
  readonly ttl: number;
  token: number;
  holder: Port | null;
  waiting: Port[];
}

interface DataStore {
  readonly role: "data";
  readonly guards: boolean;
  /** The highest token that it has seen, and the one of the write that stands. */
  highest: number;
  written: number;
}

interface Worker {
  readonly role: "worker";
  readonly store: Port;
  readonly data: Port;
  /** Of the lease that it takes itself to hold. */
  token: number | null;
  left: number;
}

type State = LeaseStore | DataStore | Worker;
type Timer = "lease" | "work";
type Ctx = Context<Message, Timer>;

const WRITES = 2;
/** Between getting the lease and writing, and between two writes. */
const WORK = 2;

function grantNext(store: LeaseStore, ctx: Ctx): void {
  ctx.disarm("lease");
  const [next, ...rest] = store.waiting;
  store.holder = next ?? null;
  store.waiting = rest;
  if (next === undefined) return;
  store.token++;
  ctx.arm("lease", store.ttl);
  ctx.send(next, { kind: "granted", token: store.token });
}

function atStore(store: LeaseStore, port: Port, message: Message, ctx: Ctx): void {
  if (message.kind === "acquire") {
    store.waiting.push(port);
    if (store.holder === null) grantNext(store, ctx);
  } else if (message.kind === "release" && port === store.holder) grantNext(store, ctx);
}

function atData(data: DataStore, port: Port, message: Message, ctx: Ctx): void {
  if (message.kind !== "write") return;
  const { token } = message;
  const isLate = token < data.highest;
  if (isLate && data.guards) {
    ctx.measure("refused", 1);
    ctx.send(port, { kind: "refused", token });
    return;
  }
  if (isLate) ctx.measure("late", 1);
  ctx.measure("writes", 1);
  data.highest = Math.max(data.highest, token);
  data.written = token;
  ctx.send(port, { kind: "written", token });
}

function atWorker(worker: Worker, message: Message, ctx: Ctx): void {
  if (message.kind === "granted") {
    worker.token = message.token;
    ctx.arm("work", WORK);
  } else if (message.kind === "written" && worker.token === message.token) {
    worker.left--;
    if (worker.left > 0) ctx.arm("work", WORK);
    else {
      ctx.send(worker.store, { kind: "release", token: message.token });
      worker.token = null;
    }
  } else if (message.kind === "refused") worker.token = null;
}

const fencedWrite = defineProtocol<Params, State, Message, Timer>({
  name: "fenced-write",
  title: "Leases and fencing: a paused leader writes late",
  citation: "a model for a lesson",
  cost: "two messages for a lease and one to release it, two for a write",
  assumes: { topology: "complete", identity: "ids", start: "common", timing: "partial", tolerates: ["pause"] },
  parameters: [
    {
      name: "reading",
      about: "whether the data store refuses old tokens",
      type: ["fenced", "unfenced"],
      default: "fenced",
    },
    { name: "ttl", about: "how long a lease lasts", type: "number", min: 1, default: 12 },
  ],
  measures: { writes: "sum", late: "sum", refused: "sum" },

  init({ reading, ttl }, self, _saved, ctx) {
    const portOf = (id: number): Port => ctx.ports().find((port) => ctx.peer(port) === id)!;
    if (self.id === 1) return { role: "store", ttl, token: 0, holder: null, waiting: [] };
    if (self.id === 2) return { role: "data", guards: reading === "fenced", highest: 0, written: 0 };
    const [store, data] = [portOf(1), portOf(2)];
    ctx.send(store, { kind: "acquire" });
    return { role: "worker", store, data, token: null, left: WRITES };
  },

  receive(state, port, message, ctx) {
    if (state.role === "store") atStore(state, port, message, ctx);
    else if (state.role === "data") atData(state, port, message, ctx);
    else atWorker(state, message, ctx);
  },

  expire(state, _timer, ctx) {
    if (state.role === "store") grantNext(state, ctx);
    else if (state.role === "worker" && state.token !== null)
      ctx.send(state.data, { kind: "write", token: state.token });
  },

  verdict: (state) => ({
    status:
      state.role !== "worker" || (state.token === null && state.left < WRITES)
        ? "not-elected"
        : state.token === null
          ? "undecided"
          : "elected",
    leader: null,
    term: 0,
  }),
});

const STORE = "the lease store";
const DATA = "the data store";

const narrate: Narrate<State, Message> = (before, event, after, scene) => {
  const part: Part = after.role === "worker" ? (after.token === null ? "idle" : "leads") : "referee";
  const told = (says: string, brief: string | null, as?: string): Telling => ({
    says,
    brief,
    part,
    ...(as === undefined ? {} : { as }),
  });
  const [sent] = event.sent;
  if (after.role === "store") {
    if (event.do === "timer") {
      const over = before?.role === "store" ? `sees lease ${before.token} run out` : "sees a lease run out";
      return sent === undefined
        ? told(over, "a lease ends", STORE)
        : told(`${over}, and grants lease ${after.token} to ${scene.name(sent.to)}`, `grants ${after.token}`, STORE);
    }
    if (event.do !== "deliver") return told("waits for workers", null, STORE);
    const from = scene.name(event.from);
    const grants = sent === undefined ? "" : `grants lease ${after.token} to ${scene.name(sent.to)}`;
    if (event.message.kind === "release") {
      const wasHeld = before?.role === "store" && before.holder !== null && before.token === event.message.token;
      const released = wasHeld
        ? `takes lease ${event.message.token} back from ${from}`
        : `hears from ${from} that it is done with lease ${event.message.token}, which ran out long ago`;
      return told(sent === undefined ? released : `${released}, and ${grants}`, grants || "takes it back", STORE);
    }
    return sent === undefined
      ? told(`lets ${from} wait: the lease is taken`, "waits", STORE)
      : told(grants, grants, STORE);
  }
  if (after.role === "data") {
    if (event.do !== "deliver" || event.message.kind !== "write") return told("waits for writes", null, DATA);
    const { token } = event.message;
    const from = scene.name(event.from);
    const highest = before?.role === "data" ? before.highest : 0;
    if (sent?.message.kind === "refused")
      return told(`refuses the write of ${from}: token ${token} is older than token ${highest}`, "refuses", DATA);
    if (token < highest)
      return told(
        `takes the late write of ${from} with token ${token}, and what token ${highest} wrote is lost`,
        "overwritten",
        DATA,
      );
    return told(`takes the write of ${from} with token ${token}`, `written by ${token}`, DATA);
  }
  if (event.do === "timer") return told(`writes with token ${after.token}`, `writes with ${after.token}`);
  if (event.do !== "deliver") return told("asks the lease store for the lease", "asks");
  if (event.message.kind === "granted") return told(`leads: it has lease ${after.token}`, `leads with ${after.token}`);
  if (event.message.kind === "refused") return told("hears that its write was refused, and stops", "stops");
  return after.token === null
    ? told("has written all it had to, and gives the lease back", "gives it back")
    : told(
        `hears that its write with token ${event.message.kind === "written" ? event.message.token : ""} was taken`,
        null,
      );
};

const few = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

export const fencedWriteEntry: Entry = {
  protocol: fencedWrite,
  narrate,
  page: {
    name: "Leases and fencing",
    parts: { referee: "store", leads: "takes itself for the leader", idle: "does not hold the lease" },
    holds: (state: State) => {
      if (state.role === "worker") return state.token === null ? null : { value: state.token };
      return { value: state.role === "store" ? state.token : state.highest };
    },
    phase: "token",
    // In the end nobody holds the lease; what became of the data is the point.
    ends: ({ late = 0, refused = 0, writes = 0 }) => {
      if (late > 0) return `${few(late, "late write")} replaced newer data, and nobody noticed.`;
      if (refused > 0) return `${few(refused, "late write")} refused: the newer data is safe.`;
      return `${few(writes, "write")}, none of them late.`;
    },
    names: [STORE, DATA].map((name) => name.replace("the ", "")),
  },
};
