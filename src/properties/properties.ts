/** What an election promises, checked by every host that can stop and look: explorer, conformance suite, simulations. */
import type { AnyProtocol, Id, Outcome, Verdict } from "../protocol.ts";

/** The network at one moment. */
export interface View {
  readonly size: number;
  alive(node: number): boolean;
  /**
   * Whether it can act now: it lives, is not paused, and no deadline is due that would come before all else. Missing where
   * nobody can say.
   */
  awake?(node: number): boolean;
  verdict(node: number): Verdict;
  /** Null where nodes have no ids. */
  id(node: number): Id | null;
  /** Messages sent so far. */
  readonly messages: number;
  /** What the protocol would call a run that ended here; missing where nobody can say. */
  outcome?(): Outcome;
  /** Instants that have passed, for properties that count them. */
  readonly time?: number;
  /** What the user of a node is told; missing where nobody keeps it. */
  report?(node: number): unknown;
}

/** The network in the course of a run. */
export interface RunView extends View {
  /** How many events there have been. */
  readonly event: number;
  readonly time: number;
}

/** Something that must hold: in every configuration, or where a run has ended. */
export interface Property {
  readonly name: string;
  readonly about: string;
  /**
   * always: at every moment. end: when nothing is left to happen. forever: of runs that never come to that. eventually: at
   * some moment of every run; only the explorer, which sees all runs, checks the last two.
   */
  readonly when: "always" | "end" | "forever" | "eventually";
  /**
   * Which runs without end count, for the last two. weak, the default: what can happen all the time happens at some time.
   * strong: so does what can happen again and again.
   */
  readonly fairness?: "weak" | "strong";
  /** It says something only of nodes that have ids. */
  readonly needs?: "ids";
  /** It reads `time`, which is not part of a configuration: the explorer asks it on the slowest way to each. */
  readonly counts?: "time";
  /** What is wrong, in words; null when the property holds. */
  violated(view: View): string | null;
}

/**
 * A promise about how a run goes on: terms only grow, two leaders are resolved in time. It begins anew in each run and
 * remembers what it has seen; the explorer, where runs that meet are one, cannot check it.
 */
export interface History {
  readonly name: string;
  readonly about: string;
  /** The answer is called whenever something has changed, and says what is wrong or null. */
  begin(): (view: RunView) => string | null;
}

function nodes(view: View, status: Verdict["status"]): number[] {
  return Array.from({ length: view.size }, (_, node) => node).filter(
    (node) => view.alive(node) && view.verdict(node).status === status,
  );
}

/** No two live nodes are elected in one term. */
export const atMostOneLeader: Property = {
  name: "at-most-one-leader",
  about: "never two live leaders of one term",
  when: "always",
  violated(view) {
    const leaders = nodes(view, "elected");
    for (const [i, node] of leaders.entries()) {
      const other = leaders.slice(i + 1).find((rival) => view.verdict(rival).term === view.verdict(node).term);
      if (other !== undefined) return `nodes ${node} and ${other} both lead`;
    }
    return null;
  },
};

/** Nodes that name a leader name the same one. */
export const agreement: Property = {
  name: "agreement",
  about: "live nodes that know who leads a term name the same leader",
  when: "always",
  violated(view) {
    const named = new Map<number, { node: number; leader: number }>();
    for (let node = 0; node < view.size; node++) {
      if (!view.alive(node)) continue;
      const { leader, term } = view.verdict(node);
      if (leader === null) continue;
      const first = named.get(term);
      if (first === undefined) named.set(term, { node, leader });
      else if (first.leader !== leader)
        return `node ${first.node} follows ${first.leader}, node ${node} follows ${leader}`;
    }
    return null;
  },
};

/** At the end somebody is elected. */
export const someLeader: Property = {
  name: "some-leader",
  about: "when nothing is left to happen, somebody leads",
  when: "end",
  violated: (view) => (nodes(view, "elected").length > 0 ? null : "nobody leads in the end"),
};

/** At the end no live node is undecided. */
export const everyNodeDecides: Property = {
  name: "every-node-decides",
  about: "when nothing is left to happen, every live node knows whether it leads",
  when: "end",
  violated(view) {
    const lost = nodes(view, "undecided");
    return lost.length === 0 ? null : `node ${lost.join(", ")} never decides`;
  },
};

/** At the end every live node knows who leads. */
export const leaderKnown: Property = {
  name: "leader-known",
  about: "when nothing is left to happen, every live node names the node that leads",
  when: "end",
  needs: "ids",
  violated(view) {
    const [leader] = nodes(view, "elected");
    const id = leader === undefined ? null : view.id(leader);
    if (id === null) return null;
    for (let node = 0; node < view.size; node++) {
      const named = view.verdict(node).leader;
      if (view.alive(node) && named !== id) return `node ${node} follows ${named ?? "nobody"}, but ${id} leads`;
    }
    return null;
  },
};

/**
 * At the end a leader was elected, which may have crashed since: a node leads, or led when it crashed, or those that live follow
 * one that has crashed. (A bully announces itself before it takes office; that its followers watch it is another part of the algorithm.)
 */
export const leaderElected: Property = {
  name: "leader-elected",
  about: "when nothing is left to happen, a node leads, or one that led or is followed has crashed and is still down",
  when: "end",
  violated(view) {
    const followed = new Set<Id | null>();
    for (const node of nodes(view, "not-elected")) followed.add(view.verdict(node).leader);
    for (let node = 0; node < view.size; node++) {
      if (view.verdict(node).status === "elected") return null;
      const id = view.id(node);
      if (id !== null && !view.alive(node) && followed.has(id)) return null;
    }
    return "nobody was elected, not even a node that crashed since";
  },
};

const outcomeOf = (view: View): Outcome => view.outcome?.() ?? "one";

/** At the end a council does not have too many members. */
export const notTooMany: Property = {
  name: "not-too-many",
  about: "when nothing is left to happen, no more are elected than the protocol is to elect",
  when: "end",
  violated: (view) =>
    outcomeOf(view) === "many" ? `too many are elected in the end: ${nodes(view, "elected").length}` : null,
};

/** At the end a council does not have too few members. */
export const notTooFew: Property = {
  name: "not-too-few",
  about: "when nothing is left to happen, no fewer are elected than the protocol is to elect",
  when: "end",
  violated: (view) =>
    outcomeOf(view) === "none" ? `too few are elected in the end: ${nodes(view, "elected").length}` : null,
};

/** No live node goes back to an earlier term. */
export const termsGrow: History = {
  name: "terms-grow",
  about: "no live node goes back to an earlier term, not even after a restart",
  begin() {
    const highest: number[] = [];
    return (view) => {
      for (let node = 0; node < view.size; node++) {
        if (!view.alive(node)) continue;
        const { term } = view.verdict(node);
        if (term < (highest[node] ?? term)) return `node ${node} goes back from term ${highest[node]} to ${term}`;
        highest[node] = term;
      }
      return null;
    };
  },
};

/** Only a host that sees every run can tell that one never ends. */
export const termination: Property = {
  name: "termination",
  about: "every run comes to an end",
  when: "forever",
  violated: () => "the run can repeat itself for ever",
};

/** No run sends more messages than this. */
export function messageBound(most: number): Property {
  return {
    name: "message-bound",
    about: `at most ${most} messages`,
    when: "always",
    violated: (view) => (view.messages <= most ? null : `${view.messages} messages were sent, more than ${most}`),
  };
}

/** No run takes longer than this, in instants. */
export function timeBound(most: number): Property {
  return {
    name: "time-bound",
    about: `at most ${most} instants`,
    when: "always",
    counts: "time",
    violated: ({ time = 0 }) => (time <= most ? null : `${time} instants have passed, more than ${most}`),
  };
}

/**
 * Every fair run comes to a moment at which this holds.
 *
 * @example
 * ```ts
 * import { eventually, explore } from "sortition/explore";
 *
 * const settled = eventually("settled", "node 0 has decided", (view) => view.verdict(0).status !== "undecided");
 * const { violation } = explore("peterson", { n: 3, properties: [settled] });
 * ```
 */
export const eventually = (name: string, about: string, holds: (view: View) => boolean): Property => ({
  name,
  about,
  when: "eventually",
  violated: (view) => (holds(view) ? null : `not yet: ${about}`),
});

/** The promise of a protocol that always elects exactly one leader and tells everybody. */
export const election: readonly Property[] = [atMostOneLeader, agreement, someLeader, everyNodeDecides, termination];

/**
 * What a protocol promises. On rings with ids an announcement names the leader; elsewhere losers need not know who has won.
 * Where nodes may crash, the leader may too: whether there was one is asked as well.
 */
export function promisesOf({ assumes }: AnyProtocol, crashes = false): readonly Property[] {
  if (assumes.topology === "star") return [notTooMany, notTooFew, termination];
  const promises = assumes.topology === "ring" && assumes.identity === "ids" ? [...election, leaderKnown] : election;
  return crashes ? promises.flatMap((each) => (each === someLeader ? [each, leaderElected] : [each])) : promises;
}

/** The properties that an exploration can be asked for by name. */
export const propertyNames: Readonly<Record<string, Property>> = Object.fromEntries(
  [...election, leaderKnown, leaderElected, notTooMany, notTooFew].map((property) => [property.name, property]),
);

/** Whether these are all promises of ours: custom ones may ask for a node by its place. */
export const nameNoPlace = (properties: readonly Property[]): boolean =>
  properties.every((property) => Object.values(propertyNames).includes(property));
