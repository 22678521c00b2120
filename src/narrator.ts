/**
 * How a run is told: a protocol's narrator looks at one handler call from outside, with the node's state before and after
 * it, and says what happened and why. Traces, diagrams and pages use the same sentences. Counts and lists in words are here too.
 */

/** What sets off a handler of a node. Steps of a host, events of a trace and narrators have the same names for it. */
export type Handled<M> =
  | { readonly do: "start" | "restart" | "join" | "leave" | "end-round" }
  | { readonly do: "deliver"; readonly from: number; readonly message: M }
  | { readonly do: "timer"; readonly timer: string }
  /** A user's command, which a node gets like a message from itself. */
  | { readonly do: "command"; readonly message: M };

/** What somebody sees who watches one handler call of a node. */
export type Seen<M> = Handled<M> & {
  readonly node: number;
  /** What the handler sent, in order. */
  readonly sent: readonly { readonly to: number; readonly message: M }[];
};

/** The run in which it happens, as far as words need it. */
export interface Scene {
  /** How many nodes there are. */
  readonly n: number;
  /** "node 4"; with a letter "C4"; the name that the run gives to a node, where it gives one. */
  name(node: number, letter?: string): string;
  /** null where nodes have no ids. */
  id(node: number): number | null;
  /** The node behind a port of another; itself for SELF. */
  behind(node: number, port: number): number;
}

/** The part that a node plays in an event; diagrams give each a shape. */
export type Part =
  | "contends"
  | "idle"
  | "out"
  | "informed"
  | "mediator"
  | "referee"
  | "relay"
  | "centre"
  | "member"
  | "leads";

/** What the algorithm holds at a node, read from the node's state: pictures show it. */
export interface Held {
  /** The id or number that the node stands for at present. */
  readonly value?: number;
  /** The phase, round or level that the node is in. */
  readonly phase?: number;
  /** How many links away its probes go, to both sides. */
  readonly reach?: number;
  /** Whether the node knows that somebody leads, where its verdict names nobody. */
  readonly knows?: boolean;
  /** At the centre of a council: whether the council stands. */
  readonly stands?: boolean;
}

/** What a narrator says of one event. */
export interface Telling {
  /** A predicate: "swallows id 11: its own id, 12, is larger". */
  readonly says: string;
  /** The same in very few words, for a picture; null: a picture need not say it. */
  readonly brief?: string | null;
  /** What the node is called here, where its part has a name of its own: "M2". */
  readonly as?: string;
  readonly part?: Part;
  /** From now on the node cannot win any more, which the node itself does not know. */
  readonly beaten?: boolean;
  /** Other nodes that the sentence is about. */
  readonly about?: readonly number[];
}

/** A pure function; null leaves the words to the general narrator. `before` is null where the process has just begun. */
export type Narrate<S, M> = (before: S | null, event: Seen<M>, after: S, scene: Scene) => Telling | null;

// biome-ignore lint/suspicious/noExplicitAny: narrators of all protocols in one place, as in AnyProtocol
export type AnyNarrate = Narrate<any, any>;

/** "1 walk", "3 walks", "no walks". */
export const count = (n: number, noun: string, plural = `${noun}s`): string =>
  n === 0 ? `no ${plural}` : `${n} ${n === 1 ? noun : plural}`;

const MOST_NAMED = 4;

/** "M1", "M1 and M2", "M1, M2 and M3"; more than a few are counted. */
export function namesOrCount(items: readonly string[], noun: string): string {
  if (items.length > MOST_NAMED) return count(items.length, noun);
  if (items.length <= 1) return items[0] ?? count(0, noun);
  return `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
}
