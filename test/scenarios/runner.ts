/**
 * Scenarios: a group is led step by step and tells what it did (see docs/scenarios.md). A block is a command, a line
 * `----`, what happened, and a blank line; lines that begin with # explain.
 */
import { type ExploreRequest, explorationProblem } from "../../src/explorer/explore.ts";
import { type Action, Network, type Step } from "../../src/explorer/network.ts";
import { encode } from "../../src/explorer/plain.ts";
import { protocolNamed } from "../../src/protocols/catalogue.ts";
import type { Params } from "../../src/protocols/parameters.ts";
import { messageText } from "../../src/trace/describe.ts";
import { tracePath } from "../../src/trace/exploration.ts";
import { storyLines, verdictLine } from "./story.ts";

const SEPARATOR = "----";
/** As many faults as a scenario asks for, and every value that a draw can have. */
const UNLIMITED = 1000;
const FAULTS: readonly string[] = ["crash", "drop", "restart"];

/** The transcript with the output of every command made anew. */
export function play(transcript: string): string {
  const lines = transcript.split("\n");
  const written: string[] = [];
  let scene: Scene | null = null;
  for (let i = 0; i < lines.length; i++) {
    written.push(lines[i]);
    if (lines[i + 1] !== SEPARATOR) {
      if (lines[i] !== "" && !lines[i].startsWith("#")) throw new Error(`«${lines[i]}» has no line ${SEPARATOR} below`);
      continue;
    }
    const [command, ...words] = lines[i].split(" ");
    if (command === "network") scene = new Scene(words);
    else if (scene === null) throw new Error(`«${lines[i]}» comes before any network`);
    written.push(SEPARATOR, ...(command === "network" ? scene.introduction() : scene.obey(lines[i])));
    for (i++; i + 1 < lines.length && lines[i + 1] !== ""; ) i++;
  }
  return written.join("\n");
}

class Scene {
  private readonly network: Network;
  private readonly ids: readonly number[] | null;
  private readonly size: number;
  private readonly topology: string;
  private readonly fifo: boolean;
  private readonly steps: Step[] = [];
  private vector: Int32Array;
  private told = 0;
  private draws: number[] = [];

  constructor([name, ...options]: readonly string[]) {
    const problem = explorationProblem(protocolNamed(name), requestOf(options));
    this.network = new Network(problem);
    this.ids = problem.ids;
    this.size = problem.topology.size;
    this.topology = problem.topology.name === "ring" ? "ring" : "group";
    this.fifo = problem.fifo;
    this.vector = this.network.blank();
  }

  introduction(): string[] {
    if (this.ids === null) return [`a ${this.topology} of ${this.size} nodes without ids`];
    return [
      `a ${this.topology} of ${this.size}: ${this.ids.map((id, node) => `node ${node} has id ${id}`).join(", ")}`,
    ];
  }

  obey(line: string): string[] {
    const [command, given] = line.split(" with ");
    this.draws = given === undefined ? [] : given.split(" ").map(Number);
    const output = this.perform(command);
    if (this.draws.length > 0) throw new Error(`«${line}»: nobody drew ${this.draws}`);
    return output.length === 0 ? ["nothing happens"] : output;
  }

  private perform(command: string): string[] {
    const [verb, ...words] = command.split(" ");
    switch (verb) {
      case "start":
        for (const node of words.length > 0 ? words.map(Number) : this.network.starters()) {
          this.take(this.network.start(this.vector, node));
        }
        return this.tell();
      case "deliver":
      case "drop":
        this.choose(command, (action) => action.do === verb && this.isOn(action, words));
        return this.tell();
      case "timer":
        this.choose(
          command,
          (action) => action.do === "expire" && `${action.node} ${action.timer}` === words.join(" "),
        );
        return this.tell();
      case "crash":
      case "restart":
        this.choose(command, (action) => action.do === verb && action.node === Number(words[0]));
        return this.tell();
      case "tick":
        this.choose(command, (action) => action.do === "tick");
        return [`it is ${this.now()}`];
      case "round":
        this.round(command);
        return this.tell();
      case "run":
        while (this.pass());
        return words[0] === "quietly" ? this.outcome() : this.tell();
      case "verdicts":
        return this.verdicts();
      case "state":
        return [this.stateOf(Number(words[0]), words[1])];
      case "on":
        return this.onTheWay();
      case "messages":
        return [this.count()];
    }
    throw new Error(`no scenario knows «${command}»`);
  }

  /** `0->1`: the first message on that link that can arrive; `0->1 2`: the second, where channels keep no order. */
  private isOn(action: Action, [arrow, place = "1"]: readonly string[]): boolean {
    if (!("link" in action)) return false;
    const { from, to } = this.network.links[action.link];
    return `${from}->${to}` === arrow && action.index === Number(place) - 1;
  }

  private choose(command: string, wanted: (action: Action) => boolean): void {
    const steps = this.network.steps(this.vector);
    const [first] = steps.filter(({ action }) => wanted(action));
    if (first === undefined) throw new Error(`«${command}» cannot happen now`);
    this.take(steps.filter(({ action }) => JSON.stringify(action) === JSON.stringify(first.action)));
  }

  /** Of several ways for one action to come out, the one with the draws that were given. */
  private take(ways: readonly Step[]): void {
    const step =
      ways.length === 1
        ? ways[0]
        : ways.find(({ outcome }) => outcome!.draws.every((draw, i) => draw === this.draws[i]));
    if (step === undefined)
      throw new Error(`a node draws here, one of ${ways.map(({ outcome }) => outcome!.draws)}: say with`);
    this.draws.splice(0, step.outcome?.draws.length ?? 0);
    this.steps.push(step);
    this.vector = step.after;
  }

  private possible(): Step[] {
    return this.network.steps(this.vector).filter(({ action }) => !FAULTS.includes(action.do));
  }

  /** The next instant and all that happens in it. */
  private round(command: string): void {
    this.choose(command, (action) => action.do === "tick");
    for (;;) {
      const [first] = this.possible();
      if (first === undefined || first.action.do === "tick") return;
      this.choose(command, (action) => JSON.stringify(action) === JSON.stringify(first.action));
    }
  }

  /** Each link in turn delivers its first message; timers expire when nothing is on its way. False: nothing is left. */
  private pass(): boolean {
    const possible = this.possible();
    if (possible.length === 0) return false;
    if (this.network.timed) {
      if (possible[0].action.do === "tick") this.round("run");
      else this.choose("run", (action) => JSON.stringify(action) === JSON.stringify(possible[0].action));
      return true;
    }
    const turns = possible.filter(({ action }) => action.do === "deliver");
    const links = new Set(turns.map(({ action }) => ("link" in action ? action.link : -1)));
    for (const link of links) this.choose("run", (action) => action.do === "deliver" && action.link === link);
    if (links.size === 0) this.choose("run", (action) => action.do === possible[0].action.do);
    return true;
  }

  private tell(): string[] {
    const events = tracePath(this.network, this.steps);
    const lines = storyLines(events, this.told, this.network.timed);
    this.told = events.length;
    return lines;
  }

  private outcome(): string[] {
    this.tell();
    return [...this.verdicts(), this.count()];
  }

  private verdicts(): string[] {
    return Array.from({ length: this.size }, (_, node) =>
      verdictLine(
        node,
        this.network.crashed(this.vector, node)
          ? null
          : this.network.nodes.verdict(node, this.network.state(this.vector, node)),
      ),
    );
  }

  /** Part of what a node knows: `member.mediator.state`. */
  private stateOf(node: number, path: string): string {
    let value = this.network.nodes.states.value(this.network.state(this.vector, node));
    for (const name of path.split(".")) value = (value as Record<string, unknown>)[name];
    return typeof value === "object" ? encode(value) : String(value);
  }

  private onTheWay(): string[] {
    const lines = this.network.links.flatMap(({ from, to }, link) => {
      const flights = this.network.onLink(this.vector, link);
      const texts = flights.map(({ message }) => messageText(this.network.nodes.messages.value(message)));
      return texts.length === 0 ? [] : [`${from}->${to}: ${texts.join(this.fifo ? ", then " : " or ")}`];
    });
    return lines.length === 0 ? ["nothing is on its way"] : lines;
  }

  private now(): number {
    return this.steps.reduce((sum, { action }) => sum + (action.do === "tick" ? action.by : 0), 0);
  }

  private count(): string {
    const sent = this.steps.reduce((sum, { outcome }) => sum + (outcome?.messages ?? 0), 0);
    return `${sent} messages were sent`;
  }
}

/** `ids=3,1,2 initiators=0,2 timed=2`; whatever else is named is a parameter of the protocol. */
function requestOf(options: readonly string[]): ExploreRequest {
  const { n, ids, initiators, timed, fifo, choices, ...params } = Object.fromEntries(
    options.map((option) => option.split("=")),
  );
  const numbers = (list: string) => list.split(",").map(Number);
  return {
    n: ids === undefined ? Number(n) : numbers(ids).length,
    ...(ids === undefined ? {} : { ids: numbers(ids) }),
    ...(initiators === undefined ? {} : { initiators: numbers(initiators) }),
    ...(timed === undefined ? {} : { timed: Number(timed) }),
    ...(fifo === undefined ? {} : { fifo: fifo === "true" }),
    params: params as Params,
    drops: UNLIMITED,
    crashes: UNLIMITED,
    restarts: UNLIMITED,
    choices: choices === undefined ? UNLIMITED : Number(choices),
  };
}
