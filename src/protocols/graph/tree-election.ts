/**
 * A spanning tree, and its leader: fragments of a tree grow together over their lightest outgoing links, the larger taking
 * in the smaller and equals joining, until there is one; of the two ends of the link that joined the last two, the one
 * with the larger id leads and tells everybody over the tree.
 *
 * R. Gallager, P. Humblet, P. Spira, "A distributed algorithm for minimum-weight spanning trees", ACM TOPLAS 5(1), 1983. The
 * weight of a link is the pair of ids at its ends, which both know, so no two are equal.
 *
 * Model: any connected graph with at most one link between two nodes, asynchronous, ids, each node knows its neighbours' ids;
 * links keep the order of messages. Neither n nor the diameter is known, and any set of nodes may start.
 * Cost: at most 2m + 5n log2 n messages (m links), and n - 1 to announce; every link is crossed at least twice. Time O(n log n).
 * Faults: none are tolerated but pauses. A message or node that is missing stops it before anybody leads.
 */
import { type Context, type Id, type Port, type Protocol, SELF } from "../../protocol.ts";
import { bitLength } from "../bits.ts";
import { type Decision, ringVerdict } from "../ring/common.ts";

/** The ids at the ends of a link, the smaller first. */
export type Weight = readonly [Id, Id];

export type TreeMessage =
  /** Over the lightest outgoing link of a fragment of that level: take us in, or let us join. */
  | { readonly kind: "connect"; readonly level: number }
  /** To all of a fragment: what it is called now, and whether to look for its lightest outgoing link. */
  | { readonly kind: "initiate"; readonly level: number; readonly core: Weight; readonly find: boolean }
  /** Are you of this fragment, too? Null: of one alone, who has started again and remembers none. */
  | { readonly kind: "test"; readonly level: number; readonly core: Weight | null }
  | { readonly kind: "accept" | "reject" | "change-root" }
  /** Towards the core: the lightest outgoing link behind the sender; null: there is none. */
  | { readonly kind: "report"; readonly weight: Weight | null }
  | { readonly kind: "leader"; readonly id: Id };

/** basic: not known yet; branch: of the tree; rejected: both ends are of one fragment. */
type LinkState = "basic" | "branch" | "rejected";

export interface TreeState extends Decision {
  readonly id: Id;
  /** By port; empty until this node has woken. */
  links: LinkState[];
  level: number;
  /** The link that made this fragment, which names it; null in a fragment of one. */
  core: Weight | null;
  /** Towards the core. */
  inward: Port;
  finding: boolean;
  /** The port under test, and branches that have not reported yet. */
  testing: Port | null;
  awaited: number;
  /** The lightest outgoing link found so far, and through which port it lies. */
  best: Weight | null;
  towards: Port;
  /** Messages that have to wait until this node's level is higher, or its search is over. */
  waiting: { readonly port: Port; readonly message: TreeMessage }[];
}

type Ctx = Context<TreeMessage>;

export const treeElection: Protocol<Record<string, never>, TreeState, TreeMessage> = {
  name: "tree-election",
  title: "A spanning tree grows out of fragments, and the last link that joined two of them names the leader",
  citation: "Gallager, Humblet and Spira, ACM TOPLAS 5(1), 1983",
  cost: "at most 2m + 5n log2 n messages, and n - 1 to announce; O(n log n) time",
  assumes: {
    topology: "connected",
    identity: "ids",
    timing: "asynchronous",
    start: "any",
    knows: [],
    fifo: true,
    multicast: false,
    tolerates: ["pause"],
  },
  parameters: [],
  measures: { announcements: "sum", levels: "max" },

  adapt(params, network) {
    return network.links() > (network.size * (network.size - 1)) / 2
      ? "two processes have more than one link between them, which it cannot tell apart: leave all but one out"
      : params;
  },

  init(_params, self, _saved, ctx) {
    const state: TreeState = {
      id: self.id!,
      links: [],
      level: 0,
      core: null,
      inward: SELF,
      finding: false,
      testing: null,
      awaited: 0,
      best: null,
      towards: SELF,
      waiting: [],
      status: "undecided",
      leader: null,
    };
    if (!self.initiator) return state;
    if (ctx.degree === 0) lead(state, ctx);
    else wake(state, ctx);
    return state;
  },

  receive(state, port, message, ctx) {
    if (state.links.length === 0) wake(state, ctx);
    if (!act(state, port, message, ctx)) state.waiting.push({ port, message });
    else retry(state, ctx);
  },

  verdict: ringVerdict,

  bits(message) {
    const weight = (of: Weight | null) => (of === null ? 1 : 1 + bitLength(of[0]) + bitLength(of[1]));
    switch (message.kind) {
      case "connect":
        return 3 + bitLength(message.level);
      case "initiate":
        return 4 + bitLength(message.level) + weight(message.core);
      case "test":
        return 3 + bitLength(message.level) + weight(message.core);
      case "report":
        return 3 + weight(message.weight);
      case "leader":
        return 3 + bitLength(message.id);
      default:
        return 3;
    }
  },
};

const weightOf = ({ id }: TreeState, port: Port, ctx: Ctx): Weight => {
  const other = ctx.peer(port)!;
  return id < other ? [id, other] : [other, id];
};

/** No link at all is heavier than any. */
function lighter(a: Weight | null, b: Weight | null): boolean {
  if (a === null || b === null) return a !== null;
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
}

const same = (a: Weight | null, b: Weight | null): boolean =>
  a !== null && b !== null && a[0] === b[0] && a[1] === b[1];

/** The lightest of the links that are not known yet; null if there is none. */
function lightest(state: TreeState, ctx: Ctx): Port | null {
  let found: Port | null = null;
  for (const port of ctx.ports()) {
    if (state.links[port] !== "basic") continue;
    if (found === null || lighter(weightOf(state, port, ctx), weightOf(state, found, ctx))) found = port;
  }
  return found;
}

/** A fragment of one: its lightest link belongs to the tree. */
function wake(state: TreeState, ctx: Ctx): void {
  state.links = ctx.ports().map(() => "basic");
  connect(state, lightest(state, ctx)!, ctx);
}

function connect(state: TreeState, port: Port, ctx: Ctx): void {
  state.links[port] = "branch";
  ctx.send(port, { kind: "connect", level: state.level });
}

/** What has waited may be due now, and may make other things due. */
function retry(state: TreeState, ctx: Ctx): void {
  for (let i = 0; i < state.waiting.length; ) {
    const { port, message } = state.waiting[i];
    if (act(state, port, message, ctx)) {
      state.waiting = state.waiting.filter((_, j) => j !== i);
      i = 0;
    } else i++;
  }
}

/** False where the message has to wait. */
function act(state: TreeState, port: Port, message: TreeMessage, ctx: Ctx): boolean {
  switch (message.kind) {
    case "connect":
      return takeIn(state, port, message.level, ctx);
    case "initiate":
      join(state, port, message, ctx);
      return true;
    case "test":
      return answer(state, port, message, ctx);
    case "accept":
      state.testing = null;
      offer(state, port, weightOf(state, port, ctx));
      report(state, ctx);
      return true;
    case "reject":
      if (state.links[port] === "basic") state.links[port] = "rejected";
      test(state, ctx);
      return true;
    case "report":
      return hearReport(state, port, message.weight, ctx);
    case "change-root":
      changeRoot(state, ctx);
      return true;
    case "leader":
      decide(state, "not-elected", message.id, port, ctx);
      return true;
  }
}

/** A smaller fragment is taken in as it is; an equal one joins over the link that both chose, one level up. */
function takeIn(state: TreeState, port: Port, level: number, ctx: Ctx): boolean {
  if (level < state.level) {
    state.links[port] = "branch";
    ctx.send(port, { kind: "initiate", level: state.level, core: state.core!, find: state.finding });
    if (state.finding) state.awaited++;
    return true;
  }
  if (state.links[port] === "basic") return false;
  ctx.send(port, { kind: "initiate", level: state.level + 1, core: weightOf(state, port, ctx), find: true });
  return true;
}

function join(state: TreeState, port: Port, message: TreeMessage & { kind: "initiate" }, ctx: Ctx): void {
  const { level, core, find } = message;
  Object.assign(state, { level, core, finding: find, inward: port, best: null, towards: SELF });
  ctx.measure("levels", level);
  for (const branch of ctx.ports()) {
    if (branch === port || state.links[branch] !== "branch") continue;
    ctx.send(branch, message);
    if (find) state.awaited++;
  }
  if (find) test(state, ctx);
}

/** Looks for this node's lightest link that leaves the fragment. */
function test(state: TreeState, ctx: Ctx): void {
  state.testing = lightest(state, ctx);
  if (state.testing === null) report(state, ctx);
  else ctx.send(state.testing, { kind: "test", level: state.level, core: state.core });
}

/** A node of a lower level may be about to become one of the same fragment: only a higher one can say no. */
function answer(state: TreeState, port: Port, { level, core }: TreeMessage & { kind: "test" }, ctx: Ctx): boolean {
  if (level > state.level) return false;
  if (!same(core, state.core)) ctx.send(port, { kind: "accept" });
  else {
    if (state.links[port] === "basic") state.links[port] = "rejected";
    // Both ends have asked: each takes the other's question for the answer.
    if (state.testing === port) test(state, ctx);
    else ctx.send(port, { kind: "reject" });
  }
  return true;
}

function offer(state: TreeState, port: Port, weight: Weight | null): void {
  if (!lighter(weight, state.best)) return;
  state.best = weight;
  state.towards = port;
}

function report(state: TreeState, ctx: Ctx): void {
  if (state.awaited > 0 || state.testing !== null) return;
  state.finding = false;
  ctx.send(state.inward, { kind: "report", weight: state.best });
}

/** Between the two ends of the core, the one with the lighter link acts; with none on either side, the tree is complete. */
function hearReport(state: TreeState, port: Port, weight: Weight | null, ctx: Ctx): boolean {
  if (port !== state.inward) {
    state.awaited--;
    offer(state, port, weight);
    report(state, ctx);
    return true;
  }
  if (state.finding) return false;
  if (lighter(state.best, weight)) changeRoot(state, ctx);
  else if (weight === null && state.id > ctx.peer(port)!) lead(state, ctx);
  return true;
}

/** On to the node at the fragment's lightest outgoing link, which connects there. */
function changeRoot(state: TreeState, ctx: Ctx): void {
  if (state.links[state.towards] === "branch") ctx.send(state.towards, { kind: "change-root" });
  else connect(state, state.towards, ctx);
}

function lead(state: TreeState, ctx: Ctx): void {
  decide(state, "elected", state.id, SELF, ctx);
}

function decide(state: TreeState, status: "elected" | "not-elected", leader: Id, from: Port, ctx: Ctx): void {
  state.status = status;
  state.leader = leader;
  for (const port of ctx.ports()) {
    if (port === from || state.links[port] !== "branch") continue;
    ctx.measure("announcements", 1);
    ctx.send(port, { kind: "leader", id: leader });
  }
}
