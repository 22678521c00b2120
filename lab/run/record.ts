/** All that has happened in a run, as far as the worker has told it, and where in it the playhead is. */
import type { Held } from "../../src/narrator.ts";
import type { Facts, Told } from "./types.ts";

/** A message, from its sending to its end. */
export interface Flight {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly token: string;
  readonly value: number | null;
  readonly colour: Colour;
  /** The number of the event that sent it, from 1. */
  readonly sentBy: number;
  readonly sentAt: number;
  /** The event in which it ended; Infinity while nobody knows. */
  endedBy: number;
  endedAt: number;
  fate: "arrives" | "lost" | "flies";
  readonly number: number | null;
  /** The flight that it goes on from, where a node only passed something on; -1 otherwise. */
  readonly goesOnFrom: number;
  /** Over how many links it has come, with this one. */
  readonly hops: number;
  readonly multicast: boolean;
  readonly isReply: boolean;
}

/** Colour means a role, never decoration. */
type Colour = "stands" | "answers" | "leads" | "out" | "trouble";

export type PartName = NonNullable<Told["part"]>;

const COLOURS: Readonly<Record<PartName, Colour>> = {
  contends: "stands",
  idle: "out",
  out: "out",
  informed: "leads",
  mediator: "answers",
  referee: "answers",
  relay: "answers",
  centre: "answers",
  member: "answers",
  leads: "leads",
  crashed: "trouble",
};

const colourOf = (part: PartName): Colour => COLOURS[part];

/** Grows while the run goes on; nothing that is there ever changes, but for the ends of flights. */
export class RunRecord {
  readonly facts: Facts;
  readonly events: Told[] = [];
  readonly flights: Flight[] = [];
  /** By event: the flights that it sent, and the one that ended. */
  readonly sent: (readonly number[])[] = [];
  readonly ended: (number | null)[] = [];
  /** By event: the same node's event before; -1 for its first. */
  readonly before: number[] = [];
  /** Whether processes hold something else than their own ids, which discs then show. */
  holdsValues = false;
  /** Whether sentences call processes C1 and M1. */
  hasLetters = false;
  private readonly lastOf = new Map<number, number>();
  private readonly byNumber = new Map<number, number>();

  constructor(facts: Facts) {
    this.facts = facts;
  }

  get length(): number {
    return this.events.length;
  }

  /** When the last event was. */
  get end(): number {
    return this.events.at(-1)?.time ?? 0;
  }

  add(told: readonly Told[]): void {
    for (const event of told) this.addOne(event);
  }

  private addOne(event: Told): void {
    const number = this.events.push(event);
    const { node } = event;
    this.holdsValues ||= event.held?.value !== undefined;
    this.hasLetters ||= /^[CM]\d/.test(event.text);
    this.before.push(node === null ? -1 : (this.lastOf.get(node) ?? -1));
    if (node !== null) this.lastOf.set(node, number - 1);
    const ending = event.ends === null ? undefined : this.byNumber.get(event.ends);
    this.ended.push(ending ?? null);
    if (ending !== undefined) {
      const flight = this.flights[ending];
      flight.endedBy = number;
      flight.endedAt = event.time;
      flight.fate = event.fate ?? "arrives";
    }
    // Who only passes something on does not change what it is about.
    const passing = ending === undefined ? "stands" : this.flights[ending].colour;
    const own = event.part === null ? "out" : colourOf(event.part);
    const colour = own === "out" || own === "trouble" ? passing : own;
    this.sent.push(
      event.sends.map((sending) => {
        const { flight, to, text, token, value, lost, multicast, isReply } = sending;
        const goesOn =
          ending !== undefined &&
          value !== null &&
          this.flights[ending].value === value &&
          // What has come around is home; what goes on from there is new.
          this.flights[ending].hops < this.facts.size &&
          kindIn(this.flights[ending].text) === kindIn(text);
        const index = this.flights.push({
          from: node ?? to,
          to,
          text,
          token,
          value,
          colour,
          sentBy: number,
          sentAt: event.time,
          number: flight,
          goesOnFrom: goesOn ? ending : -1,
          hops: goesOn ? this.flights[ending].hops + 1 : 1,
          multicast,
          isReply,
          endedBy: lost ? number : Infinity,
          endedAt: lost ? event.time : Infinity,
          fate: lost ? "lost" : "flies",
        });
        if (flight !== null) this.byNumber.set(flight, index - 1);
        return index - 1;
      }),
    );
  }
}

/** A message's text begins with its kind. */
const kindIn = (text: string): string => text.split(" ", 1)[0];

/** What one node is at a moment. */
export interface Standing {
  /** Null: nothing has reached it yet. */
  readonly part: PartName | null;
  /** What it just did for others, beside its own part: a contender may mediate, too. */
  readonly serves: PartName | null;
  readonly paused: boolean;
  readonly status: "undecided" | "elected" | "not-elected";
  /** The id that it follows, where it knows one. */
  readonly leader: number | null;
  /** What the algorithm holds there. */
  readonly held: Held | null;
}

const SERVES: readonly (PartName | null)[] = ["mediator", "referee", "relay"];

const UNTOUCHED: Standing = {
  part: null,
  serves: null,
  paused: false,
  status: "undecided",
  leader: null,
  held: null,
};

/** All nodes and messages after this many events: goes on and back, and is the same from either side. */
export class Moment {
  readonly record: RunRecord;
  /** How many events have happened. */
  event = 0;
  readonly nodes: Standing[];
  /** Messages on their way, as places in the record's flights, in the order of sending. */
  readonly flying = new Set<number>();
  /** By event: what its node was before. */
  private readonly undo: Standing[] = [];

  constructor(record: RunRecord) {
    this.record = record;
    const { size, crashed } = record.facts;
    this.nodes = new Array(size).fill(UNTOUCHED);
    for (const node of crashed) this.nodes[node] = { ...UNTOUCHED, part: "crashed" };
  }

  get last(): Told | null {
    return this.record.events[this.event - 1] ?? null;
  }

  get messages(): number {
    return this.last?.messages ?? 0;
  }

  get time(): number {
    return this.last?.time ?? 0;
  }

  /** Those that lead, or sit in the council; hosts that have only replied do not, although each takes itself for a member. */
  get elected(): number[] {
    const { network } = this.record.facts;
    if (network === "star" && this.nodes[0].held?.stands === false) return [];
    return this.nodes.flatMap(({ status, part }, node) => (status === "elected" && part !== "crashed" ? [node] : []));
  }

  /** Those that cannot reach the rest at present; null where the network is whole. */
  get cut(): readonly number[] | null {
    for (let i = this.event - 1; i >= 0; i--) {
      const { cut } = this.record.events[i];
      if (cut !== undefined) return cut;
    }
    return null;
  }

  seek(event: number): this {
    const to = Math.max(0, Math.min(event, this.record.length));
    while (this.event < to) this.forward();
    if (this.event === to) return this;
    while (this.event > to) this.back();
    // In the order of sending again: what lies over what in the picture depends on it.
    const flying = [...this.flying].sort((a, b) => a - b);
    this.flying.clear();
    for (const flight of flying) this.flying.add(flight);
    return this;
  }

  private forward(): void {
    const { record, event: index } = this;
    const { node, part, pause, verdict, held } = record.events[index];
    if (node !== null) {
      const before = this.nodes[node];
      this.undo[index] = before;
      const both = SERVES.includes(part) && before.part !== null && !SERVES.includes(before.part);
      this.nodes[node] = {
        part: both ? before.part : (part ?? before.part),
        serves: both ? part : null,
        paused: pause ?? (part === "crashed" ? false : before.paused),
        status: verdict.status,
        leader: verdict.leader,
        held: held === undefined ? before.held : held,
      };
    }
    const ended = record.ended[index];
    if (ended !== null) this.flying.delete(ended);
    for (const flight of record.sent[index]) if (record.flights[flight].endedBy > index + 1) this.flying.add(flight);
    this.event++;
  }

  private back(): void {
    const { record } = this;
    const index = --this.event;
    for (const flight of record.sent[index]) this.flying.delete(flight);
    const ended = record.ended[index];
    if (ended !== null) this.flying.add(ended);
    const { node } = record.events[index];
    if (node !== null) this.nodes[node] = this.undo[index];
  }
}
