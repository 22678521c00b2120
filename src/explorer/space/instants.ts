/** The steps of runs in which there is time: what happens within an instant, and from one to the next. */

import type { Configurations, Visit } from "./configurations.ts";
import { faultSteps, latest, resumeSteps } from "./faults.ts";
import { PAUSED, UP } from "./layout.ts";

/**
 * One instant: overdue deadlines; then messages old enough, node by node (handlers of different nodes commute within an
 * instant, so ascending order stands for all); then timers; then the ends of rounds; then the next instant. With `ties`
 * messages and timers of all nodes come in any order.
 */
export function timedSteps(network: Configurations, visit: Visit, maxDelay: number): void {
  const { cells } = network.draft;
  const { size, cursorAt } = network.layout;
  const cursor = cells[cursorAt];
  const closed = cursor >= size;
  if (!closed) {
    // A pause that has lasted as long as it may ends before anything else happens.
    const ending = network.everybody.find((node) => cells[network.layout.statusAt(node)] === PAUSED);
    if (ending !== undefined) {
      resumeSteps(network, visit, [ending]);
      return;
    }
    const last = network.everybody.find((node) => cells[network.layout.statusAt(node)] === UP - 1);
    if (last !== undefined) {
      network.startLate(last, false, visit);
      return;
    }
    const overdue = network.due(true);
    if (overdue !== null) {
      network.expire(overdue.node, overdue.timer, visit);
      return;
    }
  }
  // Nobody after the first node that something must reach now may have its turn before: it would be too late then.
  let first = Infinity;
  for (const [link, { to }] of network.links.entries()) {
    if (to >= first || cells[network.layout.linkAt(link)] === network.contents.empty || network.paused(cells, to))
      continue;
    if (network.onLink(cells, link).some(({ age }) => age >= maxDelay)) first = to;
  }
  const ties = network.problem.ties === true;
  const inTurn = (node: number) => !closed && (ties || (node >= cursor && node <= first));
  for (const [link, { to }] of network.links.entries()) {
    if (!inTurn(to) || network.paused(cells, to)) continue;
    for (const index of network.deliverable(cells, link)) {
      if (network.onLink(cells, link)[index].age >= 1) network.deliver(link, index, visit);
    }
  }
  for (const node of network.everybody) {
    if (!inTurn(node)) continue;
    const status = cells[network.layout.statusAt(node)];
    if (status < UP && status > latest(network)) network.startLate(node, !ties, visit);
    if (!ties || network.paused(cells, node)) continue;
    for (const { timer, left, deadline } of network.timersOf(cells, node)) {
      if (left <= 0 && !deadline) network.expire(node, timer, visit);
    }
  }
  if (!closed) {
    // A node that the turn has passed in this instant goes on in the next.
    const ahead = network.everybody.filter((node) => node >= cursor);
    resumeSteps(network, visit, ahead);
    faultSteps(network, visit, ahead);
  }
  const open = ties && !closed && network.due(false) !== null;
  if (closed || (first === Infinity && !open)) closing(network, visit);
}

function closing(network: Configurations, visit: Visit): void {
  const { layout, draft } = network;
  const { cells } = draft;
  const { mark } = draft;
  draft.set(layout.cursorAt, layout.size);
  const due = network.due(false);
  const touched = layout.ends ? network.everybody.find((node) => cells[layout.touchedAt(node)] !== 0) : undefined;
  if (due !== null) network.expire(due.node, due.timer, visit);
  else if (touched !== undefined) {
    draft.set(layout.touchedAt(touched), 0);
    const input = { kind: "end-round", round: cells[layout.roundAt] } as const;
    network.handle({ do: "end-round", node: touched }, touched, input, visit, false);
  } else tick(network, visit);
  draft.back(mark);
}

function tick(network: Configurations, visit: Visit): void {
  const { layout, draft } = network;
  const { cells } = draft;
  const nodes = network.everybody;
  const waiting =
    network.links.some((_, link) => cells[layout.linkAt(link)] !== network.contents.empty) ||
    nodes.some((node) => network.paused(cells, node) || network.waits(cells, node));
  const timers = nodes.flatMap((node) => network.timersOf(cells, node));
  const next = timers.reduce((least, { left }) => Math.min(least, left), Infinity);
  const drifts = layout.left(cells, "drifts") > 0;
  // A clock that goes ahead must not pass over a timer.
  const by = waiting || (drifts && next < Infinity) ? 1 : next;
  if (by === Infinity) return;
  const { mark } = draft;
  draft.set(layout.cursorAt, 0);
  // Rounds that nobody can tell apart are not told apart.
  if (layout.ends) draft.set(layout.roundAt, cells[layout.roundAt] + by);
  for (const node of nodes) {
    draft.set(layout.timersAt(node), network.armed.later(cells[layout.timersAt(node)], by));
    if (network.paused(cells, node)) draft.set(layout.statusAt(node), cells[layout.statusAt(node)] - 1);
    if (network.waits(cells, node)) draft.set(layout.statusAt(node), cells[layout.statusAt(node)] + 1);
  }
  for (let link = 0; link < network.links.length; link++) {
    draft.set(layout.linkAt(link), network.contents.aged(cells[layout.linkAt(link)]));
  }
  visit({ do: "tick", by }, null);
  if (drifts && next < Infinity) driftSteps(network, by, visit);
  draft.back(mark);
}

/** The same instant, and the clock of one node is behind or ahead: all its timers come later or earlier. */
function driftSteps({ layout, draft, armed, everybody }: Configurations, by: number, visit: Visit): void {
  const { cells, mark } = draft;
  layout.spend(draft, "drifts");
  const spent = draft.mark;
  for (const node of everybody) {
    const at = layout.timersAt(node);
    if (cells[at] === armed.none) continue;
    for (const ahead of [-1, 1] as const) {
      draft.set(at, armed.later(cells[at], ahead));
      visit({ do: "tick", by, drift: { node, by: ahead } }, null);
      draft.back(spent);
    }
  }
  draft.back(mark);
}
