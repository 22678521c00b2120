/**
 * Draws from a seed what goes wrong in a run. Two acts: faults of the kinds that the mix allows, all over at `healed`;
 * then nothing more, and the group must come to rest. Clocks that drift and messages that overtake each other stay.
 */
import type { FaultPlan } from "../../src/host/faults/faults.ts";
import { HostStream } from "../../src/random/streams.ts";
import { Dice, round } from "./dice.ts";
import { catchUp, drawEngineFault, MOST_DRIFT } from "./engine-plan.ts";
import { ALL_KINDS, isEngineKind, type Kind, type MemberKind, type Mix } from "./mixes.ts";
import type { Lease } from "./strict/settings.ts";

/** Who and how long; times are milliseconds. */
export interface PlanSize {
  readonly members: number;
  /** The last fault is over by then. */
  readonly healed: number;
  readonly offices: readonly string[];
  /** Of groups in strict mode. */
  readonly lease: Lease | null;
}

export interface Plan {
  readonly faults: FaultPlan;
  readonly kinds: readonly Kind[];
  readonly healed: number;
}

/** What the user of a member can say to it. */
const RESIGN = { kind: "resign", office: null };
const transfer = (node: number) => ({ kind: "transfer", office: "leader", to: `m${node}` });

/** A plan that is being drawn. */
export type Mutable = {
  -readonly [K in keyof FaultPlan]-?: NonNullable<FaultPlan[K]> extends readonly (infer T)[] ? T[] : number;
};

export function drawPlan(seed: number, mix: Mix, size: PlanSize): Plan {
  const draws = new HostStream(seed, 0, "plan");
  const kinds = drawKinds(mix, draws);
  const faults = empty();
  const drawing = new Drawing(draws, faults, size);
  for (const kind of kinds) {
    if (isEngineKind(kind)) drawEngineFault(kind, drawing, faults, size);
    else drawing.draw(kind);
  }
  if (size.lease?.serverClock === true) catchUp(faults, size.members);
  return { faults, kinds, healed: size.healed };
}

function drawKinds({ kinds, least, most }: Mix, draws: HostStream): Kind[] {
  const left = [...kinds];
  const count = Math.min(left.length, least + draws.choose(most - least + 1));
  const drawn = new Set(Array.from({ length: count }, () => left.splice(draws.choose(left.length), 1)[0]));
  return ALL_KINDS.filter((kind) => drawn.has(kind));
}

const empty = (): Mutable => ({
  loss: 0,
  multicastLoss: 0,
  crash: 0,
  losses: [],
  crashes: [],
  pauses: [],
  partitions: [],
  restarts: [],
  joins: [],
  leaves: [],
  commands: [],
  duplicate: 0,
  duplicates: [],
  reorder: 0,
  spikes: [],
  clocks: [],
  drift: 0,
});

class Drawing extends Dice {
  private readonly plan: Mutable;
  private readonly size: PlanSize;
  /** When those join who are not there at the start; nothing happens to them before. */
  private readonly joins = new Map<number, number>();
  private readonly gone = new Set<number>();

  constructor(draws: HostStream, plan: Mutable, size: PlanSize) {
    super(draws, size.healed);
    this.plan = plan;
    this.size = size;
  }

  private get members(): number {
    return this.size.members;
  }

  draw(kind: MemberKind): void {
    const { plan, draws } = this;
    switch (kind) {
      case "loss":
        this.some(1, 3, () => plan.losses.push({ ...this.rate(0.02, 0.4), ...this.place(), ...this.span(20_000) }));
        break;
      case "duplicate":
        this.some(1, 2, () => plan.duplicates.push({ ...this.rate(0.05, 0.5), ...this.place(), ...this.span(20_000) }));
        break;
      case "spike":
        this.some(1, 3, () => {
          const delay = draws.coin(0.5) ? this.between(5, 60) : this.between(100, 4000);
          const { link } = this.place();
          plan.spikes.push({ ...this.rate(0.01, 0.3), delay, link, ...this.span(15_000) });
        });
        break;
      case "crash":
        this.some(1, 4, () => this.crash(true));
        break;
      case "amnesia":
        this.some(1, 2, () => this.crash(false));
        break;
      case "strike":
        this.some(1, 4, () => this.strike());
        break;
      case "pause":
        this.some(1, 5, () => this.pause(undefined));
        break;
      case "freeze":
        this.some(1, 3, () => this.freeze());
        break;
      case "partition":
        this.some(1, 3, () => plan.partitions.push({ groups: this.groups(), ...this.cut() }));
        break;
      case "one-way":
        this.some(1, 3, () => plan.partitions.push({ groups: [this.side(this.members)], oneWay: true, ...this.cut() }));
        break;
      case "join":
        this.some(1, 2, () => this.join());
        break;
      case "leave":
        this.some(1, 2, () => this.leave());
        break;
      case "resign":
        // Whoever leads then: nobody else minds.
        this.some(1, 4, () => this.tellAll(this.moment(), RESIGN));
        break;
      case "transfer":
        this.some(1, 3, () => this.tellAll(this.moment(), transfer(draws.choose(this.members))));
        break;
      case "bounce":
        this.some(1, 3, () => this.bounce());
        break;
      case "succession":
        this.succeed();
        break;
      case "drift":
        plan.drift = this.size.lease === null ? this.between(0.005, 0.05) : this.between(0.0005, MOST_DRIFT);
        plan.reorder = this.between(0.05, 0.5);
    }
  }

  private crash(saved: boolean): void {
    const { plan } = this;
    const node = this.present();
    if (node === null) return;
    const at = this.moment(this.joins.get(node));
    plan.crashes.push({ node, at });
    if (this.stays(node)) plan.restarts.push({ node, at: this.after(at, 8000), saved });
  }

  /** Between saving and sending. */
  private strike(): void {
    const { plan, draws } = this;
    const sends = draws.choose(4);
    if (draws.coin(0.3)) {
      this.pause(sends);
      return;
    }
    const node = this.present();
    if (node === null) return;
    const at = this.moment(this.joins.get(node));
    plan.crashes.push({ node, at, sends });
    // Its next handler may be some time away.
    plan.restarts.push({ node, at: this.after(at + 500, 5000), saved: true });
    // It strikes after that where the process is paused; this one has to be there in the end.
    if (node === this.members - 1) plan.restarts.push({ node, at: this.healed, saved: true });
  }

  private pause(sends: number | undefined): void {
    const { plan, draws } = this;
    const node = this.present();
    if (node === null) return;
    const from = this.moment(this.joins.get(node));
    const length = draws.coin(0.5) ? this.between(50, 1500) : this.between(1500, 15_000);
    plan.pauses.push({
      node,
      from,
      to: Math.min(this.healed, from + length),
      ...(sends === undefined ? {} : { sends }),
    });
  }

  /** Several stand still at once, as the processes of one machine do. */
  private freeze(): void {
    const from = this.moment();
    const to = this.after(from, 4000);
    for (const node of this.side(this.members))
      if ((this.joins.get(node) ?? 0) <= from) this.plan.pauses.push({ node, from, to });
  }

  private join(): void {
    const node = this.draws.choose(this.members);
    if (this.joins.has(node) || this.members < this.joins.size + 2) return;
    const at = this.moment();
    this.joins.set(node, at);
    this.plan.joins.push({ node, at });
  }

  /** One whose address everybody knows does not: a pause can put that off until after its restart. */
  private leave(): void {
    const { plan, draws } = this;
    const node = this.present();
    if (node === null || node === this.members - 1) return;
    const at = this.moment(this.joins.get(node));
    plan.leaves.push({ node, at });
    if (draws.coin(0.5) || !this.mayGo(node)) {
      plan.restarts.push({ node, at: this.after(at, 6000), saved: draws.coin(0.8) });
    } else this.gone.add(node);
  }

  private tellAll(at: number, message: unknown): void {
    for (let node = 0; node < this.members; node++) this.plan.commands.push({ node, at, message });
  }

  /** The holder resigns, and while the next is elected, on a network that loses much, members start again at once. */
  private bounce(): void {
    const { plan } = this;
    const begun = this.moment();
    this.tellAll(begun, RESIGN);
    plan.losses.push({
      ...this.rate(0.2, 0.7),
      kind: "both",
      link: null,
      from: begun,
      to: round(begun + this.between(200, 900)),
    });
    this.some(3, 8, () => {
      const node = this.present();
      const at = round(begun + this.between(5, 600));
      if (node !== null && at > (this.joins.get(node) ?? 0))
        plan.restarts.push({ node, at: Math.min(at, this.healed), saved: true });
    });
  }

  /** At first only half of the members are there; the others join, and then the first ones go for good. */
  private succeed(): void {
    const { plan, members, draws } = this;
    const first = Math.floor(members / 2);
    if (first === 0) return;
    for (let node = first; node < members; node++) {
      const at = round(draws.uniform() * 0.4 * this.healed);
      this.joins.set(node, at);
      plan.joins.push({ node, at });
    }
    for (let node = 0; node < first; node++) {
      const at = round((0.5 + 0.4 * draws.uniform()) * this.healed);
      (draws.coin(0.5) ? plan.crashes : plan.leaves).push({ node, at });
      this.gone.add(node);
    }
  }

  /** Some that crash never come back. */
  private stays(node: number): boolean {
    if (this.draws.coin(0.85) || !this.mayGo(node)) return true;
    this.gone.add(node);
    return false;
  }

  /** More than half stay, so that a majority can be asked for, and one whose address everybody knows. */
  private mayGo(node: number): boolean {
    return node !== this.members - 1 && this.members > 2 * (this.gone.size + 1);
  }

  private present(): number | null {
    const node = this.draws.choose(this.members);
    return this.gone.has(node) ? null : node;
  }

  private groups(): number[][] {
    const side = this.side(this.members);
    if (side.length < 3 || this.draws.coin(0.8)) return [side];
    return [side.slice(0, 1), side.slice(1)];
  }

  /** Everywhere, or on one link. */
  private place(): { kind: "both"; link: [number, number] | null } {
    const { draws, members } = this;
    if (members < 2 || draws.coin(0.7)) return { kind: "both", link: null };
    const from = draws.choose(members);
    const to = (from + 1 + draws.choose(members - 1)) % members;
    return { kind: "both", link: [from, to] };
  }
}
