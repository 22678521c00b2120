/** Processes that count while they lead (test/live/lease-worker.ts): started, killed, stopped, and judged by all that they said. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import type { Place } from "../live/lease-counter.ts";
import type { Settings } from "../live/lease-worker.ts";

export interface Said {
  /** Milliseconds of a clock that all processes of the machine share. */
  readonly t: number;
  readonly self: string;
  readonly event: string;
  readonly token?: number;
  readonly lease?: string;
  readonly number?: number;
  readonly late?: boolean;
  readonly engine?: string;
  readonly address?: string;
  readonly members?: number;
  readonly leader?: string | null;
  readonly code?: string;
  readonly why?: string;
  /** Since when a process that stalled had not run. */
  readonly from?: number;
}

export interface LeaseGroupSettings {
  readonly folder: string;
  /** Where a member finds the engine. */
  readonly lease: (name: string) => string;
  readonly ttl: number;
  readonly counter: Place;
  /** What a member is started through, such as `ip netns exec`, and where it listens. */
  readonly place?: (name: string) => { readonly through: readonly string[]; readonly bind: string };
}

/** Milliseconds: machines that run tests can be very busy. Less than the limit of a test, so that the failure says what was awaited. */
const LIMIT = 45_000;

/** What tells least to people. */
const FREQUENT: ReadonlySet<string> = new Set(["checked", "wrote", "stalled"]);
/** Milliseconds by which a holder's deadline comes before the engine's. */
const MARGIN = 50;

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

export class LeaseGroup {
  readonly said: Said[] = [];
  errors = "";
  private readonly running = new Map<string, ChildProcess>();
  private readonly settings: LeaseGroupSettings;
  private waiting: (() => void)[] = [];

  constructor(settings: LeaseGroupSettings) {
    this.settings = settings;
  }

  get names(): string[] {
    return [...this.running.keys()];
  }

  /** Comes true when each of them has seen all others: who has not could lose the only one it knows. */
  async start(names: readonly string[]): Promise<void> {
    const [first, ...others] = names;
    await this.join(first);
    await Promise.all(others.map((name) => this.join(name)));
    const sees = (name: string) => this.hear(({ self, members }) => self === name && members === names.length, 0);
    await Promise.all(names.map(sees));
  }

  async join(name: string): Promise<Said> {
    const { folder, lease, ttl, counter, place } = this.settings;
    const { through, bind } = place?.(name) ?? { through: [], bind: "127.0.0.1:0" };
    const settings: Settings = { name, bind, folder, ttl, counter, lease: lease(name), seeds: this.seeds(name) };
    const script = join(import.meta.dirname, "../live/lease-worker.ts");
    const [command, ...args] = [...through, process.execPath, script, JSON.stringify(settings)];
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    this.running.set(name, child);
    child.stderr!.setEncoding("utf8").on("data", (text) => {
      this.errors += `${name}: ${text}`;
    });
    child.on("exit", (status) => {
      if (this.running.get(name) === child) this.errors += `${name} has ended by itself, with status ${status}\n`;
    });
    createInterface({ input: child.stdout! }).on("line", (line) => {
      this.said.push(JSON.parse(line));
      for (const look of this.waiting) look();
    });
    const from = this.said.length;
    return this.hear(({ event, self }) => event === "started" && self === name, from);
  }

  /** Where others were when they started last. */
  private seeds(but: string): string[] {
    const started = this.said.filter(
      ({ event, self }) => event === "started" && self !== but && this.running.has(self),
    );
    return [...new Map(started.map(({ self, address }) => [self, address!])).values()];
  }

  /** The first line of which that is true, from number `from` on. */
  hear(isIt: (said: Said) => boolean, from = this.said.length, limit = LIMIT): Promise<Said> {
    return new Promise((resolve, reject) => {
      let at = from;
      const forget = () => {
        clearTimeout(timer);
        this.waiting = this.waiting.filter((each) => each !== look);
      };
      const look = () => {
        for (; at < this.said.length; at++) {
          if (!isIt(this.said[at])) continue;
          forget();
          return resolve(this.said[at]);
        }
      };
      const timer = setTimeout(() => {
        forget();
        const last = this.said
          .filter(({ event }) => !FREQUENT.has(event))
          .slice(-60)
          .map((said) => JSON.stringify(said));
        reject(new Error(`it was not said within ${limit} ms\n${last.join("\n")}\n${this.errors}`));
      }, limit);
      this.waiting.push(look);
      look();
    });
  }

  /** Somebody counts as leader, from now on, under a token larger than that. */
  leads(after = 0): Promise<Said> {
    return this.hear(({ event, token, late }) => event === "wrote" && late === false && token! > after);
  }

  async kill(name: string): Promise<void> {
    const child = this.running.get(name)!;
    this.running.delete(name);
    await ended(child, "SIGKILL");
  }

  /** As its owner ends it: it hands over and leaves. */
  async leave(name: string): Promise<void> {
    const child = this.running.get(name)!;
    this.running.delete(name);
    await ended(child, "SIGTERM");
  }

  stop(name: string): void {
    this.running.get(name)!.kill("SIGSTOP");
  }

  resume(name: string): void {
    this.running.get(name)!.kill("SIGCONT");
  }

  /**
   * The leader is stopped until somebody else leads, and goes on. A process that is stopped while it writes a file keeps it
   * locked: then it is stopped again.
   */
  async pauseLeader({ self, token }: Said): Promise<Said> {
    for (;;) {
      this.stop(self);
      const next = this.hear((said) => said.event === "begins" && said.token! > token!, undefined, 10_000);
      const isLed = await next.catch(() => null);
      this.resume(self);
      await this.hear((said) => said.event === "signal" && said.self === self && said.token === token, 0);
      const leader = await this.leads(token);
      if (isLed !== null) return leader;
      ({ self, token } = leader);
    }
  }

  /** Pauses the server until the leader with that token knows that it no longer leads; then waits for a new leader. */
  async pauseServer(server: { pause(): void; resume(): void }): Promise<void> {
    // A machine that is busy may let the lease lapse before the pause: the leader has said so then, and nobody else will.
    const { token } = await this.leads();
    server.pause();
    await this.hear((said) => said.event === "signal" && said.token === token, 0);
    server.resume();
    await this.leads(token);
  }

  async end(): Promise<void> {
    for (const name of this.names) await this.kill(name);
  }

  /** What one process did as leader, by when it was told that it does not lead any more; null: it was killed before. */
  get tenures() {
    const told = this.said.filter(({ event }) => event === "signal");
    return this.said
      .filter(({ event }) => event === "begins")
      .map(({ self, token, lease, t: from }) => {
        const to = told.find((said) => said.self === self && said.token === token)?.t ?? null;
        return { self, token: token!, lease: lease!, from, to };
      })
      .sort((a, b) => a.from - b.from);
  }

  /** Holds all that was said, and all that was counted, against what leases and guards promise. */
  judge(counted: readonly { readonly number: number; readonly token: number; readonly lease: string }[]): void {
    const { tenures } = this;
    expect(tenures.length).toBeGreaterThan(1);
    const tokens = tenures.map(({ token }) => token);
    expect(new Set(tokens).size, "a token was given twice").toBe(tokens.length);
    const lastChecked = new Map(
      this.said.filter(({ event }) => event === "checked").map(({ token, t }) => [token!, t] as const),
    );
    for (const [index, { to, token, self }] of tenures.entries()) {
      const next = tenures[index + 1];
      if (next === undefined) break;
      const about = `${next.self} began with ${next.token} at ${next.from}, after ${self} with ${token}`;
      expect(next.token, `tokens grow: ${about}`).toBeGreaterThan(token);
      expect(lastChecked.get(token) ?? 0, `check() let an old leader pass: ${about}`).toBeLessThan(next.from);
      if (to !== null && !this.stood(self, next.from))
        expect(to, `the signal came too late: ${about}`).toBeLessThan(next.from);
    }
    for (const [index, { number, token, lease }] of counted.entries()) {
      expect(number).toBe(index + 1);
      expect(tenures.find((tenure) => tenure.token === token)?.lease, "counted by a lease of that token").toBe(lease);
      if (index > 0) expect(token, "a write with an old token").toBeGreaterThanOrEqual(counted[index - 1].token);
    }
    const wrote = this.said.filter(({ event }) => event === "wrote");
    for (const { number, token } of wrote) expect(counted[number! - 1]?.token, "what was counted stays").toBe(token);
  }

  /** Whether a process did not run shortly before that moment, so that nothing could tell it anything. */
  private stood(name: string, at: number): boolean {
    return this.said.some(
      ({ event, self, from, t }) => event === "stalled" && self === name && from! < at && t > at - MARGIN,
    );
  }
}
