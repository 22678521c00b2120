/** A path of the explorer as a trace. */

import type { Step } from "../explorer/space/configurations.ts";
import { UNTOUCHED } from "../explorer/space/node-steps.ts";
import type { StateSpace } from "../explorer/space/state-space.ts";
import { type TraceEvent, TraceLog } from "./events.ts";
import type { Teller } from "./story.ts";

interface Sending {
  readonly event: number;
  readonly message: number;
  readonly at: number;
}

export function tracePath(network: StateSpace, steps: readonly Step[], teller: Teller | null = null): TraceEvent[] {
  const log = new TraceLog();
  /** What is on each link, in the order of sending, which is not the order of arrival where channels keep none. */
  const onWay: Sending[][] = network.links.map(() => []);
  let now = 0;
  let before = network.blank();
  const late = (network.problem.budget.late ?? 0) > 0;
  const starts = late ? network.starters().length : steps.findLastIndex(({ action }) => action.do === "start") + 1;
  for (const [i, { action, after, outcome }] of steps.entries()) {
    const vector = before;
    before = after;
    if (action.do === "tick") {
      now += action.by;
      continue;
    }
    if (action.do === "late" || action.do === "part" || action.do === "heal") continue;
    // Without time, each step has an instant of its own.
    const at = network.timed ? now : Math.max(0, i - starts + 1);
    const node = "link" in action ? network.links[action.link].to : action.node;
    if ("link" in action) {
      const { from } = network.links[action.link];
      const { message, age } = network.onLink(vector, action.link)[action.index];
      const sendings = onWay[action.link];
      const place = sendings.findIndex((sent) => sent.message === message && now - sent.at === age);
      const { event } = sendings[place];
      if (action.do === "duplicate") sendings.splice(place, 0, sendings[place]);
      else sendings.splice(place, 1);
      const content = network.nodes.messages.value(message);
      if (action.do === "duplicate") log.add(at, { do: "duplicate", node }, event);
      else if (action.do === "drop") log.add(at, { do: "lose", node, why: "loss" }, event);
      else if (outcome === null) log.handle(at, { do: "refuse", node, message: content }, event);
      else log.handle(at, { do: "deliver", node, from, message: content }, event);
    } else if (action.do === "expire") log.handle(at, { do: "timer", node, timer: action.timer }, null);
    else log.handle(at, { do: action.do, node }, null);
    for (const { port, message } of outcome?.sends ?? []) {
      const link = network.links.findIndex((candidate) => candidate.from === node && candidate.port === port);
      const { to } = network.links[link];
      const event = log.effect(at, { do: "send", node, to, message: network.nodes.messages.value(message) });
      if (network.crashed(after, to)) log.add(at, { do: "lose", node: to, why: "crash" }, event);
      else if (network.separated(after, link)) log.add(at, { do: "lose", node: to, why: "loss" }, event);
      else onWay[link].push({ event, message, at: now });
    }
    if ("halfway" in action) log.effect(at, { do: "crash", node });
    if (network.crashed(after, node)) {
      for (const [link, { to }] of network.links.entries()) {
        if (to !== node) continue;
        for (const { event } of onWay[link]) log.add(at, { do: "lose", node, why: "crash" }, event);
        onWay[link] = [];
      }
    }
    if (!network.crashed(after, node)) log.believes(at, node, network.nodes.verdict(node, network.state(after, node)));
    if (teller !== null && outcome !== null) {
      const state = (vector: Int32Array) => {
        const known = network.state(vector, node);
        return known === UNTOUCHED ? null : network.nodes.states.value(known);
      };
      teller.tell(log.events, log.handling!, state(vector), state(after));
    }
  }
  return [...log.events];
}
