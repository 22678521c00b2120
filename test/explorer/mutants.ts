/**
 * Protocols that are wrong only somewhere: from eight nodes on, at the sixth value of a draw, with a late start, when two
 * timers tie, in probability. Each can be given to the command: `explore --protocol-file test/explorer/mutants.ts#eighth`.
 */
import { type AnyProtocol, SELF, type Self } from "../../src/protocol.ts";
import { refereesAsync } from "../../src/protocols/complete/referees-async.ts";
import { floodMax } from "../../src/protocols/graph/flood-max.ts";
import { changRoberts } from "../../src/protocols/ring/chang-roberts.ts";
import { announce } from "../../src/protocols/ring/common.ts";
import { hirschbergSinclair } from "../../src/protocols/ring/hirschberg-sinclair.ts";
import { itaiRodeh } from "../../src/protocols/ring/itai-rodeh.ts";
import { timeSlice } from "../../src/protocols/ring/time-slice.ts";
import { meddling, mishandling } from "./planted-bugs.ts";
import { type Ctx, type Plain, type Toy, toy } from "./toy.ts";

/** Chang-Roberts: the seventh larger id that a node is to pass on is lost. One arrangement of eight ids in 5,040 shows it. */
export const eighth: AnyProtocol = {
  ...mishandling(changRoberts, (state, _port, message) => {
    if (message.kind !== "elect" || message.id <= state.id) return false;
    state.passed = (state.passed ?? 0) + 1;
    return state.passed === 7;
  }),
  name: "eighth",
};

/** Hirschberg-Sinclair in which a node leads if it is the largest within four hops each way. Ten nodes have room for two of them. */
export const nearest: AnyProtocol = {
  ...mishandling(hirschbergSinclair, (state, _port, message, ctx) => {
    if (message.kind !== "reply" || message.id !== state.id || state.reach < 4) return false;
    if (state.replies++ === 1) announce(state, state.id, ctx);
    return true;
  }),
  name: "nearest",
};

/** Itai-Rodeh: two who have drawn the sixth id do not notice each other. */
export const sixth: AnyProtocol = {
  ...mishandling(itaiRodeh, (state, port, message, ctx) => {
    if (message.kind !== "lot" || message.id !== 6 || message.unique) return false;
    itaiRodeh.receive(state, port, { ...message, unique: true }, ctx);
    return true;
  }),
  name: "sixth",
};

/** Chang-Roberts: a node that does not start passes smaller ids on only once. Few who start are needed to see it. */
export const fewStart: AnyProtocol = {
  ...mishandling(changRoberts, (state, _port, message) => {
    if (message.kind !== "elect" || state.role === "contends" || message.id >= state.id) return false;
    state.passed = (state.passed ?? 0) + 1;
    return state.passed > 1;
  }),
  name: "few-start",
};

/** Itai-Rodeh: ids are drawn from one value too few, so that ties are likelier; every promise is kept. */
export const narrow: AnyProtocol = {
  ...itaiRodeh,
  name: "narrow",
  init: (params: Plain, self: Self, saved, ctx) =>
    itaiRodeh.init({ ...params, range: params.range - 1 }, self, saved, ctx),
};

/**
 * Flood-max: of more than three links through which a flood is awaited, one counts for two. Five nodes have no room for it; of
 * six, the largest must be silent until all others have come to an end.
 */
export const hasty: AnyProtocol = {
  ...mishandling(floodMax, (state, _port, message) => {
    if (message.kind !== "leader" && message.id === state.best && state.awaited > 3) state.awaited--;
    return false;
  }),
  name: "hasty",
};

/** Time slices that are an instant too short: the announcement arrives with the next one, and comes first unless the two tie. */
export const tight: AnyProtocol = {
  ...timeSlice,
  name: "tight",
  init: (params, self: Self, saved, ctx) => timeSlice.init(params, { ...self, n: self.n! - 1 }, saved, ctx),
};

/** Referees that look again after they have answered: somebody who starts late, with a larger rank, is let through too. */
export const wavering: AnyProtocol = {
  ...mishandling(refereesAsync, (state, port, message) => {
    const { hearing } = state;
    if (message.kind === "request" && hearing?.open === false && message.rank > hearing.best.rank)
      hearing.best = { port, rank: message.rank };
    return false;
  }),
  name: "wavering",
};

/** Itai-Rodeh from eight nodes on: who is one hop from home takes the message for its own. */
export const nearlyHome: AnyProtocol = {
  ...mishandling(itaiRodeh, (state, port, message, ctx) => {
    if (message.kind !== "lot" || state.n < 8 || message.hop !== state.n - 1) return false;
    itaiRodeh.receive(state, port, { ...message, hop: state.n }, ctx);
    return true;
  }),
  name: "nearly-home",
};

const loaded = (ctx: Ctx): Ctx => meddling(ctx, { choose: (n) => ctx.choose(n + 1) % n });

/** Itai-Rodeh: the smallest id is drawn twice as often as any other; every promise is kept. */
export const biased: AnyProtocol = {
  ...itaiRodeh,
  name: "biased",
  init: (params, self: Self, saved, ctx) => itaiRodeh.init(params, self, saved, loaded(ctx)),
  receive: (state, port, message, ctx) => itaiRodeh.receive(state, port, message, loaded(ctx)),
};

/** On complete networks, where losers need not know who leads: ports 0 and 1 of three nodes are those of a ring. */
function small(name: string, parts: Toy, changes: Partial<AnyProtocol["assumes"]> = {}): AnyProtocol {
  const made = toy(parts);
  return {
    ...made,
    name,
    assumes: { ...made.assumes, topology: "complete", ...changes },
    verdict: ({ leads }: Plain) => ({ status: leads ? "elected" : "not-elected", leader: null, term: 0 }),
  };
}
const [AFTER, BEFORE] = [0, 1];

/** Everybody waits for two instants whether somebody with a larger id is there: long enough where all start together. */
export const late = small(
  "late",
  {
    init(id, ctx) {
      ctx.send(AFTER, id);
      ctx.arm("patience", 2);
      return { id, leads: false, beaten: false };
    },
    receive(state, id, ctx) {
      if (id > state.id) state.beaten = true;
      else if (state.leads) ctx.send(AFTER, state.id);
    },
    expire: (state) => {
      state.leads = !state.beaten;
    },
  },
  { timing: "partial" },
);

/** A timer and a message of one instant: the message comes first, and cancels the timer. */
export const tie = small(
  "tie",
  {
    init(id, ctx) {
      if (id === 2) ctx.send(AFTER, "I lead");
      else ctx.arm("patience", 1);
      return { leads: id === 2 };
    },
    receive: (_state, _message, ctx) => ctx.disarm("patience"),
    expire: (state) => {
      state.leads = true;
    },
  },
  { timing: "partial" },
);

/** Node 1 takes the office from node 0 and gives it to node 2: a crash between the two leaves nobody in it. */
export const between = small("between", {
  init(id, ctx) {
    if (id === 2) {
      ctx.send(BEFORE, "stop");
      ctx.send(AFTER, "lead");
    }
    return { leads: id === 1 };
  },
  receive(state, message) {
    state.leads = message === "lead";
  },
});

/** A vote that comes twice counts twice. */
export const twice = small("twice", {
  init(id, ctx) {
    if (id === 2) ctx.send(AFTER, "vote");
    if (id === 1) ctx.send(BEFORE, "vote");
    return { votes: 1, leads: id === 1 };
  },
  receive(state) {
    state.votes++;
    if (state.votes > 3) state.leads = true;
  },
});

/** What node 0 has promised is forgotten when it starts again. */
export const forgetful = small("forgetful", {
  init(id, ctx) {
    if (id !== 1) ctx.send(SELF, id === 2 ? BEFORE : AFTER);
    return { promised: false, leads: false };
  },
  receive(state, message, ctx, port) {
    if (port === SELF) ctx.send(message, "ask");
    else if (message === "yes") state.leads = true;
    else if (!state.promised) {
      state.promised = true;
      ctx.send(port, "yes");
    }
  },
});

/** The second message must not overtake the first. */
export const overtaken = small("overtaken", {
  init(id, ctx) {
    if (id === 2) for (const word of ["know", "lead"]) ctx.send(AFTER, word);
    return { knows: false, leads: false };
  },
  receive(state, message) {
    if (message === "know") state.knows = true;
    else state.leads = state.knows;
  },
});

/** What a user is told, and no verdict shows: a token that goes back. */
export const token: AnyProtocol = {
  ...small("token", {
    init(id, ctx) {
      if (id === 3) ctx.send(AFTER, 2);
      if (id === 2) ctx.send(BEFORE, 1);
      return { token: 0, back: false, leads: id === 1 };
    },
    receive(state, given) {
      state.back = given < state.token;
      state.token = given;
    },
  }),
  report: ({ back }: Plain) => ({ back }),
};

/** One value in a thousand. */
export const last = small("last", {
  init: (id, ctx) => ({ leads: id === 1 || ctx.choose(1000) === 999 }),
});

/** A coin that is tossed until it falls the other way: its runs end with probability 1. */
export const patient = small("patient", {
  init(id, ctx) {
    ctx.send(SELF, "toss");
    return { id, leads: false };
  },
  receive(state, message, ctx) {
    if (state.id !== 1) return;
    if (ctx.coin(0.5)) state.leads = true;
    else ctx.send(SELF, message);
  },
});

/** As `patient`, but however the coin falls, it is tossed again. */
export const hopeless = small("hopeless", {
  init(id, ctx) {
    ctx.send(SELF, "toss");
    return { id, leads: id === 1 };
  },
  receive(state, message, ctx) {
    if (state.id === 1) ctx.send(SELF, ctx.coin(0.5) ? message : "toss");
  },
});
