/** What goes wrong with the engine that grants leases, and between it and members; as plan.ts for all else. */
import type { GroupCommand } from "../../src/elector/talk/messages.ts";
import type { Dice } from "./dice.ts";
import type { EngineKind } from "./mixes.ts";
import type { Mutable, PlanSize } from "./plan.ts";
import type { EngineFault } from "./strict/engine.ts";
import { engineOf, type Lease } from "./strict/settings.ts";

/** Of each clock: two that drift apart do so by less than a hundredth, which leases allow for. */
export const MOST_DRIFT = 0.0045;

export function drawEngineFault(kind: EngineKind, dice: Dice, plan: Mutable, size: PlanSize): void {
  new EngineDrawing(dice, plan, size).draw(kind);
}

/** A server's clock goes on while its process stands still or does not run: the steps by which the simulated one catches up. */
export function catchUp(plan: Mutable, members: number): void {
  const node = engineOf(members);
  const ends = plan.crashes
    .filter((crash) => crash.node === node)
    .map(({ at }) => ({
      from: at,
      to: Math.min(...plan.restarts.flatMap((one) => (one.node === node && one.at > at ? [one.at] : []))),
    }));
  const still = plan.pauses.filter((pause) => pause.node === node);
  const spans: { from: number; to: number }[] = [];
  for (const { from, to } of [...ends, ...still].sort((a, b) => a.from - b.from)) {
    const last = spans.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else spans.push({ from, to });
  }
  for (const { from, to } of spans) {
    plan.commands.push({
      node,
      at: to,
      message: { kind: "step", by: Math.floor(to - from), missed: true } satisfies EngineFault,
    });
  }
}

type Link = readonly [number, number];

class EngineDrawing {
  private readonly dice: Dice;
  private readonly plan: Mutable;
  private readonly members: number;
  private readonly offices: readonly string[];
  private readonly node: number;
  private readonly lease: Lease;

  constructor(dice: Dice, plan: Mutable, { members, offices, lease }: PlanSize) {
    this.dice = dice;
    this.plan = plan;
    this.members = members;
    this.offices = offices;
    this.node = engineOf(members);
    this.lease = lease!;
  }

  draw(kind: EngineKind): void {
    const { dice, plan, node, lease } = this;
    const { ttl } = lease;
    switch (kind) {
      case "engine-crash":
        dice.some(1, 3, () => {
          const at = dice.moment();
          plan.crashes.push({ node, at });
          plan.restarts.push({ node, at: dice.after(at, 2 * ttl), saved: true });
        });
        break;
      case "engine-pause":
        dice.some(1, 4, () => plan.pauses.push({ node, ...dice.span(2 * ttl) }));
        break;
      case "engine-cut":
        dice.some(1, 3, () => this.lose(1, this.links("both"), dice.span(6 * ttl)));
        break;
      case "engine-one-way":
        dice.some(1, 3, () => this.lose(1, this.links(this.direction()), dice.span(6 * ttl)));
        break;
      case "engine-lossy":
        dice.some(1, 2, () => this.lose(dice.between(0.1, 0.7), this.links("both"), dice.span(20_000)));
        break;
      case "engine-twice":
        dice.some(1, 2, () => this.repeat(dice.between(0.2, 1), this.links("both"), dice.span(20_000)));
        break;
      case "engine-slow":
        dice.some(1, 2, () => {
          if (dice.draws.coin(0.5)) this.slow();
          else this.delay(dice.between(0.2, 1), dice.between(5, ttl / 4), this.links("both"), dice.span(20_000));
        });
        break;
      case "engine-late":
        dice.some(1, 4, () => {
          const delay = dice.between(ttl / 4, 2.5 * ttl);
          this.delay(dice.between(0.1, 1), delay, this.links(this.direction()), dice.span(3 * ttl));
        });
        break;
      case "engine-fail":
        dice.some(1, 3, () => {
          const { from, to } = dice.span(3 * ttl);
          this.tell(from, { kind: "fail", why: "the disk is full" });
          this.tell(to, { kind: "fail", why: null });
        });
        break;
      case "engine-restore":
        dice.some(1, 2, () => this.restore(true));
        break;
      case "engine-rewind":
        dice.some(1, 2, () => this.restore(false));
        break;
      case "engine-back":
        dice.some(1, 3, () => this.step(-dice.between(10, 10 * ttl)));
        break;
      case "engine-forward":
        dice.some(1, 3, () => this.step(dice.between(10, 3 * ttl)));
        break;
      case "preempt":
        dice.some(1, 4, () => this.tellMembers({ kind: "preempt", office: this.office() }));
        break;
      case "reshuffle":
        dice.some(5, 25, () => this.tellMembers({ kind: "resign", office: this.office() }));
    }
  }

  /** A copy is made, and some time later the engine is put back to it. */
  private restore(noticed: boolean): void {
    const at = this.dice.moment();
    this.tell(at, { kind: "snapshot" });
    this.tell(this.dice.after(at, 8 * this.lease.ttl), { kind: "restore", noticed });
  }

  private step(by: number): void {
    this.tell(this.dice.moment(), { kind: "step", by: Math.trunc(by) });
  }

  /** Requests wait in the engine, as for a lock, and so do answers. */
  private slow(): void {
    const { dice, lease } = this;
    const { from, to } = dice.span(4 * lease.ttl);
    const wait = () => (dice.draws.coin(0.5) ? 0 : dice.between(1, lease.ttl));
    this.tell(from, { kind: "slow", before: wait(), after: wait() });
    this.tell(to, { kind: "slow", before: 0, after: 0 });
  }

  private tell(at: number, message: EngineFault): void {
    this.plan.commands.push({ node: this.node, at, message });
  }

  /** Whoever waits for a seat, or holds it, minds; nobody else does. */
  private tellMembers(message: GroupCommand): void {
    const at = this.dice.moment();
    for (let node = 0; node < this.members; node++) this.plan.commands.push({ node, at, message });
  }

  private office(): string {
    return this.offices[this.dice.draws.choose(this.offices.length)];
  }

  /** To the engine, or from it. */
  private direction(): "to" | "from" {
    return this.dice.draws.coin(0.5) ? "to" : "from";
  }

  /** Between the engine and some members, or all. */
  private links(direction: "to" | "from" | "both"): Link[] {
    const { members, dice, node } = this;
    const concerned = dice.draws.coin(0.4) ? Array.from({ length: members }, (_, i) => i) : dice.side(members);
    return concerned.flatMap((member): Link[] => [
      ...(direction === "from" ? [] : [[member, node] as const]),
      ...(direction === "to" ? [] : [[node, member] as const]),
    ]);
  }

  private lose(rate: number, links: readonly Link[], span: { from: number; to: number }): void {
    for (const link of links) this.plan.losses.push({ rate, kind: "both", link, ...span });
  }

  private repeat(rate: number, links: readonly Link[], span: { from: number; to: number }): void {
    for (const link of links) this.plan.duplicates.push({ rate, kind: "both", link, ...span });
  }

  private delay(rate: number, delay: number, links: readonly Link[], span: { from: number; to: number }): void {
    for (const link of links) this.plan.spikes.push({ rate, delay, link, ...span });
  }
}
