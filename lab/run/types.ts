/** What the page and its worker say to each other. All of it is plain data. */
import type { FlightFile } from "../../src/flight/lives.ts";
import type { Happening } from "../../src/host/stepping/step-recorder.ts";
import type { Injected } from "../../src/host/stepping/stepping.ts";
import type { Held, Part } from "../../src/narrator.ts";
import type { Verdict } from "../../src/protocol.ts";
import type { Trial } from "../../src/simulation/trial.ts";

/** The fields of a run as text, by the names of the command line; `param.` goes before a parameter's. */
export type Fields = Readonly<Record<string, string>>;

/** A message that an event put on its way. */
export interface Sending {
  /** Its number; null where it was lost at once. */
  readonly flight: number | null;
  readonly to: number;
  /** Its kind and content, for people. */
  readonly text: string;
  /** What fits into a token: the id it carries, where it carries one. */
  readonly token: string;
  /** The id or rank that it carries as a number, for sizes; null where it carries none. */
  readonly value: number | null;
  readonly lost: boolean;
  /** One copy of a multicast. */
  readonly multicast: boolean;
  /** It answers a question: replies are drawn hollow. */
  readonly isReply: boolean;
}

/** One event, told. */
export interface Told {
  readonly time: number;
  readonly do: Happening["do"];
  /** Null: it happened to the network as a whole. */
  readonly node: number | null;
  /** The whole sentence. */
  readonly text: string;
  readonly part: Part | "crashed" | null;
  /** True: from then on the node is paused, until it goes on. */
  readonly pause: boolean | null;
  readonly verdict: Pick<Verdict, "status" | "leader">;
  /** What the node holds afterwards; undefined where no handler ran. */
  readonly held: Held | null | undefined;
  /** All that were sent, up to and with this event, as `simulate` counts them. */
  readonly messages: number;
  /** Multicasts up to and with this event: those that `messages` counts, each once, and those that it leaves out. */
  readonly multicasts: { readonly counted: number; readonly uncounted: number };
  /** From now on these cannot reach the rest; null: the network is whole again; undefined: nothing of that kind happened. */
  readonly cut: readonly number[] | null | undefined;
  /** The flight that ended here, and how. */
  readonly ends: number | null;
  readonly fate: "arrives" | "lost" | null;
  readonly from: number | null;
  readonly sends: readonly Sending[];
}

/** A number that theory gives, beside the counter. */
export interface Mark {
  readonly label: string;
  readonly value: number;
  /** mean: to be expected; bound: at most, or at least. */
  readonly kind: "mean" | "bound";
}

/** What is known of a run before it begins. */
export interface Facts {
  readonly protocol: string;
  readonly title: string;
  /** All processes, a star's centre included. */
  readonly size: number;
  readonly n: number;
  readonly ids: readonly number[] | null;
  readonly network: "ring" | "complete" | "star" | "graph" | "open";
  readonly topology: string;
  /** Pairs of nodes; empty for complete and open networks, and where there are too many to draw. */
  readonly links: readonly (readonly [number, number])[];
  readonly crashed: readonly number[];
  readonly host: "lockstep" | "events";
  /** The fast path that computes it; null where it is stepped through, or has none. */
  readonly kernel: string | null;
  readonly marks: readonly Mark[];
  /** Which way messages can go, or who can reach whom, in words. */
  readonly ways: string;
  /** What can go wrong by the settings, in words; what is done by hand comes on top. */
  readonly faults: readonly string[];
  /** What sentences call some of the nodes, by number, where that is no number. */
  readonly names: readonly string[];
  /** What the counter counts. */
  readonly counts: string;
  /** What the phase of a process is called. */
  readonly phase: string;
  readonly command: string;
  /** What the parts of processes are called in the protocol's source, where it has words of its own. */
  readonly parts: Readonly<Partial<Record<Part, string>>>;
  /** Values of all parameters, as text. */
  readonly params: Fields;
  /** Other readings of the same text, by the parameter `reading`. */
  readonly readings: readonly string[];
  /** Without a way to meddle: a recorded run of the explorer. */
  readonly recorded: string | null;
}

/** Something that is wrong with a field, and what is used instead. */
export interface Problem {
  /** "" where it is about the run as a whole. */
  readonly field: string;
  readonly text: string;
  readonly used: string;
}

/** The end of a run. */
export interface Ending {
  /** Null for a run that was cut short. */
  readonly trial: Trial | null;
  readonly events: number;
  /** Why it was cut short, in a sentence. */
  readonly why: string | null;
  /** What came of it, where the protocol has a sentence of its own for that. */
  readonly says: string | null;
}

/** A run of more processes than can be drawn one by one, so far. */
export interface Counts {
  readonly time: number;
  readonly messages: number;
  /** Messages sent, by instants or by equal stretches of time. */
  readonly perInstant: readonly number[];
  /** How much time a bar stands for. */
  readonly width: number;
  readonly series: Readonly<Record<string, readonly number[]>>;
  readonly seconds: number;
}

/** One line of a sweep, so far. */
export interface SweepPoint {
  readonly protocol: string;
  readonly x: number | string;
  readonly trials: number;
  readonly values: Readonly<
    Record<string, { readonly mean: number | null; readonly low: number | null; readonly high: number | null }>
  >;
  readonly theory: Readonly<Record<string, number | null>>;
  readonly kernel: string | null;
}

export interface SweepAsked {
  readonly protocols: readonly string[];
  readonly vary: string;
  readonly trials: number;
  readonly fields: Fields;
}

/** A file that the page was given. */
export type GivenFile = { readonly name: string } & (
  | { readonly text: string }
  | { readonly flights: readonly FlightFile[] }
);

export type Asked =
  | { readonly op: "open"; readonly fields: Fields; readonly faults: readonly Injected[]; readonly trial: number }
  | { readonly op: "file"; readonly text: string; readonly name: string }
  /** Flight records of several members are one run. */
  | { readonly op: "flight"; readonly files: readonly FlightFile[] }
  /** A file with protocols of the reader's own. */
  | { readonly op: "own"; readonly text: string; readonly name: string }
  | { readonly op: "step"; readonly run: number; readonly count: number }
  | { readonly op: "run"; readonly run: number; readonly budget: number }
  | { readonly op: "seek"; readonly run: number; readonly event: number; readonly node: number }
  | { readonly op: "force"; readonly run: number }
  | { readonly op: "sweep"; readonly asked: SweepAsked; readonly budget: number }
  | { readonly op: "plan"; readonly fields: Fields }
  | { readonly op: "cancel"; readonly of: number };

export type Request = Asked & { readonly id: number };

export type Answer =
  | { readonly kind: "opened"; readonly facts: Facts; readonly problems: readonly Problem[]; readonly large: boolean }
  | { readonly kind: "events"; readonly events: readonly Told[] }
  | { readonly kind: "counts"; readonly counts: Counts }
  | { readonly kind: "ended"; readonly ending: Ending }
  | { readonly kind: "state"; readonly state: readonly (readonly [string, string])[]; readonly json: string }
  | { readonly kind: "places"; readonly places: readonly (readonly [number, number])[] }
  | {
      readonly kind: "points";
      readonly points: readonly SweepPoint[];
      readonly done: number;
      readonly of: number;
      readonly command: string;
      readonly quantities: readonly string[];
      readonly problem: string | null;
      /** Why it ended before all elections were held. */
      readonly why: string | null;
    }
  /** The names of the protocols in a file, and all that can be run now. */
  | { readonly kind: "own"; readonly names: readonly string[]; readonly catalogue: readonly Listed[] }
  | { readonly kind: "plan"; readonly plan: unknown; readonly command: string }
  /** It was told to cancel something, and has. */
  | { readonly kind: "heard" }
  | { readonly kind: "failed"; readonly problems: readonly Problem[] };

/** One protocol of the catalogue, for the page's controls. */
export interface Listed {
  readonly name: string;
  readonly title: string;
  /** Its title in a list. */
  readonly short: string;
  /** With more processes there are more messages than anybody can watch; null where there is no such number. */
  readonly most: number | null;
  readonly citation: string;
  readonly cost: string;
  readonly topology: string;
  readonly anonymous: boolean;
  readonly timed: boolean;
  readonly multicast: boolean;
  readonly hasRoles: boolean;
  readonly parameters: readonly {
    readonly name: string;
    readonly about: string;
    readonly choices: readonly string[] | null;
    readonly default: string | null;
  }[];
}

/** A setting that any run can have, for the page's controls. */
export interface ListedSetting {
  readonly name: string;
  readonly about: string;
  readonly offers: readonly string[];
  /** What holds where nothing is said. */
  readonly standard: string;
}

export type Said =
  | {
      readonly id: 0;
      readonly catalogue: readonly Listed[];
      readonly settings: readonly ListedSetting[];
      readonly version: string;
    }
  | ({ readonly id: number; readonly last: boolean } & Answer);
