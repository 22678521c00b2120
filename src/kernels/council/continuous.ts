/**
 * The lumped kernel of the lasting council: hosts without a seat are alike, whether they are there or away, and how long they
 * stay is without memory, so each step draws how many come and go, and each feedback how many answer. Only members and those
 * who have just offered themselves are followed one by one. The centre is the protocol's own.
 */
import type { Result } from "../../host/setup.ts";
import { councilContinuous } from "../../protocols/council/continuous.ts";
import { assess, type CentreState, centreOf, nextFeedback } from "../../protocols/council/continuous-centre.ts";
import type {
  ContinuousContext,
  ContinuousFeedback,
  ContinuousParams,
} from "../../protocols/council/continuous-parameters.ts";
import { stepsInHours } from "../../protocols/council/continuous-processes.ts";
import { binomial } from "../../random/binomial.ts";
import { exp } from "../../random/elementary.ts";
import { NodeStream } from "../../random/streams.ts";
import { CENTRE } from "../../topology/lattices.ts";
import type { Kernel, KernelSettings } from "../kernel.ts";
import { censusOf, hostsOf, refusesSchedules } from "./hosts.ts";

export const councilContinuousKernel: Kernel = {
  name: `${councilContinuous.name}, lumped`,
  protocol: councilContinuous,
  lumped: true,
  refuses: ({ faults }) => refusesSchedules(faults),
  run: (settings, trial) => new Watch(settings, trial).run(),
};

/** Hosts without a seat that heard their first feedback in the same step. */
interface Cohort {
  readonly born: number;
  present: number;
  away: number;
}

/** A member, or a host whose offer stands. */
interface Sitter {
  readonly cohort: Cohort;
  member: boolean;
  /** When its lease ends. */
  lease: number;
}

class Watch {
  private readonly settings: KernelSettings;
  private readonly params: ContinuousParams;
  private readonly source: NodeStream;
  private readonly hosts: number;
  private readonly centre: CentreState;
  /** Chances to leave and to come back within a step, and how long a host comes and goes. */
  private readonly leaves: number;
  private readonly returns: number;
  private readonly life: number;
  /** Hosts that no feedback has reached yet. */
  private unborn: number;
  private readonly cohorts: Cohort[] = [];
  private sitters: Sitter[] = [];
  /** On their way to the centre: replies of members, offers, notices of leaving. */
  private replies = 0;
  private offers = 0;
  private notices = 0;
  private messages = 0;
  private bits = 0;
  private lastDelivery = 0;
  private readonly measures: Record<string, number>;

  constructor(settings: KernelSettings, trial: number) {
    this.settings = settings;
    this.params = settings.params as unknown as ContinuousParams;
    this.source = new NodeStream(settings.seed, trial, CENTRE);
    this.hosts = hostsOf(settings, this.source);
    this.centre = centreOf(this.params, settings.n);
    const { stay, away, hours } = this.params;
    this.leaves = stay === 0 ? 0 : hazard(stepsInHours(stay, this.params));
    this.returns = hazard(stepsInHours(away, this.params));
    this.life = stepsInHours(hours, this.params);
    this.unborn = this.hosts;
    this.measures = Object.fromEntries(Object.keys(councilContinuous.measures).map((name) => [name, 0]));
  }

  run(): Result {
    const { centre } = this;
    const context = { measure: (name: string, value: number) => this.measure(name, value) } as ContinuousContext;
    let step = 0;
    while (centre.exchanges < centre.horizon) {
      const feedback = nextFeedback(centre);
      this.measure("multicasts", 1);
      this.bits += councilContinuous.bits({ kind: "feedback", ...feedback });
      this.collect(++step);
      this.hear(feedback, step);
      this.age(step);
      this.collect(++step);
      assess(centre, context);
      this.age(step);
    }
    // No feedback follows, but members can still leave, and leases end.
    while (this.notices > 0 || this.sitters.some((sitter) => this.isUnsettled(sitter, step))) {
      this.collect(++step);
      this.age(step);
    }
    return this.result();
  }

  /** What is on its way arrives at the centre, or not. */
  private collect(step: number): void {
    const { centre } = this;
    const [heard, offers, left] = [this.replies, this.offers, this.notices].map((sent) => this.arriving(sent));
    centre.heard += heard;
    centre.offers += offers;
    centre.left += left;
    centre.received += heard + offers + left;
    if (heard + offers + left > 0) this.lastDelivery = step;
    this.replies = 0;
    this.offers = 0;
    this.notices = 0;
  }

  /** A feedback reaches hosts, and they answer. */
  private hear(feedback: ContinuousFeedback, step: number): void {
    const before = this.sitters;
    this.sitters = [];
    const born = this.hears(this.unborn);
    this.unborn -= born;
    let heard = born;
    for (const cohort of this.cohorts) {
      const present = this.hears(cohort.present);
      heard += present + this.hears(cohort.away);
      this.draw(cohort, present, feedback, step);
    }
    if (born > 0) {
      const cohort = { born: step, present: born, away: 0 };
      this.cohorts.push(cohort);
      this.draw(cohort, born, feedback, step);
    }
    // Those who give up a seat or an offer are among the others again from now on.
    for (const sitter of before) {
      if (this.hears(1) === 1) {
        heard++;
        this.answer(sitter, feedback, step);
      } else if (sitter.member) this.sitters.push(sitter);
      else sitter.cohort.present++;
    }
    if (heard > 0) this.lastDelivery = step;
  }

  /** Hosts without a seat that hear a feedback: some offer themselves, or get a seat. */
  private draw(cohort: Cohort, listening: number, { mode, chance, last }: ContinuousFeedback, step: number): void {
    if (mode !== "invite" && mode !== "reset") return;
    const drawn = binomial(this.source, listening, chance);
    cohort.present -= drawn;
    for (let i = 0; i < drawn; i++) {
      const sitter = { cohort, member: false, lease: Infinity };
      if (mode === "reset") {
        this.seat(sitter, true);
        this.stay(sitter, step, last);
      } else this.offer(sitter);
    }
  }

  private answer(sitter: Sitter, { mode, chance, seat, last }: ContinuousFeedback, step: number): void {
    if (!sitter.member) this.seat(sitter, seat);
    if (mode === "reset" || (mode === "shrink" && sitter.member)) this.seat(sitter, this.source.coin(chance));
    if (sitter.member) this.stay(sitter, step, last);
    else if (mode === "invite" && this.source.coin(chance)) this.offer(sitter);
    else sitter.cohort.present++;
  }

  private seat(sitter: Sitter, member: boolean): void {
    if (member && !sitter.member) this.measure("seats", 1);
    sitter.member = member;
  }

  private stay(sitter: Sitter, step: number, last: boolean): void {
    sitter.lease = last ? Infinity : step + 2 * this.params.lease + 1;
    this.sitters.push(sitter);
    this.replies += this.sent();
  }

  private offer(sitter: Sitter): void {
    this.sitters.push(sitter);
    this.offers += this.sent();
  }

  /** Hosts come and go; a member's lease may end. */
  private age(step: number): void {
    for (const cohort of this.cohorts) {
      if (!this.moves(cohort, step)) continue;
      const gone = binomial(this.source, cohort.present, this.leaves);
      const back = binomial(this.source, cohort.away, this.returns);
      cohort.present += back - gone;
      cohort.away += gone - back;
    }
    this.sitters = this.sitters.filter((sitter) => {
      const { cohort, member, lease } = sitter;
      if (this.moves(cohort, step) && this.source.coin(this.leaves)) {
        if (member && !this.source.coin(this.params.crashes)) this.notices += this.sent();
        cohort.away++;
        return false;
      }
      if (!member || lease > step) return true;
      cohort.present++;
      return false;
    });
  }

  /** The span of a host's life begins with the step in which it was born, and takes at least one. */
  private moves({ born }: Cohort, step: number): boolean {
    return this.leaves > 0 && step > born && step - born <= this.life;
  }

  /** Whether a member can still lose its seat after a step. */
  private isUnsettled({ member, cohort, lease }: Sitter, step: number): boolean {
    return member && (lease < Infinity || this.moves(cohort, step + 1));
  }

  private hears(hosts: number): number {
    return binomial(this.source, hosts, 1 - this.settings.faults.multicastLoss);
  }

  private arriving(sent: number): number {
    return binomial(this.source, sent, 1 - this.settings.faults.loss);
  }

  /** A message to the centre. */
  private sent(): 1 {
    this.messages++;
    this.bits += councilContinuous.bits({ kind: "leave" });
    return 1;
  }

  private measure(name: string, value: number): void {
    this.measures[name] += value;
  }

  private result(): Result {
    const alive = this.hosts + 1;
    const elected = this.sitters.filter(({ member }) => member).length;
    return {
      messages: this.messages,
      bits: this.bits,
      time: this.lastDelivery,
      census: censusOf(alive, elected),
      measures: this.measures,
      series: {},
    };
  }
}

/** The chance that an exponential span of this many steps on average, rounded up, ends with any given one. */
const hazard = (mean: number): number => 1 - exp(-1 / mean);
