/**
 * Bully: a process that misses the coordinator asks all processes with larger ids; if none of them answers in time, it is the
 * coordinator itself and says so to all smaller ones.
 *
 * H. Garcia-Molina, "Elections in a distributed computing system", IEEE Trans. Computers C-31(1), 1982, with the messages that
 * textbooks give it (Coulouris et al., "Distributed Systems", section 15.3): election, answer and coordinator.
 *
 * Model: complete graph, ids that everybody knows, messages take at most tau, processes crash and start again.
 * Cost: n - 1 messages at best (the largest id starts), n² - 1 at worst (the smallest does, or all do): with h processes above
 * the smallest that starts, h(h + 1) + n - 1 where none has crashed and all delays are equal. At most 2 tau until somebody
 * leads if the largest lives, 4 tau if not.
 * Faults: crashes and restarts. Where the bound tau does not hold, two may lead: a message is late, a process pauses, the
 * network is partitioned. The explorer shows it without `timed`.
 *
 * What differs from the source. Who notices that the coordinator has failed is who starts: the watching itself (Check and
 * Timeout) is left out, so the crash of a leader after the election goes unnoticed until somebody starts again. There every
 * lower process is halted by a message and its answer before the coordinator takes office; here a coordinator takes office
 * tau after it has announced itself, when all who live have heard it, so that there are never two. What textbooks leave open:
 * a process that follows somebody does not hold an election for the first question of another one, which may just be late,
 * but for a repeated one; a coordinator answers a question by saying that it leads; a process that hears of a smaller coordinator
 * than its own follows it, and asks the larger one whether it is still there.
 */
import { count, type Narrate, type Part } from "../../narrator.ts";
import type { Context, Id, Port, Protocol, Verdict } from "../../protocol.ts";
import { bitLength } from "../bits.ts";
import { refuseTimed, timedParameters } from "./parameters.ts";
import { waitFor } from "./second-phase.ts";

interface BullyParams {
  readonly tau: number;
}

type BullyMessage =
  /** again: the sender has waited for a coordinator in vain. */
  | { readonly kind: "election"; readonly again: boolean }
  | { readonly kind: "answer" }
  | { readonly kind: "coordinator"; readonly id: Id };

/** asks: those above it. waits: for a coordinator. announces: it has told those below it, and takes office when they know. */
type Phase = "idle" | "asks" | "waits" | "announces" | "leads" | "follows";

interface BullyState {
  readonly params: BullyParams;
  readonly id: Id;
  phase: Phase;
  leader: Id | null;
}

type Ctx = Context<BullyMessage, "wait">;

export const bully: Protocol<BullyParams, BullyState, BullyMessage, "wait"> = {
  name: "bully",
  title: "Bully: the largest id that answers leads",
  citation: "Garcia-Molina, IEEE Trans. Computers C-31(1), 1982",
  cost: "n - 1 messages at best, n² - 1 at worst; at most 4 tau",
  assumes: {
    topology: "complete",
    identity: "ids",
    timing: "partial",
    start: "common",
    knows: [],
    fifo: false,
    multicast: false,
    tolerates: ["crash"],
  },
  parameters: [timedParameters.find(({ name }) => name === "tau")!],
  measures: { announcements: "sum", elections: "sum" },

  refuse: refuseTimed,

  init(params, self, _saved, ctx) {
    const state: BullyState = { params, id: self.id!, phase: "idle", leader: null };
    // A process that starts again holds an election: it may be larger than the coordinator. Only simulated processes know their
    // first start, which is number 0; of live ones everybody holds an election when it starts.
    if (self.initiator || self.life > 0) holdElection(state, false, ctx);
    return state;
  },

  receive(state, port, message, ctx) {
    if (message.kind === "election") hearElection(state, port, message.again, ctx);
    else if (message.kind === "coordinator") follow(state, message.id, ctx);
    else if (state.phase === "asks") {
      state.phase = "waits";
      // The largest that lives hears of the election within tau, waits 2 tau for those who do not, and is heard within tau.
      ctx.arm("wait", waitFor(4, { tau: state.params.tau, spread: 0 }));
    }
  },

  expire(state, _timer, ctx) {
    if (state.phase === "asks") announceItself(state, ctx);
    else if (state.phase === "waits") holdElection(state, true, ctx);
    else takeOffice(state);
  },

  verdict({ phase, leader }): Verdict {
    const status = phase === "leads" ? "elected" : phase === "follows" ? "not-elected" : "undecided";
    return { status, leader, term: 0 };
  },

  bits: (message) => 2 + (message.kind === "coordinator" ? bitLength(message.id) : message.kind === "election" ? 1 : 0),

  narrate: (before, event, after, scene) => tell(before, event, after, scene),
};

function holdElection(state: BullyState, again: boolean, ctx: Ctx): void {
  ctx.measure("elections", 1);
  state.leader = null;
  const asked = ctx.ports().filter((port) => ctx.peer(port)! > state.id);
  if (asked.length === 0) {
    announceItself(state, ctx);
    return;
  }
  state.phase = "asks";
  for (const port of asked) ctx.send(port, { kind: "election", again });
  ctx.arm("wait", waitFor(2, { tau: state.params.tau, spread: 0 }));
}

/** A process that asks has a smaller id. */
function hearElection(state: BullyState, port: Port, again: boolean, ctx: Ctx): void {
  if (state.phase === "announces" || state.phase === "leads") {
    ctx.send(port, { kind: "coordinator", id: state.id });
    return;
  }
  ctx.send(port, { kind: "answer" });
  if (state.phase === "idle" || (again && state.phase === "follows")) holdElection(state, again, ctx);
}

function announceItself(state: BullyState, ctx: Ctx): void {
  state.phase = "announces";
  for (const port of ctx.ports().filter((one) => ctx.peer(one)! < state.id)) {
    ctx.measure("announcements", 1);
    ctx.send(port, { kind: "coordinator", id: state.id });
  }
  ctx.arm("wait", waitFor(1, { tau: state.params.tau, spread: 0 }));
}

function takeOffice(state: BullyState): void {
  state.phase = "leads";
  state.leader = state.id;
}

/**
 * Only those below a coordinator hear from it. One that is smaller than the last has taken its place, or has announced itself
 * before the larger one had started again, and is just late: the larger one says so if it is there.
 */
function follow(state: BullyState, leader: Id, ctx: Ctx): void {
  const former = state.leader;
  if (former !== null && former > leader) {
    const port = ctx.ports().find((one) => ctx.peer(one) === former)!;
    ctx.send(port, { kind: "election", again: true });
  }
  state.phase = "follows";
  state.leader = leader;
  ctx.disarm("wait");
}

const PARTS: Readonly<Record<Phase, Part>> = {
  idle: "idle",
  asks: "contends",
  waits: "out",
  announces: "contends",
  leads: "leads",
  follows: "informed",
};

const tell: Narrate<BullyState, BullyMessage> = (before, event, after, scene) => {
  const part = PARTS[after.phase];
  const asked = event.sent.filter(({ message }) => message.kind === "election").length;
  const told = event.sent.filter(({ message }) => message.kind === "coordinator").length;
  const asking = `holds an election: it asks ${count(asked, "process with a larger id", "processes with larger ids")}`;
  const announcing = `tells ${count(told, "process with a smaller id", "processes with smaller ids")} that it is the coordinator`;
  const begun = after.phase === "asks" ? asking : announcing;
  const briefly = after.phase === "asks" ? `asks ${asked}` : `tells ${told}`;
  if (event.do === "timer") {
    if (before?.phase === "announces") {
      return { says: "takes office: all who live have heard that it leads", brief: "takes office", part };
    }
    const why = before?.phase === "asks" ? "has no answer in time" : "has waited for a coordinator in vain";
    return { says: `${why} and ${begun}`, brief: briefly, part };
  }
  if (event.do !== "deliver") {
    if (after.phase === "idle") return { says: "waits: it has not started", brief: null, part };
    return { says: begun, brief: briefly, part };
  }
  const { message, from } = event;
  const asker = scene.name(from);
  if (message.kind === "answer") {
    if (before?.phase === after.phase) return { says: `hears the answer of ${asker} too`, brief: null, part };
    return { says: `hears that ${asker} lives, and waits for a coordinator`, brief: "waits", part };
  }
  if (message.kind === "coordinator") {
    const doubts = asked > 0 ? `, and asks whether id ${before?.leader} is still there` : "";
    return { says: `follows id ${message.id}${doubts}`, brief: `follows ${message.id}`, part };
  }
  if (before?.phase === "announces" || before?.phase === "leads") {
    return { says: `tells ${asker} that it is the coordinator`, brief: "tells it", part };
  }
  if (before?.phase === after.phase) return { says: `answers ${asker}`, brief: "answers", part };
  return { says: `answers ${asker} and ${begun}`, brief: briefly, part };
};
