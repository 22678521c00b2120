/**
 * Whether a recorded run is one that the explorer knows: every step of every node is compared with all that its machine can do in the
 * states that the node can be in, whatever its draws. Neither the seed nor the host of the run is needed, so that a run of another
 * program can be checked. What the network did (order, delays, losses, crashes) is taken as it was recorded.
 */
import type { Problem } from "../explorer/problem.ts";
import { type Input, type NodeOutcome, NodeSteps, UNTOUCHED } from "../explorer/space/node-steps.ts";
import { canonicalText } from "../explorer/space/plain.ts";
import { SELF } from "../protocol.ts";
import { eventText } from "./describe.ts";
import type { TraceEvent } from "./events.ts";

/** Whether a recorded run is one that the explorer knows, and otherwise the first step that is not. */
export type Conformance =
  /** Every step is one that the machine can make. */
  | { readonly is: "known"; readonly steps: number }
  /** The first that is not, by the number of its event, and what the machine can do instead, in words. */
  | { readonly is: "unknown"; readonly event: number; readonly instead: readonly string[] }
  /** From this event on nobody can say. */
  | { readonly is: "undecided"; readonly event: number; readonly why: string };

/** Ways in which the draws of one handler can come out, and states that a node is followed through. */
const MOST_WAYS = 256;
const MOST_STATES = 256;
/** Ways that are told, of those that the machine has instead. */
const MOST_TOLD = 3;

/** `problem`: protocol, network, ids and initiators of the run. */
export function conformance(problem: Problem, events: readonly TraceEvent[]): Conformance {
  const run = new Conforming(problem, events);
  return run.check();
}

class Conforming {
  private readonly problem: Problem;
  private readonly events: readonly TraceEvent[];
  private readonly nodes: NodeSteps;
  /** Asked first: it draws once, and counts in how many ways that could come out. */
  private readonly probe: NodeSteps;
  private ways = 1;
  /** The states that each node can be in. */
  private readonly states: Set<number>[];
  private readonly lives: number[];
  private readonly sends = new Map<number, { readonly to: number; readonly content: string }[]>();
  /** Steps in the middle of which their node crashed: what it sent is only a part. */
  private readonly halfway = new Set<number>();

  constructor(problem: Problem, events: readonly TraceEvent[]) {
    this.problem = { ...problem, choices: MOST_WAYS };
    this.events = events;
    this.nodes = new NodeSteps(this.problem);
    const draw = (n: number) => {
      this.ways *= n;
      return 0;
    };
    this.probe = new NodeSteps({ ...this.problem, choices: Infinity, draw });
    this.states = Array.from({ length: problem.topology.size }, () => new Set([UNTOUCHED]));
    this.lives = this.states.map(() => 0);
    for (const event of events) {
      if (event.cause === null) continue;
      if (event.do === "crash") this.halfway.add(event.cause);
      if (event.do !== "send") continue;
      const sent = this.sends.get(event.cause) ?? [];
      this.sends.set(event.cause, [...sent, { to: event.to, content: canonicalText(event.message) }]);
    }
  }

  check(): Conformance {
    let steps = 0;
    for (const [number, event] of this.events.entries()) {
      const inputs = this.inputsOf(event);
      if (inputs === null) continue;
      if (typeof inputs === "string") return { is: "undecided", event: number, why: inputs };
      if (!(event.node in this.states)) return { is: "unknown", event: number, instead: ["there is no such node"] };
      if (this.drawsTooMuch(event.node, inputs)) {
        return { is: "undecided", event: number, why: `draws can come out in more than ${MOST_WAYS} ways` };
      }
      const outcomes = this.outcomes(event.node, inputs);
      const made = outcomes.filter((outcome) => this.isRecorded(number, event.node, outcome));
      if (made.length === 0) return this.unknown(number, event.node, outcomes);
      this.states[event.node] = new Set(made.map(({ state }) => state));
      if (this.states[event.node].size > MOST_STATES) {
        return { is: "undecided", event: number, why: `the node can be in more than ${MOST_STATES} states` };
      }
      steps++;
    }
    return { is: "known", steps };
  }

  /** What the event asks of its node, in every way that it can be meant; null where no handler runs; words where nobody can say. */
  private inputsOf(event: TraceEvent): readonly Input[] | string | null {
    const { node } = event;
    switch (event.do) {
      case "start":
        return [{ kind: "start" }];
      case "restart":
        return [{ kind: "restart", life: ++this.lives[node] }];
      case "timer":
        return [{ kind: "expire", timer: event.timer }];
      case "end-round":
        return [{ kind: "end-round", round: event.at }];
      case "deliver": {
        const message = this.nodes.messages.number(event.message);
        return this.portsTo(node, event.from).map((port) => ({ kind: "receive", port, message }));
      }
      case "join":
      case "leave":
      case "command":
        return `the explorer has no step "${event.do}"`;
      default:
        return null;
    }
  }

  /** On a ring of two both ports lead to the same node. */
  private portsTo(node: number, from: number): number[] {
    const { topology } = this.problem;
    const ports = Array.from({ length: node < topology.size ? topology.degree(node) : 0 }, (_, port) => port);
    const found = ports.filter((port) => topology.neighbour(node, port) === from);
    return node === from ? [SELF, ...found] : found;
  }

  private drawsTooMuch(node: number, inputs: readonly Input[]): boolean {
    let most = 0;
    for (const state of this.states[node]) {
      const probed = state === UNTOUCHED ? state : this.probe.states.number(this.nodes.states.value(state));
      for (const input of inputs) {
        this.ways = 1;
        this.probe.outcomes(node, probed, this.asProbed(input));
        most += this.ways;
      }
    }
    return most > MOST_WAYS;
  }

  private asProbed(input: Input): Input {
    if (input.kind !== "receive") return input;
    return { ...input, message: this.probe.messages.number(this.nodes.messages.value(input.message)) };
  }

  private outcomes(node: number, inputs: readonly Input[]): NodeOutcome[] {
    return [...this.states[node]].flatMap((state) =>
      inputs.flatMap((input) => [...this.nodes.outcomes(node, state, input)]),
    );
  }

  /** In any order: the explorer draws sets, and a host goes through them in the order in which they were drawn. */
  private isRecorded(number: number, node: number, { sends }: NodeOutcome): boolean {
    const left = sends.map(({ port, message }) => this.sendKey(this.behind(node, port), this.contentOf(message)));
    const recorded = this.sends.get(number) ?? [];
    for (const { to, content } of recorded) {
      const place = left.indexOf(this.sendKey(to, content));
      if (place < 0) return false;
      left.splice(place, 1);
    }
    return left.length === 0 || this.halfway.has(number);
  }

  private sendKey(to: number, content: string): string {
    return `${to} ${content}`;
  }

  private contentOf(message: number): string {
    return canonicalText(this.nodes.messages.value(message));
  }

  private behind(node: number, port: number): number {
    return port === SELF ? node : this.problem.topology.neighbour(node, port);
  }

  private unknown(event: number, node: number, outcomes: readonly NodeOutcome[]): Conformance {
    const ways = new Set(outcomes.map((outcome) => this.wayText(node, outcome)));
    return { is: "unknown", event, instead: [...ways].slice(0, MOST_TOLD) };
  }

  private wayText(node: number, { sends }: NodeOutcome): string {
    const texts = sends.map(({ port, message }) =>
      eventText({ do: "send", node, to: this.behind(node, port), message: this.nodes.messages.value(message) }),
    );
    return texts.length === 0 ? "sends nothing" : texts.join(" and ");
  }
}

/** In a sentence. */
export function conformanceWords(found: Conformance): string {
  if (found.is === "known") return `each of the ${found.steps} steps is one that the explorer knows`;
  if (found.is === "undecided")
    return `up to event #${found.event} every step is one that the explorer knows; then nobody can say: ${found.why}`;
  const instead =
    found.instead.length === 0 ? "nothing arrives there" : `there the node ${found.instead.join(", or ")}`;
  return `event #${found.event} is not one that the explorer knows: ${instead}`;
}
