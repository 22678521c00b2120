/**
 * A program beside each agent that counts while its agent leads: asks for the fence, and writes until the promise that came with it
 * is over, counted from before it asked. A fence that was good is also shown later on: then a guard must refuse it.
 */

import { DatabaseSync } from "node:sqlite";
import { setTimeout as pass } from "node:timers/promises";
import { expect } from "vitest";
import * as guards from "../../src/entries/guards.ts";
import { type Counter, LEDGER, openCounter } from "../live/lease-counter.ts";
import type { AgentProcess } from "./agent-process.ts";

/** Milliseconds between two writes of a leader's program. */
const PACE = 15;

interface Fence {
  readonly fence: string;
  readonly token: string;
  readonly validForMs: number;
}

export class Besides {
  readonly wrote: { readonly number: number; readonly token: number; readonly writer: string }[] = [];
  /** Writes that a guard refused although the promise held. */
  readonly broken: string[] = [];
  refusedLate = 0;
  private readonly counter: Counter;
  private readonly file: string;
  private readonly bearer: string;
  private isOver = false;
  private readonly programs: Promise<void>[] = [];

  /** Milliseconds between two questions of a program whose agent does not lead. */
  private readonly leisure: number;

  constructor(file: string, keyFile: string, group: string, bearer: string, leisure: number) {
    this.leisure = leisure;
    this.file = file;
    this.bearer = bearer;
    new DatabaseSync(file).exec(LEDGER);
    const keys = guards.guardKeys(guards.loadKeyring(keyFile), group);
    this.counter = openCounter({ kind: "sqlite", file }, guards, keys);
  }

  /** Runs until the agent has ended. */
  beside(agent: AgentProcess): void {
    this.programs.push(this.run(agent));
  }

  /** The next write of anybody, under a token larger than that. */
  async next(agents: () => readonly AgentProcess[], after = 0, from = this.wrote.length) {
    return agents()[0].until(`counting under a token above ${after}`, () =>
      this.wrote.slice(from).find(({ token }) => token > after),
    );
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.programs);
  }

  /** What was counted goes up by one, under tokens that only grow, and nothing of it is ever lost. */
  judge(): void {
    const counted = new DatabaseSync(this.file).prepare("SELECT * FROM counted ORDER BY number").all() as unknown as {
      readonly number: number;
      readonly token: number;
      readonly writer: string;
    }[];
    expect(this.broken).toEqual([]);
    expect(counted.length).toBe(this.wrote.length);
    for (const [index, { number, token, writer }] of counted.entries()) {
      expect([number, writer]).toEqual([index + 1, this.wrote[index].writer]);
      expect(this.wrote[index]).toMatchObject({ number, token });
      if (index > 0) expect(token, "a write with an old token").toBeGreaterThanOrEqual(counted[index - 1].token);
    }
  }

  private async run(agent: AgentProcess): Promise<void> {
    let last: Fence | null = null;
    while (!this.isOver && !agent.hasEnded) {
      const before = performance.now();
      const answer = await agent.get("/v1/fence", { headers: { authorization: `Bearer ${this.bearer}` } });
      const fresh: Fence | null = answer?.status === 200 ? answer.body : null;
      if (fresh !== null) {
        last = fresh;
        await this.write(agent.name, fresh, before + fresh.validForMs);
      } else if (last !== null) await this.write(agent.name, last, -Infinity);
      await pass(fresh === null ? this.leisure : PACE);
    }
    // As a program does that was not told.
    if (last !== null) await this.write(agent.name, last, -Infinity);
  }

  private async write(writer: string, { fence, token }: Fence, until: number): Promise<void> {
    const isLate = performance.now() >= until;
    const newest = this.wrote.at(-1)?.token ?? 0;
    try {
      const number = await this.counter.add(fence, { token: Number(token), lease: fence, writer });
      this.wrote.push({ number, token: Number(token), writer });
      if (newest > Number(token)) this.broken.push(`${writer} wrote with ${token} after ${newest}`);
    } catch (error) {
      if (!(error instanceof guards.FenceRefused)) return;
      if (isLate) this.refusedLate++;
      else if (performance.now() < until)
        this.broken.push(`${writer} was refused with ${token}, which it held: ${error.message}`);
    }
  }
}
