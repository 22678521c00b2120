/** One story from the flight records of several members: every step in one order, with sentences, as traces have them. */
import type { GroupReport } from "../elector/report.ts";
import { eventInWords, type GroupNews } from "../events/events.ts";
import type { Scene } from "../narrator.ts";
import type { Address } from "../protocol.ts";
import { eventText } from "../trace/describe.ts";
import { happens, type TraceEvent, TraceLog } from "../trace/events.ts";
import type { Sentence, Story } from "../trace/story.ts";
import { exchangeOf, type FlightClock, type FlightExchange, placeKey } from "./exchange.ts";
import type { LivedStep, Relived } from "./lives.ts";
import { isRoutine, shownMessage } from "./shown.ts";
import { LONGEST_WAIT } from "./steps.ts";

/** A story of flight records. Times are milliseconds since `from`. */
export interface FlightStory extends Story {
  /** When it begins, in milliseconds since 1970, by the clock of `clockOf`. */
  readonly from: number;
  /** The member whose clock on the wall tells the time. */
  readonly clockOf: string;
  /** By the place of the life. */
  readonly clocks: readonly FlightClock[];
  /** Numbers of sendings by which members only watch each other. */
  readonly routine: ReadonlySet<number>;
  /** Steps in the order of the story: the number of the event, whose it is, and the step. */
  readonly order: readonly PlacedStep[];
}

export interface PlacedStep {
  readonly event: number;
  readonly life: number;
  readonly lived: LivedStep;
  /** Milliseconds since `from`. */
  readonly at: number;
}

/** How the machine of a group addresses its lease store (src/live/group/peers.ts). */
const ENGINE = "engine";

/** Milliseconds for which others must have gone on after the end of a record, for that end to be a crash: the latest steps may not be written yet. */
const SILENCE = LONGEST_WAIT + 1000;

export function storyOf(lives: readonly Relived[]): FlightStory {
  const exchange = exchangeOf(lives);
  return new Telling(lives, exchange).tell();
}

/** Nodes by number: members whose records are there by name, then others that they speak of, then the lease store. */
class Cast {
  readonly names: string[] = [];
  private readonly byName = new Map<string, number>();
  private readonly byAddress = new Map<Address, number>();
  private readonly known = new Map<Address, string>();

  constructor(lives: readonly Relived[]) {
    for (const name of [...new Set(lives.map(({ head }) => head.member))].sort()) this.add(name);
    for (const { head } of lives) this.byAddress.set(head.address, this.add(head.member));
    for (const { names } of lives) for (const [address, name] of names) this.known.set(address, name);
  }

  ofMember(name: string): number {
    return this.byName.get(name)!;
  }

  at(address: Address): number {
    const known = this.byAddress.get(address);
    if (known !== undefined) return known;
    const node = this.add(address === ENGINE ? "the lease store" : (this.known.get(address) ?? address));
    this.byAddress.set(address, node);
    return node;
  }

  private add(name: string): number {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    this.byName.set(name, this.names.length);
    this.names.push(name);
    return this.names.length - 1;
  }
}

class Telling {
  private readonly lives: readonly Relived[];
  private readonly exchange: FlightExchange;
  private readonly cast: Cast;
  private readonly log = new TraceLog();
  private readonly told = new Map<number, Sentence>();
  private readonly order: PlacedStep[] = [];
  private readonly routine = new Set<number>();
  private readonly nameOfLife: ReadonlyMap<number, string>;
  /** Numbers of events by sending. */
  private readonly sendings = new Map<string, number>();
  /** Sendings of a life to itself that were not heard yet, by content. */
  private readonly toSelf: Map<string, number[]>[];
  private readonly versions: (number | null)[];
  /** When the latest step of each life was told: clocks that are a little wrong must not turn the order round. */
  private readonly latest: number[];
  private readonly begun = new Set<number>();
  private readonly from: number;
  private readonly ends: readonly number[];

  constructor(lives: readonly Relived[], exchange: FlightExchange) {
    this.lives = lives;
    this.exchange = exchange;
    this.cast = new Cast(lives);
    this.nameOfLife = new Map(lives.flatMap(({ nameOfLife }) => [...nameOfLife]));
    this.toSelf = lives.map(() => new Map());
    this.versions = lives.map(() => null);
    this.latest = lives.map(() => 0);
    const times = lives.flatMap(({ steps }, life) => (steps.length === 0 ? [] : [this.time(life, steps[0])]));
    this.from = Math.min(...times, ...(times.length === 0 ? [0] : []));
    this.ends = lives.map(({ steps }, life) => (steps.length === 0 ? -Infinity : this.time(life, steps.at(-1)!)));
  }

  tell(): FlightStory {
    const next = this.lives.map(() => 0);
    for (;;) {
      const life = this.earliest(next);
      if (life === null) break;
      this.step(life, next[life]++);
      if (next[life] === this.lives[life].steps.length) this.endOf(life);
    }
    this.lose();
    const reference = this.exchange.clocks.findIndex(({ within }) => within === 0);
    const { names } = this.cast;
    return {
      ...inOrder(this.log.events, this.told, this.order, this.routine),
      scene: sceneOf(names),
      from: this.from,
      clockOf: this.lives[Math.max(0, reference)].head.member,
      clocks: this.exchange.clocks,
    };
  }

  private time(life: number, { at }: LivedStep): number {
    return at + this.exchange.clocks[life].add;
  }

  /** Of the next steps of all lives: the earliest one that hears nothing which was not sent yet. */
  private earliest(next: readonly number[]): number | null {
    let best: number | null = null;
    let bestAt = Infinity;
    let any: number | null = null;
    let anyAt = Infinity;
    for (const [life, { steps }] of this.lives.entries()) {
      if (next[life] >= steps.length) continue;
      const at = this.time(life, steps[next[life]]);
      if (at < anyAt) {
        any = life;
        anyAt = at;
      }
      const sending = this.exchange.heard(life, next[life]);
      const waits = sending !== undefined && next[sending.life] <= sending.step;
      if (!waits && at < bestAt) {
        best = life;
        bestAt = at;
      }
    }
    return best ?? any;
  }

  private step(life: number, index: number): void {
    const { head, steps } = this.lives[life];
    const lived = steps[index];
    const node = this.cast.ofMember(head.member);
    const event = this.happening(life, index, node, Math.max(this.time(life, lived) - this.from, this.latest[life]));
    const { at } = this.log.events[event];
    this.latest[life] = at;
    this.order.push({ event, life, lived, at });
    for (const [i, { to, message, content }] of lived.sends.entries()) {
      const number = this.send(at, node, to === null ? node : this.cast.at(to), message, event);
      this.sendings.set(placeKey({ life, step: index, sending: i }), number);
      if (to === null) this.sentToSelf(life, content, number);
    }
    if (lived.verdict !== null) this.log.believes(at, node, { ...lived.verdict, leader: null });
    this.sentence(life, lived, node, event);
  }

  /** The event that called the handler. */
  private happening(life: number, index: number, node: number, at: number): number {
    const { step, from, content } = this.lives[life].steps[index];
    const { log } = this;
    switch (step.do) {
      case "start": {
        const isAgain = this.begun.has(node);
        this.begun.add(node);
        return log.handle(at, { do: isAgain ? "restart" : "start", node }, null);
      }
      case "timer":
        return log.handle(at, { do: "timer", node, timer: step.timer }, null);
      case "leave":
        return log.handle(at, { do: "leave", node }, null);
      case "receive": {
        const message = this.shown(step.message);
        if (from === null) {
          const own = this.toSelf[life].get(content)?.shift();
          if (own === undefined) return log.handle(at, { do: "command", node, message }, null);
          return log.handle(at, { do: "deliver", node, from: node, message }, own);
        }
        const place = this.exchange.heard(life, index);
        const known = place === undefined ? undefined : this.sendings.get(placeKey(place));
        if (known !== undefined) {
          const sender = log.events[known].node;
          return log.handle(Math.max(at, log.events[known].at), { do: "deliver", node, from: sender, message }, known);
        }
        // Nobody whose record is there has sent it: that it was sent is all that is known.
        const sender = this.cast.at(from);
        const sending = this.send(at, sender, node, step.message, null);
        return log.handle(at, { do: "deliver", node, from: sender, message }, sending);
      }
    }
  }

  private send(at: number, node: number, to: number, message: unknown, cause: number | null): number {
    const number = this.log.add(at, { do: "send", node, to, message: this.shown(message) }, cause);
    if (isRoutine(message)) this.routine.add(number);
    return number;
  }

  private shown(message: unknown): unknown {
    return shownMessage(message, (life) => this.nameOfLife.get(life));
  }

  private sentToSelf(life: number, content: string, number: number): void {
    const waiting = this.toSelf[life].get(content);
    if (waiting === undefined) this.toSelf[life].set(content, [number]);
    else waiting.push(number);
  }

  /** A record that ends while others go on, or before the same process begins anew, is that of a crash. */
  private endOf(life: number): void {
    const { head, steps, result } = this.lives[life];
    if (steps.at(-1)!.step.do === "leave") return;
    const end = this.ends[life];
    const goOn = this.ends.some((other) => other > end + SILENCE);
    const isFollowed = this.lives.some((other, i) => i > life && other.head.member === head.member);
    if (!goOn && !isFollowed && result.threw === null) return;
    this.log.handle(
      Math.max(end - this.from, this.latest[life]),
      { do: "crash", node: this.cast.ofMember(head.member) },
      null,
    );
  }

  /** What was sent to a member whose record is there, and never heard by it. */
  private lose(): void {
    for (const [life, { steps }] of this.lives.entries()) {
      for (const [step, lived] of steps.entries()) {
        for (const [sending, { to }] of lived.sends.entries()) {
          const place = { life, step, sending };
          const receivers = this.lives.flatMap(({ head }, i) => (head.address === to ? [i] : []));
          if (receivers.length === 0 || this.exchange.isHeard(place)) continue;
          const at = this.time(life, lived);
          const runs = receivers.some((i) => this.covers(i, at));
          const isDead = receivers.every((i) => this.ends[i] < at) && this.ends.some((end) => end > at + SILENCE);
          if (!runs && !isDead) continue;
          const number = this.sendings.get(placeKey(place))!;
          const why = runs ? "loss" : "crash";
          this.log.add(
            Math.max(at - this.from, this.log.events[number].at),
            { do: "lose", node: this.cast.at(to!), why },
            number,
          );
        }
      }
    }
  }

  /** Whether the record of a life goes on for so long after a moment that what was sent then must have arrived. */
  private covers(life: number, at: number): boolean {
    const [first] = this.lives[life].steps;
    return first !== undefined && this.time(life, first) <= at && this.ends[life] > at + SILENCE;
  }

  private sentence(life: number, lived: LivedStep, node: number, event: number): void {
    const { report, step } = lived;
    const failed = step.threw === null ? [] : [`fails: ${step.threw}`];
    const isNew = report !== null && report.version !== this.versions[life];
    const news = isNew && this.versions[life] !== null ? newsOf(report) : [];
    if (report !== null) this.versions[life] = report.version;
    const hasNews = news.length > 0 || failed.length > 0;
    const { cause } = this.log.events[event];
    if (!hasNews && (cause === null || this.routine.has(cause))) return;
    const told = [...(news.length === 0 ? [] : [`reports: ${news.join("; ")}`]), ...failed].join(", and ");
    const says = hasNews ? told : eventText(this.log.events[event], (other) => this.cast.names[other]);
    const part = partOf(report);
    this.told.set(event, {
      node,
      text: `${this.cast.names[node]} ${says}`,
      says,
      as: null,
      brief: hasNews ? [...news, ...failed].join("; ") : null,
      part,
      beaten: false,
      about: [],
      held: { knows: part !== "contends" },
      general: !hasNews,
    });
  }
}

const sceneOf = (names: readonly string[]): Scene => ({
  n: names.length,
  name: (node) => names[node] ?? `node ${node}`,
  id: () => null,
  behind: (node) => node,
});

function partOf(report: GroupReport | null): Sentence["part"] {
  if (report === null) return "contends";
  const offices = Object.values(report.offices);
  if (offices.some(({ mine }) => mine)) return "leads";
  return offices.some(({ leader }) => leader !== null) ? "informed" : "contends";
}

/** In the words of the table of events. That the number of members has changed, and who leads at the leader itself, is said twice. */
function newsOf({ news, self }: GroupReport): string[] {
  const isSaid = ({ event, leader }: GroupNews) => event !== "view" && !(event === "leader" && leader === self);
  return news
    .filter(isSaid)
    .map(({ token, ...event }) => eventInWords({ ...event, ...(token !== undefined && { token: String(token) }) }));
}

/** Lost messages were found last, and belong to their moment: events by time, causes before what they cause. */
function inOrder(
  events: readonly TraceEvent[],
  told: ReadonlyMap<number, Sentence>,
  order: readonly PlacedStep[],
  routine: ReadonlySet<number>,
): Pick<FlightStory, "events" | "told" | "order" | "routine"> {
  const numbers = events.map((_, number) => number).sort((a, b) => events[a].at - events[b].at || a - b);
  const placeOf = new Map(numbers.map((number, place) => [number, place]));
  return {
    events: numbers.map((number) => {
      const { cause } = events[number];
      return { ...events[number], cause: cause === null ? null : placeOf.get(cause)! };
    }),
    told: new Map([...told].map(([number, sentence]) => [placeOf.get(number)!, sentence])),
    routine: new Set([...routine].map((number) => placeOf.get(number)!)),
    order: order.map((placed) => ({ ...placed, event: placeOf.get(placed.event)! })),
  };
}

/** Whether an event tells something: a member reports, an election goes on, a lease is asked for, somebody starts or ends. */
export function isTelling({ events, told, routine }: FlightStory, number: number): boolean {
  const event = events[number];
  if (told.get(number)?.general === false) return true;
  switch (event.do) {
    case "deliver":
    case "lose":
      return event.cause !== null && !routine.has(event.cause);
    case "send":
    case "verdict":
    case "timer":
      return false;
    default:
      return happens(event);
  }
}

// A part of a story, whole in itself: a message that arrives has its sending, and a sending its step.

/** The steps that are wanted, with those that sent what arrives in them, and the sendings between. */
export function selectStory(story: Story, wanted: (event: TraceEvent, number: number) => boolean): Story {
  const { events, told, scene } = story;
  const kept = new Set<number>();
  for (const [number, event] of events.entries()) {
    if (event.do === "send" || event.do === "verdict" || !wanted(event, number)) continue;
    kept.add(number);
    const sending = event.cause;
    if (sending === null || events[sending].do !== "send") continue;
    kept.add(sending);
    const sender = events[sending].cause;
    if (sender !== null) kept.add(sender);
  }
  for (const [number, event] of events.entries()) {
    if (event.do === "verdict" && event.cause !== null && kept.has(event.cause)) kept.add(number);
  }
  const places = new Map([...kept].sort((a, b) => a - b).map((number, place) => [number, place]));
  const sentences: [number, Sentence][] = [];
  for (const [number, sentence] of told) {
    const place = places.get(number);
    if (place !== undefined) sentences.push([place, sentence]);
  }
  return {
    events: [...places.keys()].map((number) => {
      const { cause } = events[number];
      return { ...events[number], cause: cause === null ? null : (places.get(cause) ?? null) };
    }),
    told: new Map(sentences),
    scene,
  };
}
