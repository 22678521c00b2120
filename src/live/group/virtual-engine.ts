/**
 * A lease store in virtual time, for members that run as they ship: the register (protocols/lease/register.ts) behind a connection that can
 * be slow, lose requests or answers, or be down. The store can be restarted, restored from an old copy, and its clock can be set.
 */
import type { LeaseAnswer, LeaseRequest } from "../../protocols/lease/messages.ts";
import { carryOut } from "../../protocols/lease/register.ts";
import { oneClock, type RegisterClock } from "../../protocols/lease/register-clock.ts";
import { copyOfRows, noRows, type PlainRows, rowsOf } from "../../protocols/lease/register-rows.ts";
import { isLeaseRequest } from "../../protocols/lease/shapes.ts";
import { HostStream } from "../../random/streams.ts";
import { BEGINNING, type VirtualMachine, type VirtualNetwork } from "../virtual-world.ts";
import type { Peer } from "./peers.ts";

/** What happens to requests and answers on their way. */
interface EngineConditions {
  /** Ranges of milliseconds before a request is carried out, and until its answer arrives. Drawn uniformly, so requests may overtake. */
  readonly before: readonly [number, number];
  readonly after: readonly [number, number];
  /** Probabilities that a request is lost, or its answer. */
  readonly requestLoss: number;
  readonly answerLoss: number;
  /** Milliseconds after which a client gives a request up and reports that; the request may still be carried out. */
  readonly patience: number;
}

const CALM: EngineConditions = {
  before: [0.2, 1],
  after: [0.2, 1],
  requestLoss: 0,
  answerLoss: 0,
  patience: Infinity,
};

export class VirtualEngine {
  conditions: EngineConditions;
  /** Told of each request that was carried out. */
  onAnswer: ((request: LeaseRequest, answer: LeaseAnswer) => void) | null = null;
  private readonly network: VirtualNetwork;
  private readonly chance: HostStream;
  private readonly cuts = new Set<string>();
  private rows: PlainRows = noRows();
  private copy: PlainRows | null = null;
  private ahead = 0;
  private incarnation = 1;
  /** Why the store is down; null while it is up. */
  private fault: string | null = null;

  constructor(network: VirtualNetwork, seed: number, conditions: Partial<EngineConditions> = {}) {
    this.network = network;
    this.chance = new HostStream(seed, 0, "delays");
    this.conditions = { ...CALM, ...conditions };
  }

  /** The peer of one life of a member. */
  peer(name: string, machine: VirtualMachine): Peer {
    return {
      ask: (request, answer) => {
        if (isLeaseRequest(request)) this.ask(name, machine, request, answer);
      },
    };
  }

  /** From now on every request fails with these words. Requests under way are not carried out. */
  stop(why = "connection refused"): void {
    this.fault = why;
  }

  /** The store works again; if it was down, as another incarnation. */
  start(): void {
    if (this.fault !== null) this.incarnation++;
    this.fault = null;
  }

  /** From now on this member's requests are lost, without an error. */
  cut(name: string): void {
    this.cuts.add(name);
  }

  heal(): void {
    this.cuts.clear();
    this.conditions = CALM;
  }

  /** Sets its clock forward, or back. */
  step(ms: number): void {
    this.ahead += ms;
  }

  snapshot(): void {
    this.copy = copyOfRows(this.rows);
  }

  /** Restores the copy. `noticed`: as another incarnation; otherwise only the members' knowledge shows it. */
  restore({ noticed }: { readonly noticed: boolean }): void {
    if (this.copy === null) return;
    this.rows = copyOfRows(this.copy);
    if (noticed) this.incarnation++;
  }

  /** Its rows and its clock, for tests that compare them with the members' views. */
  get inside(): { readonly rows: PlainRows; readonly clock: RegisterClock } {
    return { rows: this.rows, clock: this.clock };
  }

  private get clock(): RegisterClock {
    const now = this.network.now + this.ahead;
    return oneClock(now, Math.floor(BEGINNING + now), String(this.incarnation));
  }

  private ask(name: string, machine: VirtualMachine, request: LeaseRequest, answer: (message: unknown) => void): void {
    const { network, conditions, chance } = this;
    const { before, after, requestLoss, answerLoss, patience } = conditions;
    const { id, life: to } = request;
    let isHeard = false;
    const hear = (said: LeaseAnswer) =>
      machine.hear(() => {
        if (!isHeard) answer(said);
        isHeard = true;
      });
    if (patience < Infinity) {
      const why = `the lease store has not answered within ${patience} ms`;
      network.at(machine.time + patience, () => hear({ kind: "failed", id, to, why }));
    }
    if (this.cuts.has(name) || chance.coin(requestLoss)) return;
    network.at(machine.time + this.between(before), () => {
      const said = this.carryOut(request);
      if (!chance.coin(answerLoss)) network.at(network.now + this.between(after), () => hear(said));
    });
  }

  private carryOut(request: LeaseRequest): LeaseAnswer {
    if (this.fault !== null) return { kind: "failed", id: request.id, to: request.life, why: this.fault };
    const answer = carryOut(rowsOf(this.rows), request, this.clock);
    this.onAnswer?.(request, answer);
    return answer;
  }

  private between([least, most]: readonly [number, number]): number {
    return least + (most - least) * this.chance.uniform();
  }
}
