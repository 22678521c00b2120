/** A network that is led move by move: written schedules, such as the examples that a paper draws, are played on it. */

import { InputError } from "../errors.ts";
import type { Problem } from "./problem.ts";
import type { Action, Step } from "./space/configurations.ts";
import { isFault } from "./space/faults.ts";
import { StateSpace } from "./space/state-space.ts";

const same = (action: Action, other: Action): boolean => JSON.stringify(action) === JSON.stringify(other);

export class Player {
  readonly network: StateSpace;
  readonly steps: Step[] = [];
  vector: Int32Array;
  private draws: number[] = [];

  constructor(problem: Problem) {
    this.network = new StateSpace(problem);
    this.vector = this.network.blank();
  }

  /**
   * `start 2 0`, `deliver 0->3`, `drop 0->3`, `duplicate 0->3`, `timer 4 hold`, `crash 1`, `restart 1`, `pause 1`, `resume 1`,
   * `tick`, `round` (a tick and all that it brings), `run` (to the end); `with 1 0 0` after any of them says what is drawn.
   */
  move(line: string): void {
    const [command, given] = line.split(" with ");
    this.draws = given === undefined ? [] : given.split(" ").map(Number);
    this.perform(command);
    if (this.draws.length > 0) throw new InputError(`"${line}": nobody drew ${this.draws}`);
  }

  private perform(command: string): void {
    const [verb, ...words] = command.split(" ");
    switch (verb) {
      case "start":
        for (const node of words.length > 0 ? words.map(Number) : this.network.starters()) {
          this.take(this.network.start(this.vector, node));
        }
        break;
      case "deliver":
      case "drop":
      case "duplicate":
        this.choose(command, (action) => action.do === verb && this.isOn(action, words));
        break;
      case "timer":
        this.choose(
          command,
          (action) => action.do === "expire" && `${action.node} ${action.timer}` === words.join(" "),
        );
        break;
      case "crash":
      case "restart":
      case "pause":
      case "resume":
        this.choose(command, (action) => action.do === verb && action.node === Number(words[0]));
        break;
      case "tick":
        this.choose(command, (action) => action.do === "tick");
        break;
      case "round":
        this.round(command);
        break;
      case "run":
        while (this.pass());
        break;
      default:
        throw new InputError(`no scenario knows "${command}"`);
    }
  }

  /** `0->1`: the first message on that link that can arrive; `0->1 2`: the second, where channels keep no order. */
  private isOn(action: Action, [arrow, place = "1"]: readonly string[]): boolean {
    if (!("link" in action)) return false;
    const { from, to } = this.network.links[action.link];
    return `${from}->${to}` === arrow && action.index === Number(place) - 1;
  }

  private choose(command: string, wanted: (action: Action) => boolean): void {
    const steps = this.network.steps(this.vector);
    const first = steps.find(({ action }) => wanted(action));
    if (first === undefined) throw new InputError(`"${command}" cannot happen now`);
    this.take(steps.filter(({ action }) => same(action, first.action)));
  }

  /** Of several ways for one action to come out, the one with the draws that were given. */
  private take(ways: readonly Step[]): void {
    const drawn = ({ outcome }: Step) => outcome!.draws.every((draw, i) => draw === this.draws[i]);
    const step = ways.length === 1 ? ways[0] : ways.find(drawn);
    if (step === undefined) {
      throw new InputError(`a node draws here, one of ${ways.map(({ outcome }) => outcome!.draws)}: say with`);
    }
    this.draws.splice(0, step.outcome?.draws.length ?? 0);
    this.steps.push(step);
    this.vector = step.after;
  }

  private possible(): Action[] {
    const actions = this.network.steps(this.vector).map(({ action }) => action);
    return actions.filter((action) => !isFault(action));
  }

  /** The next instant and all that happens in it. */
  private round(command: string): void {
    this.choose(command, (action) => action.do === "tick");
    for (let [next] = this.possible(); next !== undefined && next.do !== "tick"; [next] = this.possible()) {
      this.choose(command, (action) => same(action, next));
    }
  }

  /** Each link in turn delivers its first message; timers expire when nothing is on its way. False: nothing is left. */
  private pass(): boolean {
    const possible = this.possible();
    if (possible.length === 0) return false;
    if (this.network.timed) {
      if (possible[0].do === "tick") this.round("run");
      else this.choose("run", (action) => same(action, possible[0]));
      return true;
    }
    const links = new Set(possible.flatMap((action) => (action.do === "deliver" ? [action.link] : [])));
    for (const link of links) this.choose("run", (action) => action.do === "deliver" && action.link === link);
    if (links.size === 0) this.choose("run", (action) => action.do === possible[0].do);
    return true;
  }
}
