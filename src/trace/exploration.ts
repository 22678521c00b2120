/** A path of the explorer as a trace. */
import type { Network, Step } from "../explorer/network.ts";
import { type TraceEvent, TraceLog } from "./events.ts";

export function tracePath(network: Network, steps: readonly Step[]): TraceEvent[] {
  const log = new TraceLog();
  /** The number of the sending of each message on each link, in the order of the link's contents. */
  const onWay: number[][] = network.links.map(() => []);
  let now = 0;
  const timed = steps.some(({ action }) => action.do === "tick");
  for (const [i, { action, after, outcome }] of steps.entries()) {
    if (action.do === "tick") {
      now += action.by;
      continue;
    }
    // Without time, each step has an instant of its own.
    const at = timed ? now : action.do === "start" ? 0 : i;
    const node = "link" in action ? network.links[action.link].to : action.node;
    if ("link" in action) {
      const { from } = network.links[action.link];
      const [sending] = onWay[action.link].splice(action.index, 1);
      if (action.do === "drop") log.add(at, { do: "lose", node, why: "loss" }, sending);
      else log.handle(at, { do: "deliver", node, from, message: sentMessage(log, sending) }, sending);
    } else if (action.do === "expire") log.handle(at, { do: "timer", node, timer: action.timer }, null);
    else log.handle(at, { do: action.do, node }, null);
    if (action.do === "crash") {
      for (const [link, { to }] of network.links.entries()) {
        if (to !== node) continue;
        for (const sending of onWay[link]) log.add(at, { do: "lose", node, why: "crash" }, sending);
        onWay[link] = [];
      }
    }
    for (const { port, message } of outcome?.sends ?? []) {
      const link = network.links.findIndex((candidate) => candidate.from === node && candidate.port === port);
      const { to } = network.links[link];
      const sending = log.effect(at, { do: "send", node, to, message: network.nodes.messages.value(message) });
      if (network.crashed(after, to)) log.add(at, { do: "lose", node: to, why: "crash" }, sending);
      else onWay[link].push(sending);
    }
    if (!network.crashed(after, node)) log.believes(at, node, network.nodes.verdict(network.state(after, node)));
  }
  return [...log.events];
}

function sentMessage(log: TraceLog, sending: number): unknown {
  const event = log.events[sending];
  return event.do === "send" ? event.message : null;
}
