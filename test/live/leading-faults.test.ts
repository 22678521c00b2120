/**
 * Work that leads, under faults drawn from a seed: members that are paused, suspended, killed, cut off, that leave and come back, clocks that
 * are set, an engine that is down, slow, restarted, restored and whose answers are lost; work that is slow to end, returns or throws.
 *
 * At every moment: `check()` passes in at most one process for each seat; running work has had its signal when the engine gives the
 * seat to another; work begins with larger and larger tokens, and never beside former work in its own process. In the end, when all is
 * well again, somebody leads.
 */
import { expect, test } from "vitest";
import type { Leadership } from "../../src/live/leading/scope.ts";
import { memoryStore, type Store } from "../../src/live/store.ts";
import { HostStream } from "../../src/random/streams.ts";
import { effort } from "../support/effort.ts";
import { type StrictMember, StrictScene, TTL } from "../support/strict-members.ts";

const NAMES = ["a", "b", "c", "d"];
const OFFICES = ["leader", "shards:2"];
const FAULTS = 40;

interface Process extends StrictMember {
  stillUntil: number;
  /** Work that has not ended, by seat. */
  readonly scopes: Map<string, Leadership>;
}

class Ordeal {
  readonly breaches: string[] = [];
  begun = 0;
  private readonly scene: StrictScene;
  private readonly dice: HostStream;
  private readonly isRestored: boolean;
  private readonly stores = new Map<string, Store>();
  private readonly processes = new Map<string, Process>();
  private readonly newest = new Map<string, bigint>();

  constructor(seed: number) {
    this.dice = new HostStream(seed, 1, "plan");
    this.isRestored = this.dice.coin(0.5);
    this.scene = new StrictScene(seed, { loss: this.pick([0, 0, 0.05]), delay: [0.2, this.pick([1, 5])] });
    this.scene.engine.onAnswer = (request, answer) => {
      if (answer.kind === "granted" && request.kind === "acquire") this.granted(answer.seat, BigInt(answer.token));
    };
  }

  async run(): Promise<void> {
    for (const name of NAMES) this.start(name);
    await this.pass(3000);
    for (let fault = 0; fault < FAULTS; fault++) {
      for (const process of this.processes.values()) if (process.stillUntil <= this.now) this.lead(process);
      this.act();
      await this.pass(this.between(20, 1200));
    }
    this.scene.network.heal();
    this.scene.engine.start();
    this.scene.engine.heal();
    for (const name of NAMES) if (!this.processes.has(name)) this.start(name);
    for (const process of this.processes.values()) this.lead(process);
    const isLed = () => this.passing("leader").length === 1;
    for (let passed = 0; passed < 20 * TTL && !isLed(); passed += 100) await this.pass(100);
    if (!isLed()) this.breaches.push("nobody leads although all is well");
  }

  private get now(): number {
    return this.scene.network.now;
  }

  private pick<T>(of: readonly T[]): T {
    return of[this.dice.choose(of.length)];
  }

  private between(least: number, most: number): number {
    return Math.round(least + (most - least) * this.dice.uniform());
  }

  private start(name: string): void {
    if (!this.stores.has(name)) this.stores.set(name, memoryStore());
    const started = this.scene.start(name, { store: this.stores.get(name)!, offices: OFFICES });
    const process: Process = { ...started, stillUntil: 0, scopes: new Map() };
    this.processes.set(name, process);
    this.lead(process);
  }

  /** As far as nothing leads there already. */
  private lead(process: Process): void {
    for (const office of ["leader", "shards"]) {
      try {
        process.member.lead(office, (leadership) => this.work(process, leadership)).done.catch(() => {});
      } catch {}
    }
  }

  private work(process: Process, leadership: Leadership): Promise<void> {
    const { seat, token, signal } = leadership;
    const { world } = process.machine;
    this.begun++;
    if (process.scopes.has(seat)) this.breaches.push(`${process.name} begins ${seat} beside former work`);
    if (token! <= (this.newest.get(seat) ?? 0n))
      this.breaches.push(`${seat} begins with token ${token} after a larger one`);
    this.newest.set(seat, token!);
    process.scopes.set(seat, leadership);
    this.look();
    return new Promise<void>((resolve, reject) => {
      const end = (settle: () => void) => {
        if (process.scopes.get(seat) === leadership) process.scopes.delete(seat);
        settle();
      };
      const [after, own] = [this.pick([0, 0, 30, TTL / 4, TTL]), this.pick([0, 0, 0, 0, 1, 2])];
      signal.addEventListener("abort", () => world.set(after, () => end(resolve)));
      if (own > 0)
        world.set(this.between(100, 4 * TTL), () => end(own === 1 ? resolve : () => reject(new Error("of the work"))));
    });
  }

  /** A user's callbacks, in every process that runs. */
  private look(): void {
    for (const seat of ["leader", "shards#1", "shards#2"]) {
      const passing = this.passing(seat);
      if (passing.length > 1) this.breaches.push(`${this.now}: ${passing.join(" and ")} lead ${seat}`);
    }
  }

  private passing(seat: string): readonly string[] {
    return [...this.processes.values()].flatMap(({ name, scopes, stillUntil }) => {
      const scope = scopes.get(seat);
      if (scope === undefined || stillUntil > this.now) return [];
      try {
        scope.check();
        return [`${name} with ${scope.token}`];
      } catch {
        return [];
      }
    });
  }

  /** Before the answer is there: who held the seat until now has stopped, if it runs. */
  private granted(seat: string, token: bigint): void {
    for (const { name, scopes, stillUntil } of this.processes.values()) {
      const scope = scopes.get(seat);
      if (scope === undefined || scope.token! >= token || stillUntil > this.now || scope.signal.aborted) continue;
      this.breaches.push(`${this.now}: ${seat} is given away with ${token}, and ${name} has had no signal`);
    }
  }

  private async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      await this.scene.run(10);
      this.look();
    }
  }

  private act(): void {
    const { engine, network } = this.scene;
    const name = this.pick(NAMES);
    const process = this.processes.get(name);
    const isRunning = process !== undefined && process.stillUntil <= this.now;
    const acts: (() => void)[] = [
      () => engine.stop(),
      () => engine.start(),
      () => engine.cut(name),
      () => engine.heal(),
      () => engine.snapshot(),
      // Restored and set back, an engine can repeat tokens to who does not know them: docs say so.
      () => (this.isRestored ? engine.restore({ noticed: true }) : engine.step(-this.between(1, 5 * TTL))),
      () => {
        const slow = [0, this.pick([10, TTL / 8, TTL])] as const;
        engine.conditions = {
          before: slow,
          after: slow,
          patience: this.pick([TTL / 4, Infinity]),
          requestLoss: this.pick([0, 0.3]),
          answerLoss: this.pick([0, 0.3]),
        };
      },
      () => network.heal(),
      () => {
        for (const other of NAMES) {
          network.cut(this.scene.address(name), this.scene.address(other));
          network.cut(this.scene.address(other), this.scene.address(name));
        }
      },
      () => {
        if (process === undefined) return this.start(name);
        process.machine.crash();
        this.processes.delete(name);
      },
      ...(isRunning ? this.actsOf(process) : []),
    ];
    this.pick(acts)();
  }

  private actsOf(process: Process): (() => void)[] {
    const { machine, member, name } = process;
    const still = (how: "standStill" | "suspend") => () => {
      const ms = this.between(10, 3 * TTL);
      process.stillUntil = this.now + ms;
      machine[how](ms);
      // Whatever a user's timers do comes first when it goes on.
      this.scene.network.at(process.stillUntil, () => this.look());
    };
    return [
      still("standStill"),
      still("standStill"),
      still("suspend"),
      () => machine.stepWall(this.between(-5 * TTL, 5 * TTL)),
      () => member.command({ kind: "resign", office: this.pick([null, "leader"]) }),
      () => member.command({ kind: "transfer", office: "leader", to: this.pick(NAMES) }),
      () => {
        void member.leave();
        this.processes.delete(name);
      },
    ];
  }
}

test("at most one member may act, under every fault", { timeout: effort(60_000, 3_600_000) }, async () => {
  const from = Number(process.env.SEED ?? 1);
  for (let seed = from; seed < from + effort(3, 250); seed++) {
    const ordeal = new Ordeal(seed);
    await ordeal.run();
    expect(ordeal.breaches, `seed ${seed}`).toEqual([]);
    expect(ordeal.begun).toBeGreaterThan(2);
  }
});
