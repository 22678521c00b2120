/**
 * Draws from a seed what goes wrong in a run. Two acts: faults of the kinds that the mix allows, all over at `healed`;
 * then nothing more, and the group must come to rest. Clocks that drift and messages that overtake each other stay.
 */
import { type FaultPlan, NO_FAULTS } from "../../src/host/faults.ts";
import { HostStream } from "../../src/random/streams.ts";
import { KINDS, type Kind, type Mix } from "./mixes.ts";

/** Who and how long; times are milliseconds. */
export interface PlanSize {
  readonly members: number;
  /** The last fault is over by then. */
  readonly healed: number;
}

export interface Plan {
  readonly faults: FaultPlan;
  readonly kinds: readonly Kind[];
  readonly healed: number;
}

/** What the user of a member can say to it. */
const RESIGN = { kind: "resign", office: null };
const handOver = (node: number) => ({ kind: "hand-over", office: "leader", to: `m${node}` });

type Mutable = {
  -readonly [K in keyof FaultPlan]-?: NonNullable<FaultPlan[K]> extends readonly (infer T)[] ? T[] : number;
};

export function drawPlan(seed: number, mix: Mix, { members, healed }: PlanSize): Plan {
  const draws = new HostStream(seed, 0, "plan");
  const kinds = drawKinds(mix, draws);
  const faults = empty();
  const drawing = new Drawing(draws, faults, members, healed);
  for (const kind of kinds) drawing.draw(kind);
  return { faults, kinds, healed };
}

function drawKinds({ kinds, least, most }: Mix, draws: HostStream): Kind[] {
  const left = [...kinds];
  const count = Math.min(left.length, least + draws.choose(most - least + 1));
  const drawn = new Set(Array.from({ length: count }, () => left.splice(draws.choose(left.length), 1)[0]));
  return KINDS.filter((kind) => drawn.has(kind));
}

const empty = (): Mutable => ({
  ...{ loss: 0, multicastLoss: 0, crash: 0, losses: [], crashes: [], pauses: [], partitions: [] },
  ...{ restarts: [], joins: [], leaves: [], commands: [], duplicate: 0, duplicates: [], reorder: 0 },
  ...{ spikes: [], clocks: [], drift: 0 },
});

class Drawing {
  private readonly draws: HostStream;
  private readonly plan: Mutable;
  private readonly members: number;
  private readonly healed: number;
  /** When those join who are not there at the start; nothing happens to them before. */
  private readonly joins = new Map<number, number>();
  private readonly gone = new Set<number>();

  constructor(draws: HostStream, plan: Mutable, members: number, healed: number) {
    this.draws = draws;
    this.plan = plan;
    this.members = members;
    this.healed = healed;
  }

  draw(kind: Kind): void {
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
        this.some(1, 3, () => plan.partitions.push({ groups: [this.side()], oneWay: true, ...this.cut() }));
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
      case "hand-over":
        this.some(1, 3, () => this.tellAll(this.moment(), handOver(draws.choose(this.members))));
        break;
      case "bounce":
        this.some(1, 3, () => this.bounce());
        break;
      case "succession":
        this.succeed();
        break;
      case "drift":
        plan.drift = this.between(0.005, 0.05);
        plan.reorder = this.between(0.05, 0.5);
    }
  }

  private crash(saved: boolean): void {
    const { plan } = this;
    const node = this.present();
    if (node === null) return;
    const at = this.moment(node);
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
    const at = this.moment(node);
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
    const from = this.moment(node);
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
    for (const node of this.side()) if ((this.joins.get(node) ?? 0) <= from) this.plan.pauses.push({ node, from, to });
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
    const at = this.moment(node);
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

  /** Members on one side: at least one, not all. */
  private side(): number[] {
    const { draws, members } = this;
    const size = 1 + draws.choose(Math.max(1, members - 1));
    const left = Array.from({ length: members }, (_, node) => node);
    return Array.from({ length: size }, () => left.splice(draws.choose(left.length), 1)[0]).sort((a, b) => a - b);
  }

  private groups(): number[][] {
    const side = this.side();
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

  private rate(least: number, most: number): { rate: number } {
    return { rate: this.between(least, most) };
  }

  private span(longest: number): { from: number; to: number } {
    const from = this.moment();
    return { from, to: this.after(from, longest) };
  }

  /** Of a partition: some are there when the group starts. */
  private cut(): { from: number; to: number } {
    const from = this.draws.coin(0.25) ? 0 : this.moment();
    return { from, to: this.after(from, (2 / 3) * this.healed) };
  }

  private after(at: number, longest: number): number {
    const wanted = at + this.between(50, longest);
    // No two at the same moment.
    return wanted < this.healed ? round(wanted) : round(this.healed - 400 * this.draws.uniform());
  }

  private moment(node = -1): number {
    const last = this.healed - 1000;
    return this.between(Math.min(last, this.joins.get(node) ?? 0), last);
  }

  private between(least: number, most: number): number {
    return round(least + (most - least) * this.draws.uniform());
  }

  private some(least: number, most: number, make: () => void): void {
    for (let left = least + this.draws.choose(most - least + 1); left > 0; left--) make();
  }
}

/** Times to a thousandth of a millisecond, so that a plan can be read. */
const round = (value: number): number => Math.round(value * 1000) / 1000;

export const NOTHING: Plan = { faults: NO_FAULTS, kinds: [], healed: 0 };
