/**
 * Scenarios: a group is led step by step and tells what it did (see docs/explore.md). A block is a command, a line
 * `----`, what happened, and a blank line; lines that begin with # explain. A file without any `----` is commands alone.
 */
import { InputError } from "../errors.ts";
import { type ExploreRequest, explorationProblem } from "../explorer/explore.ts";
import { Player } from "../explorer/player.ts";
import type { Problem } from "../explorer/problem.ts";
import { canonicalText } from "../explorer/space/plain.ts";
import type { AnyProtocol, Verdict } from "../protocol.ts";
import type { Params } from "../protocols/parameters.ts";
import { CENTRE } from "../topology/lattices.ts";
import { eventText, messageText, time } from "./describe.ts";
import { happens } from "./events.ts";
import { tellPath } from "./replay.ts";
import { plainText, type Story, sentenceOf } from "./story.ts";

const SEPARATOR = "----";
/** As many faults as a scenario asks for. */
const UNLIMITED = 1000;
/** Every way in which a node can draw is computed before one is chosen: of ranks, only the order matters. */
const CHOICES = 8;

/** A scenario that was played. */
export interface PlayedScenario {
  /** The scenario with the output of every command made anew. */
  readonly transcript: string;
  /** A group for each `network` command. */
  readonly groups: readonly Group[];
}

/** Plays a written scenario; `find` knows protocols by name, `file` is what error messages call it. */
export function playScenario(text: string, find: (name: string) => AnyProtocol, file = "the scenario"): PlayedScenario {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const bare = !lines.includes(SEPARATOR);
  const written: string[] = [];
  const groups: Group[] = [];
  for (let i = 0; i < lines.length; i++) {
    written.push(lines[i]);
    if (lines[i] === "" || lines[i].startsWith("#")) continue;
    const wrong = (what: string) => new InputError(`${file}, line ${i + 1}: ${what}`);
    if (!bare && lines[i + 1] !== SEPARATOR) throw wrong(`"${lines[i]}" has no line ${SEPARATOR} below`);
    written.push(SEPARATOR, ...obeyed(lines[i], groups, find, wrong));
    if (bare) {
      if (lines[i + 1] !== "") written.push("");
    } else for (i++; i + 1 < lines.length && lines[i + 1] !== ""; ) i++;
  }
  return { transcript: written.join("\n"), groups };
}

function obeyed(
  line: string,
  groups: Group[],
  find: (name: string) => AnyProtocol,
  wrong: (what: string) => InputError,
): readonly string[] {
  const [command, ...words] = line.split(/ +/);
  try {
    if (command === "network") {
      if (words.length === 0) throw new InputError("network needs the name of a protocol: network chang-roberts n=3");
      groups.push(new Group(find(words[0]), words.slice(1)));
      return groups[groups.length - 1].introduction();
    }
    const group = groups.at(-1);
    if (group === undefined) throw new InputError(`"${line}" comes before any network`);
    return group.obey(line);
  } catch (error) {
    if (error instanceof InputError) throw wrong(error.message);
    throw error;
  }
}

/** A group that obeys the commands of a scenario. */
export class Group {
  readonly problem: Problem;
  private readonly player: Player;
  private readonly names: readonly string[];
  private told = 0;

  constructor(protocol: AnyProtocol, options: readonly string[]) {
    const { names, request } = requestOf(options);
    this.problem = problemOf(protocol, request);
    this.player = new Player(this.problem);
    this.names = names;
  }

  /** Without the centre of a star. */
  get n(): number {
    const { size, name } = this.problem.topology;
    return name === "star" ? size - 1 : size;
  }

  introduction(): string[] {
    const { ids, topology } = this.problem;
    const kind = topology.name === "ring" ? "ring" : "group";
    const { size, name } = topology;
    if (name === "star") return [`a centre, node ${CENTRE}, and ${this.n} hosts`];
    if (ids === null) return [`a ${kind} of ${size} nodes without ids`];
    const each = ids.map((id, node) => `${this.name(node)} has id ${id}`);
    return [`a ${kind} of ${size}: ${each.join(", ")}`];
  }

  /** What has happened so far. */
  story(): Story {
    return tellPath(this.problem, this.player.network, this.player.steps, this.names);
  }

  obey(line: string): string[] {
    const output = this.perform(line);
    return output.length === 0 ? ["nothing happens"] : output;
  }

  private name(node: number): string {
    return this.names[node] ?? `node ${node}`;
  }

  /** A question, or a move. */
  private perform(line: string): string[] {
    const [verb, ...words] = line.split(/ +/);
    switch (verb) {
      case "verdicts":
        return this.verdicts();
      case "state":
        return [this.stateOf(Number(words[0]), words[1] ?? "")];
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
    const story = this.story();
    const lines = transcriptLines(story, this.told, this.player.network.timed);
    this.told = story.events.length;
    return lines;
  }

  private outcome(): string[] {
    this.tell();
    return [...this.verdicts(), this.count()];
  }

  private verdicts(): string[] {
    const { network, vector } = this.player;
    return Array.from({ length: this.problem.topology.size }, (_, node) =>
      verdictLine(
        this.name(node),
        network.crashed(vector, node) ? null : network.nodes.verdict(node, network.state(vector, node)),
      ),
    );
  }

  /** Part of what a node knows: `member.mediator.state`. */
  private stateOf(node: number, path: string): string {
    const { network, vector } = this.player;
    if (!(node >= 0 && node < this.problem.topology.size)) throw new InputError("which node? such as: state 3 phase");
    const known = network.state(vector, node);
    let value = known < 0 ? null : network.nodes.states.value(known);
    for (const name of path === "" ? [] : path.split(".")) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) {
        throw new InputError(`node ${node} knows nothing that is called "${path}"`);
      }
      value = (value as Record<string, unknown>)[name];
    }
    return typeof value === "object" ? canonicalText(value) : String(value);
  }

  private onTheWay(): string[] {
    const { network, vector } = this.player;
    const lines = network.links.flatMap(({ from, to }, link) => {
      const texts = network
        .onLink(vector, link)
        .map(({ message }) => messageText(network.nodes.messages.value(message)));
      return texts.length === 0 ? [] : [`${from}->${to}: ${texts.join(this.problem.fifo ? ", then " : " or ")}`];
    });
    return lines.length === 0 ? ["nothing is on its way"] : lines;
  }

  private now(): number {
    return this.player.steps.reduce((sum, { action }) => sum + (action.do === "tick" ? action.by : 0), 0);
  }

  private count(): string {
    const sent = this.player.steps.reduce((sum, { outcome }) => sum + (outcome?.messages ?? 0), 0);
    return sent === 1 ? "1 message was sent" : `${sent === 0 ? "no" : sent} messages were sent`;
  }
}

function problemOf(protocol: AnyProtocol, request: ExploreRequest): Problem {
  const { topology } = protocol.assumes;
  if (topology === "connected") {
    throw new InputError(
      `${protocol.name} needs a network of its own; scenarios have rings, complete graphs and stars`,
    );
  }
  return explorationProblem(protocol, request);
}

/** `ids=3,1,2 initiators=0,2 timed=2 names=A,B,C`; whatever else is named is a parameter of the protocol. */
function requestOf(options: readonly string[]): {
  readonly names: readonly string[];
  readonly request: ExploreRequest;
} {
  const odd = options.find((option) => !option.includes("="));
  if (odd !== undefined) throw new InputError(`"${odd}" is no setting of a network: write name=value`);
  const { n, ids, initiators, timed, fifo, choices, names, ...params } = Object.fromEntries(
    options.map((option) => option.split(/=(.*)/s)),
  );
  const numbers = (list: string) => list.split(",").map(Number);
  if (n === undefined && ids === undefined) throw new InputError("say how many nodes there are: n=3, or ids=3,1,2");
  return {
    names: names === undefined ? [] : names.split(","),
    request: {
      n: ids === undefined ? Number(n) : numbers(ids).length,
      ...(ids === undefined ? {} : { ids: numbers(ids) }),
      ...(initiators === undefined ? {} : { initiators: numbers(initiators) }),
      ...(timed === undefined ? {} : { timed: Number(timed) }),
      ...(fifo === undefined ? {} : { fifo: fifo === "true" }),
      params: params as Params,
      drops: UNLIMITED,
      crashes: UNLIMITED,
      restarts: UNLIMITED,
      duplicates: UNLIMITED,
      pauses: UNLIMITED,
      choices: choices === undefined ? CHOICES : Number(choices),
    },
  };
}

// What a group did, in the words of a transcript: who acts, what that means, and below it what followed.

/** The events from number `from` on. */
function transcriptLines(story: Story, from: number, timed: boolean): string[] {
  const { events, told, scene } = story;
  const lines: string[] = [];
  let at = from === 0 ? 0 : (events[from - 1]?.at ?? 0);
  for (let i = from; i < events.length; i++) {
    const event = events[i];
    if (timed && event.at !== at) lines.push(`at ${time(event.at)}`);
    at = event.at;
    const sentence = told.get(i);
    const own = sentence === undefined || sentence.general ? null : sentence;
    if (event.do === "start" && own !== null) lines.push(own.text);
    else if (happens(event)) lines.push(plainText(event, scene));
    else if (event.do === "lose" || event.do === "duplicate") lines.push(`  ${sentenceOf(story, i)}`);
    else lines.push(`  ${eventText(event, scene.name)}`);
    const means = own === null ? (sentence?.brief ?? null) : own.as === null ? own.says : own.text;
    if (means !== null && event.do !== "start") lines.push(`  ${means}`);
  }
  return lines;
}

/** `verdict` is null for a process that has crashed. */
function verdictLine(name: string, verdict: Verdict | null): string {
  if (verdict === null) return `${name} has crashed`;
  const { status, leader } = verdict;
  if (status === "elected") return `${name} is elected`;
  if (status === "undecided") return `${name} is undecided`;
  return `${name} is not elected${leader === null ? "" : `, follows id ${leader}`}`;
}
