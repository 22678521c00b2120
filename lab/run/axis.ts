/** The time axis of a picture: from a run's time to a place, and back. Idle stretches are shortened; long runs have a logarithmic axis. */
import type { RunRecord } from "./record.ts";

/** More instants than this crowd on a linear axis, where most of the run happens at its beginning. */
const MOST_INSTANTS = 200;

export class Axis {
  /** Ascending, each once. */
  readonly instants: number[];
  /** The number of the last event of each instant. */
  readonly lastEvents: number[];
  readonly isLogarithmic: boolean;
  private readonly places: number[];

  constructor(record: RunRecord) {
    const { events } = record;
    this.instants = [0];
    this.lastEvents = [0];
    for (const [index, { time }] of events.entries()) {
      const last = this.instants.length - 1;
      if (time > this.instants[last]) {
        this.instants.push(time);
        this.lastEvents.push(index + 1);
      } else this.lastEvents[last] = index + 1;
    }
    const { instants } = this;
    this.isLogarithmic = instants.length > MOST_INSTANTS;
    // Nothing happens in a gap of more than twice the longest flight, so the gap is shortened.
    const longest = record.flights.reduce(
      (most, { sentAt, endedAt }) => (endedAt < Infinity ? Math.max(most, endedAt - sentAt) : most),
      1,
    );
    const places = [0];
    for (let i = 1; i < instants.length; i++) {
      places.push(places[i - 1] + Math.min(instants[i] - instants[i - 1], 2 * longest));
    }
    this.places = this.isLogarithmic ? places.map((place) => Math.log1p(place)) : places;
  }

  /** The length of the axis, in the units of `place`. */
  get span(): number {
    return Math.max(1, this.places.at(-1)!);
  }

  /** Where a time is on the axis. */
  place(time: number): number {
    const { instants, places } = this;
    const i = lastAtMost(instants, time);
    if (i >= instants.length - 1) return places[i] + (this.isLogarithmic ? 0 : Math.max(0, time - instants[i]));
    const share = (time - instants[i]) / (instants[i + 1] - instants[i]);
    return places[i] + share * (places[i + 1] - places[i]);
  }

  /** Which time is at a place. */
  time(place: number): number {
    const { instants, places } = this;
    const i = lastAtMost(places, place);
    if (i >= instants.length - 1) return instants[instants.length - 1];
    const share = (place - places[i]) / (places[i + 1] - places[i]);
    return instants[i] + share * (instants[i + 1] - instants[i]);
  }

  /** How many events have happened when this time has passed. */
  eventsAt(time: number): number {
    return time < 0 ? 0 : this.lastEvents[lastAtMost(this.instants, time)];
  }

  /** A few round times, for labels. */
  ticks(most: number): number[] {
    const { instants } = this;
    const end = instants.at(-1)!;
    if (this.isLogarithmic) {
      const ticks = [0];
      for (let step = 1; step < end; step *= 10)
        for (const part of [1, 3]) if (part * step < end * 0.8) ticks.push(part * step);
      return thinned([...ticks, end], most);
    }
    const rough = this.span / Math.max(1, most - 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 4, 5, 10].map((factor) => factor * power).find((one) => one >= rough)!;
    const whole = instants.every(Number.isInteger) ? Math.max(1, step) : step;
    const ticks: number[] = [];
    for (let place = 0; place <= this.span + 1e-9; place += whole) {
      const time = this.time(place);
      const nice = Number((Math.round(time / power) * power).toPrecision(12));
      if (ticks.length === 0 || nice > ticks[ticks.length - 1]) ticks.push(nice);
    }
    return ticks;
  }
}

/** The axis of a run that is shown beside a longer one: the instants are its own, the places are the other's. */
export class SharedAxis extends Axis {
  private readonly longer: Axis;

  constructor(record: RunRecord, longer: Axis) {
    super(record);
    this.longer = longer;
  }

  override get span(): number {
    return this.longer.span;
  }

  override place(time: number): number {
    return this.longer.place(time);
  }

  override time(place: number): number {
    return this.longer.time(place);
  }

  override ticks(most: number): number[] {
    return this.longer.ticks(most);
  }
}

const thinned = (ticks: readonly number[], most: number): number[] => {
  const every = Math.ceil(ticks.length / most);
  return ticks.filter((_, i) => i % every === 0 || i === ticks.length - 1);
};

/** The last place in an ascending list that is not above a value; 0 where all are. */
function lastAtMost(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ascending[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
