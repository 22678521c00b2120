/**
 * Every schedule of clients that share a store of rows: their reads and commits interleave with each other, with the clock, with
 * answers that are lost, with commits that the store carries out after their timeout, and with a restore of the store. What holders
 * say of their sessions reaches others at any later time, twice, or never. Each schedule runs the engine as it ships, from the
 * beginning; what comes next is chosen in every possible way.
 */
import { type Image, RowEngine, type RowStore } from "../../src/live/engines/row-engine.ts";
import { type Change, isRecordRow } from "../../src/live/engines/rows.ts";
import { type MachineClock, Watched } from "../../src/live/engines/watched.ts";
import type { World } from "../../src/live/world.ts";
import type { Extension, LeaseAnswer, LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { MemoryRows, type Omits } from "./memory-rows.ts";

export interface Scenario {
  /** Whether the store has a clock for all, or members watch rows. */
  readonly clock: "store" | "watched";
  readonly ttl: number;
  /** Asked one after another before anything is explored; a number is milliseconds that pass. */
  readonly before?: readonly (LeaseRequest | number)[];
  /** By client: what it asks, one after another; some of it by the token of a lease on "leader", and not without one. */
  readonly asks: readonly (readonly (LeaseRequest | ((token: number) => LeaseRequest))[])[];
  /** How far the clock goes each time. */
  readonly turns: readonly number[];
  /** How many answers are lost, how many commits come after their timeout, how many restores there are. */
  readonly lost?: number;
  readonly late?: number;
  readonly restores?: number;
  /** How many clients crash: they ask nothing more, and what they do ends. A commit may still be under way. */
  readonly crashes?: number;
  /** Whether the store writes records of jobs in a step of their own, after the other rows (one-value.ts). */
  readonly split?: boolean;
  /** What an engine with a mistake makes of a request. */
  readonly mistake?: (request: LeaseRequest, rows: MemoryRows) => LeaseRequest;
  /** Whether the store is restored only while everybody has heard all that was said, and nobody is about to commit. */
  readonly restoresWhenTold?: boolean;
  /** Whether holders tell others of their sessions, and how many of these words come twice. */
  readonly gossip?: boolean;
  readonly twice?: number;
  /** How much faster than that of the holder the clocks of others run, as a share. */
  readonly fast?: number;
  /** The engine, or one with a mistake. */
  readonly engine?: typeof RowEngine;
  readonly watched?: typeof Watched;
  readonly omits?: Omits;
  readonly forgets?: boolean;
}

type Recorded = Extract<LeaseAnswer, { kind: "record" }>;

interface Operation {
  readonly client: number;
  readonly label: string;
  act(): unknown;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

interface Held {
  readonly client: number;
  readonly lease: string;
  readonly token: number;
  /** As long as the client may believe it: counted from when it asked. */
  end: number;
}

/** The names of the steps that lead to the first violation, or null; and how many schedules were run. */
export async function explore(scenario: Scenario, most: number): Promise<{ found: string | null; schedules: number }> {
  let path: number[] = [];
  for (let schedules = 1; schedules <= most; schedules++) {
    const { found, taken } = await new Schedule(scenario).run(path);
    if (found !== null) return { found, schedules };
    // The next path in lexical order.
    while (taken.length > 0 && taken.at(-1)!.choice === taken.at(-1)!.of - 1) taken.pop();
    if (taken.length === 0) return { found: null, schedules };
    path = taken.map(({ choice }) => choice);
    path[path.length - 1]++;
  }
  throw new Error(`more than ${most} schedules`);
}

class Schedule {
  private readonly scenario: Scenario;
  private readonly rows = new MemoryRows();
  private readonly pending: Operation[] = [];
  private readonly engines: RowEngine[];
  private readonly held = new Map<string, Held[]>();
  private readonly tokens = new Map<string, string>();
  /** Clients that have crashed; those that work at a job; and what is known of the job. */
  private readonly crashed = new Set<number>();
  private readonly working = new Set<number>();
  private readonly started = new Set<number>();
  private job = { isCompleted: false, isRecorded: false, token: 0 };
  private before: { texts: MemoryRows["texts"]; revision: number } | null = null;
  private now = 1000;
  private broken: string | null = null;
  private isStraight = true;
  private bytes = 0;

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    this.rows.omits = scenario.omits ?? (() => false);
    this.rows.forgets = scenario.forgets ?? false;
    const { engine: Engine = RowEngine, watched: Watch = Watched, fast = 0 } = scenario;
    this.engines = scenario.asks.map((_, client) => {
      const world = this.world(client === 0 ? 1 : 1 + fast);
      const clock: MachineClock = { name: `clock ${client}`, now: world.now, stamp: () => this.now };
      return new Engine(this.store(client), new Watch(clock), { world, requestTimeout: 1e9 });
    });
  }

  async run(path: readonly number[]) {
    const { before = [], asks, turns } = this.scenario;
    for (const step of before) {
      if (typeof step === "number") this.now += step;
      else await this.ask(step.life - 1, step);
    }
    this.isStraight = false;
    const clients = asks.map(async (requests, client) => {
      for (const request of requests) {
        // When a client asks is chosen too.
        await new Promise((resolve, reject) => {
          this.pending.push({ client, label: "asks", act: () => null, resolve, reject });
        }).catch(() => {});
        const token = this.held.get("leader")?.find((one) => one.client === client && one.end > this.now)?.token;
        if (this.crashed.has(client) || (typeof request === "function" && token === undefined)) continue;
        const asked = typeof request === "function" ? request(token!) : request;
        // Who has not worked has nothing to record.
        if (asked.kind !== "finish" || this.started.has(client)) await this.ask(client, asked);
      }
    });
    let isOver = false;
    const all = Promise.all(clients).then(() => {
      isOver = true;
    });
    const taken: { choice: number; of: number }[] = [];
    const story: string[] = [];
    const left = [...turns];
    const budget = { lost: this.scenario.lost ?? 0, late: this.scenario.late ?? 0, twice: this.scenario.twice ?? 0 };
    let { restores = 0, crashes = 0 } = this.scenario;
    await settled();
    while (!isOver && this.broken === null) {
      const options: [string, () => void][] = [];
      for (const operation of this.pending) {
        const { client, label } = operation;
        options.push([`${client} ${label}`, () => this.finish(operation)]);
        if (budget.lost > 0 && label === "commit")
          options.push([
            `${client} commits, answer lost`,
            () => {
              budget.lost--;
              this.take(operation);
              operation.act();
              operation.reject(new Error("lost"));
            },
          ]);
        if (budget.late > 0 && label === "commit")
          options.push([
            `${client} gives up, commit under way`,
            () => {
              budget.late--;
              this.take(operation);
              this.pending.push({ ...operation, label: "late commit", resolve: () => {}, reject: () => {} });
              operation.reject(new Error("late"));
            },
          ]);
        if (budget.twice > 0 && label.startsWith("hears"))
          options.push([
            `${client} ${label}, and will again`,
            () => {
              budget.twice--;
              operation.act();
            },
          ]);
      }
      if (left.length > 0) options.push([`${left[0]} ms pass`, () => this.pass(left.shift()!)]);
      if (restores > 0 && this.before !== null && this.mayRestore())
        options.push([
          "the last commit is undone",
          () => {
            restores--;
            Object.assign(this.rows, this.before);
          },
        ]);
      for (const client of crashes > 0 ? asks.keys() : [])
        if (this.started.has(client) && !this.crashed.has(client))
          options.push([
            `${client} crashes`,
            () => {
              crashes--;
              this.crash(client);
            },
          ]);
      const choice = path[taken.length] ?? 0;
      taken.push({ choice, of: options.length });
      story.push(`${this.now} ${options[choice][0]}`);
      options[choice][1]();
      await settled();
    }
    if (this.broken === null) await all;
    return { found: this.broken === null ? null : [...story, this.broken].join("\n"), taken };
  }

  /** The same request again until it is answered, as lease clients do; what the client may believe counts from the first time. */
  private async ask(client: number, request: LeaseRequest): Promise<void> {
    const sent = this.now;
    if (request.kind === "release") this.drop(client, request.seat);
    if (request.kind === "finish") {
      this.working.delete(client);
      this.job.isCompleted = true;
    }
    for (let tries = 0; tries < 5 && !this.crashed.has(client); tries++) {
      const again = this.now;
      try {
        const answer = await this.engines[client].ask(this.scenario.mistake?.(request, this.rows) ?? request);
        if (this.crashed.has(client)) return;
        if (answer.kind === "record") return this.recorded(client, request, answer);
        return this.heard(client, answer, request.kind === "acquire" ? sent : again);
      } catch {
        // Asked again at once.
      }
    }
  }

  private crash(client: number): void {
    this.crashed.add(client);
    this.working.delete(client);
    for (const seat of this.held.keys()) this.drop(client, seat);
    for (const operation of this.pending.filter((one) => one.client === client)) {
      this.take(operation);
      if (operation.label === "commit")
        this.pending.push({ ...operation, label: "late commit", resolve: () => {}, reject: () => {} });
      operation.reject(new Error("crashed"));
    }
  }

  /** What must hold of a job: one at a time, never again once its end is recorded, and never "done" before it was. */
  private recorded(client: number, { kind }: LeaseRequest, { verdict, record }: Recorded): void {
    const { job } = this;
    if (verdict === "recorded" && record?.state === "done") job.isRecorded = true;
    if (verdict === "done" && !job.isCompleted) this.broken = `${client} is told that it is done, and nobody did it`;
    const holds = (this.held.get("leader") ?? []).filter(({ end }) => end > this.now).map((one) => one.client);
    if (verdict === "superseded" && holds.includes(client)) this.broken = `${client} holds, and its end does not count`;
    if (verdict !== "begun") return;
    if (job.isRecorded) this.broken = `${client} begins what is done`;
    for (const other of this.working) if (!holds.includes(other)) this.working.delete(other);
    if (holds.includes(client) && kind === "begin") {
      this.working.add(client);
      this.started.add(client);
    }
    if (this.working.size > 1) this.broken = `two work at ${this.now}`;
  }

  /** An older attempt must not replace a newer one. */
  private lookAtRecords(): void {
    const text = this.rows.texts.get("record/job");
    const token = text === undefined ? 0 : (JSON.parse(text).row.token as number);
    if (token < this.job.token) this.broken = `the record of token ${this.job.token} was replaced by one of ${token}`;
    this.job.token = Math.max(token, this.job.token);
  }

  private drop(client: number, seat: string): void {
    const others = (this.held.get(seat) ?? []).filter((one) => one.client !== client);
    this.held.set(seat, others);
  }

  /** Every other client hears it at some time, or never. */
  private tell(client: number, said: Extension): void {
    for (const [other, engine] of this.engines.entries()) {
      if (other === client || this.scenario.asks[other].length === 0) continue;
      const label = `hears of ${said.session}, ${said.count}`;
      this.pending.push({ client: other, label, act: () => engine.heard(said), resolve() {}, reject() {} });
    }
  }

  private heard(client: number, answer: LeaseAnswer, sent: number): void {
    const end = sent + this.scenario.ttl;
    if (this.scenario.gossip && "extended" in answer) this.tell(client, answer.extended!);
    if (answer.kind === "granted") {
      const { seat, lease, token } = answer;
      const known = this.tokens.get(`${seat} ${token}`);
      if (known !== undefined && known !== lease) this.broken = `token ${token} was given to ${known} and ${lease}`;
      this.tokens.set(`${seat} ${token}`, lease);
      this.drop(client, seat);
      this.held.set(seat, [...this.held.get(seat)!, { client, lease, token, end }]);
    } else if (answer.kind === "renewed" || answer.kind === "ended") {
      for (const [seat, all] of this.held) {
        const own = all.find((one) => one.client === client);
        if (own === undefined) continue;
        const kept = answer.kind === "renewed" && answer.leases.find((one) => one.seat === seat && !one.frozen);
        if (answer.kind === "ended" || answer.lost.some((one) => one.seat === seat)) this.drop(client, seat);
        else if (kept && kept.lease === own.lease) own.end = Math.max(own.end, end);
      }
    }
    for (const [seat, all] of this.held) {
      const now = all.filter(({ end }) => end > this.now);
      if (now.length > 1) this.broken = `${now.length} clients hold ${seat} at ${this.now}: ${JSON.stringify(now)}`;
    }
    const rows = [...this.rows.texts].map(([key, text]) => [key, JSON.parse(text).row] as const);
    const longest = rows.find(([key]) => key === "group")?.[1].longest ?? Number.POSITIVE_INFINITY;
    for (const [key, row] of rows)
      if (key.startsWith("session/") && row.ttl > longest)
        this.broken = `a session lasts ${row.ttl}, longest ${longest}`;
  }

  private mayRestore(): boolean {
    const isUnder = ({ label }: Operation) => label.startsWith("hears") || label === "commit";
    return this.scenario.restoresWhenTold !== true || !this.pending.some(isUnder);
  }

  private pass(ms: number): void {
    this.now += ms;
  }

  private finish(operation: Operation): void {
    this.take(operation);
    operation.resolve(operation.act());
  }

  private take(operation: Operation): void {
    this.pending.splice(this.pending.indexOf(operation), 1);
  }

  private store(client: number): RowStore {
    const when = <T>(label: string, act: () => T): Promise<T> => {
      if (this.isStraight) return Promise.resolve(act());
      return new Promise((resolve, reject) => {
        this.pending.push({ client, label, act, resolve: resolve as (value: unknown) => void, reject });
      });
    };
    const part = ({ seen, puts }: Change, isRecord: boolean): Change => {
      const of = (rows: Change["seen"]) => new Map([...rows].filter(([row]) => isRecordRow(row) === isRecord));
      return { seen: of(seen), puts: of(puts) };
    };
    const timed = (image: Image): Image => ({ ...image, now: this.scenario.clock === "store" ? this.now : null });
    const commit = (change: Change) => {
      const { texts, revision } = this.rows;
      const result = this.rows.commit(change);
      if (result.image === null) this.before = { texts, revision };
      this.lookAtRecords();
      return { ...result, image: result.image && timed(result.image) };
    };
    return {
      name: "memory",
      read: () => when("reads", () => timed(this.rows.image())),
      commit: async (change) => {
        const { puts } = part(change, true);
        const steps = this.scenario.split && puts.size > 0 ? [part(change, false), part(change, true)] : [change];
        for (const step of steps) {
          const result = await when("commit", () => commit(step));
          if (result.image !== null || step === steps.at(-1)) return result;
        }
        throw new Error("no step");
      },
      close: async () => {},
    };
  }

  private world(rate: number): World {
    return {
      now: () => this.now * rate,
      wall: () => this.now,
      set(ms, callback) {
        if (ms < 1000) queueMicrotask(callback);
        return () => {};
      },
      soon: queueMicrotask,
      draws: { uniform: () => 0.5 } as unknown as World["draws"],
      bytes: () => Buffer.from(String(++this.bytes)),
    };
  }
}

/** Until every promise has done what it can. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 16; turn++) await null;
}
