/**
 * Scenarios: a group is led step by step and tells what it did (see docs/scenarios.md). A block is a command, a line
 * `----`, what happened, and a blank line; lines that begin with # explain.
 */
import { type ExploreRequest, explorationProblem } from "../../src/explorer/explore.ts";
import { encode } from "../../src/explorer/plain.ts";
import { Player } from "../../src/explorer/player.ts";
import { protocolNamed } from "../../src/protocols/catalogue.ts";
import type { Params } from "../../src/protocols/parameters.ts";
import { messageText } from "../../src/trace/describe.ts";
import { tracePath } from "../../src/trace/exploration.ts";
import { storyLines, verdictLine } from "./story.ts";

const SEPARATOR = "----";
/** As many faults as a scenario asks for, and every value that a draw can have. */
const UNLIMITED = 1000;

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
  private readonly player: Player;
  private readonly ids: readonly number[] | null;
  private readonly size: number;
  private readonly topology: string;
  private readonly fifo: boolean;
  private told = 0;

  constructor([name, ...options]: readonly string[]) {
    const problem = explorationProblem(protocolNamed(name), requestOf(options));
    this.player = new Player(problem);
    this.ids = problem.ids;
    this.size = problem.topology.size;
    this.topology = problem.topology.name === "ring" ? "ring" : "group";
    this.fifo = problem.fifo;
  }

  introduction(): string[] {
    if (this.ids === null) return [`a ${this.topology} of ${this.size} nodes without ids`];
    return [
      `a ${this.topology} of ${this.size}: ${this.ids.map((id, node) => `node ${node} has id ${id}`).join(", ")}`,
    ];
  }

  obey(line: string): string[] {
    const output = this.perform(line);
    return output.length === 0 ? ["nothing happens"] : output;
  }

  /** A question, or a move. */
  private perform(line: string): string[] {
    const [verb, ...words] = line.split(" ");
    switch (verb) {
      case "verdicts":
        return this.verdicts();
      case "state":
        return [this.stateOf(Number(words[0]), words[1])];
      case "on":
        return this.onTheWay();
      case "messages":
        return [this.count()];
    }
    this.player.move(line);
    if (verb === "tick") return [`it is ${this.now()}`];
    return words[0] === "quietly" ? this.outcome() : this.tell();
  }

  private tell(): string[] {
    const events = tracePath(this.player.network, this.player.steps);
    const lines = storyLines(events, this.told, this.player.network.timed);
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
        this.player.network.crashed(this.player.vector, node)
          ? null
          : this.player.network.nodes.verdict(node, this.player.network.state(this.player.vector, node)),
      ),
    );
  }

  /** Part of what a node knows: `member.mediator.state`. */
  private stateOf(node: number, path: string): string {
    let value = this.player.network.nodes.states.value(this.player.network.state(this.player.vector, node));
    for (const name of path.split(".")) value = (value as Record<string, unknown>)[name];
    return typeof value === "object" ? encode(value) : String(value);
  }

  private onTheWay(): string[] {
    const lines = this.player.network.links.flatMap(({ from, to }, link) => {
      const flights = this.player.network.onLink(this.player.vector, link);
      const texts = flights.map(({ message }) => messageText(this.player.network.nodes.messages.value(message)));
      return texts.length === 0 ? [] : [`${from}->${to}: ${texts.join(this.fifo ? ", then " : " or ")}`];
    });
    return lines.length === 0 ? ["nothing is on its way"] : lines;
  }

  private now(): number {
    return this.player.steps.reduce((sum, { action }) => sum + (action.do === "tick" ? action.by : 0), 0);
  }

  private count(): string {
    const sent = this.player.steps.reduce((sum, { outcome }) => sum + (outcome?.messages ?? 0), 0);
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
