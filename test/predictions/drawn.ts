/**
 * Settings drawn from a fixed seed, for each protocol within what it is studied with: half of them without loss, half without
 * crashes, half with everybody starting, and a parameter at its default more often than not.
 */
import type { AnyProtocol, Parameter } from "../../src/protocol.ts";
import { catalogue } from "../../src/protocols/catalogue.ts";
import type { Params } from "../../src/protocols/parameters.ts";
import { HostStream } from "../../src/random/streams.ts";
import { entryOf } from "../../src/registry/all.ts";
import type { Request } from "../../src/simulation/settings.ts";
import { mostRounds } from "../../src/theory/ramanathan/sigma.ts";

/** The table of measured errors is that of this seed; any other draws settings that it has not seen. */
const SEED = 18_04;

/** What a setting is drawn with. */
export class Dice {
  private readonly source: HostStream;

  constructor(index: number, seed: number) {
    this.source = new HostStream(seed, index, "plan");
  }

  share(): number {
    return this.source.choose(2 ** 30) / 2 ** 30;
  }

  between(low: number, high: number): number {
    return low + this.share() * (high - low);
  }

  /** A whole number; each factor is as probable as any other. */
  size(low: number, high: number): number {
    return Math.min(high, Math.floor(low * ((high + 1) / low) ** this.share()));
  }

  whole(low: number, high: number): number {
    return low + this.source.choose(high - low + 1);
  }

  one<T>(choices: readonly T[]): T {
    return choices[this.source.choose(choices.length)];
  }

  /** A value with this probability, nothing otherwise. */
  some<T>(p: number, value: () => T): T | undefined {
    return this.share() < p ? value() : undefined;
  }
}

/** One kind of settings: how a request is drawn. */
type Draw = (dice: Dice) => Omit<Request, "protocol">;

const rounded = (x: number): number => Number(x.toPrecision(3));

function rates(dice: Dice, largest: { loss?: number; multicastLoss?: number; crash?: number }) {
  const rate = (most = 0) => dice.some(most > 0 ? 0.5 : 0, () => rounded(dice.between(0.005, most)));
  const { loss, multicastLoss, crash } = largest;
  return defined({ loss: rate(loss), multicastLoss: rate(multicastLoss), crash: rate(crash) });
}

/** Without what was not drawn. */
function defined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

const starters = (dice: Dice, n: number) => {
  const initiators = dice.some(0.5, () => dice.size(1, n));
  return initiators === undefined ? {} : { initiators };
};

const ring =
  (params: (dice: Dice, n: number) => Params): Draw =>
  (dice) => {
    const n = dice.size(2, 120);
    return { n, params: params(dice, n), faults: rates(dice, { loss: 0.05, crash: 0.2 }), ...starters(dice, n) };
  };

const isPassive = ({ name }: Parameter) => name === "passive";
const passive = (dice: Dice): Params => defined({ passive: dice.some(0.2, () => "join") });

function quorumSizes(dice: Dice, n: number): Params {
  const usual = Math.ceil(Math.sqrt(n * Math.log(n)));
  const ask = dice.some(0.6, () => Math.min(n, dice.size(Math.ceil(usual / 2), 2 * usual)));
  return defined({
    ask,
    s: ask === undefined ? undefined : Math.max(1, Math.round(ask * dice.between(0.3, 1))),
    gamma: dice.some(0.2, () => rounded(dice.between(0.01, 0.2))),
  });
}

const quorum: Draw = (dice) => {
  const n = dice.size(3, 200);
  const timing = dice.one(["sync", "async"]);
  const faults = rates(dice, { loss: 0.3, crash: 0.1 });
  return { n, params: { timing, ...quorumSizes(dice, n) }, faults, ...starters(dice, n) };
};

const tournament: Draw = (dice) => {
  const n = dice.size(3, 400);
  const sigma = dice.one(["design", "design", "design", "alpha"] as const);
  const rounding = dice.one(["ceil", "ceil", "stochastic"] as const);
  const most = mostRounds({ n, sigma, alpha: 2, rounding });
  const params = {
    ...quorumSizes(dice, n),
    ...(sigma === "alpha" ? { sigma } : {}),
    ...(rounding === "stochastic" ? { rounding } : {}),
    J: dice.some(0.5, () => dice.whole(0, most)),
    failures: dice.some(0.5, () => "no-refusal"),
  };
  return { n, params: defined(params), faults: rates(dice, { loss: 0.2, crash: 0.1 }), ...starters(dice, n) };
};

const council =
  (more: (dice: Dice, n: number) => Params, smallest = 10): Draw =>
  (dice) => {
    const n = dice.size(smallest, 3000);
    const L = dice.size(1, Math.min(20, Math.ceil(n / 3)));
    const U = Math.min(n, L + dice.size(1, 12) - 1);
    const c = dice.some(0.5, () => rounded(dice.between(Math.max(0.5, 0.8 * L), U + 0.9)));
    const faults = rates(dice, { loss: 0.3, multicastLoss: 0.2, crash: 0.2 });
    const confirm = dice.some(0.5, () => true);
    return { n, params: defined({ L, U, c, confirm, ...more(dice, n) }), faults };
  };

const estimate = (dice: Dice): Params => defined({ estimate: dice.some(0.2, () => rounded(dice.between(0.5, 2))) });

/** Protocols with parameters that are worth drawing. The place in this list chooses the draws: add new ones at its end. */
const LISTED: Readonly<Record<string, Draw>> = {
  "chang-roberts": ring((dice) => ({ ...passive(dice), ...defined({ reading: dice.some(0.1, () => "printed") }) })),
  "hirschberg-sinclair": ring((dice) => ({ ...passive(dice), ...defined({ stop: dice.some(0.3, () => "known-n") }) })),
  peterson: ring((dice) => ({ ...passive(dice), ...defined({ winner: dice.some(0.2, () => "owner") }) })),
  "time-slice": ring(passive),
  "itai-rodeh": ring((dice, n) => defined({ range: dice.some(0.5, () => dice.size(2, 2 * n)) })),
  "known-highest": ring(() => ({})),
  quorum,
  tournament,
  "tournament-async": tournament,
  referees: (dice) => {
    const n = dice.size(2, 1000);
    const usual = 2 * Math.ceil(Math.sqrt(n * Math.log(n)));
    const all = dice.share() < 0.5;
    const params = {
      candidates: dice.some(0.5, () => rounded(Math.min(n, dice.between(1, 20)))),
      referees: dice.some(0.5, () => Math.max(1, Math.min(n - 1, dice.size(Math.ceil(usual / 4), usual)))),
      answers: all ? "all" : undefined,
      threshold: all ? rounded(dice.between(0.3, 1)) : undefined,
      explicit: dice.some(0.2, () => true),
    };
    return { n, params: defined(params), faults: rates(dice, { loss: 0.3, crash: 0.2 }), ...starters(dice, n) };
  },
  "referees-async": (dice) => {
    const n = dice.size(2, 400);
    const usual = Math.ceil(Math.sqrt(n * Math.log(n)));
    const params = {
      candidates: dice.some(0.5, () => rounded(Math.min(n, dice.between(1, 8)))),
      m: dice.some(0.6, () => Math.max(1, Math.min(n, dice.size(usual, 3 * usual)))),
      tries: dice.some(0.2, () => dice.one([1, 3])),
    };
    return { n, params: defined(params), faults: rates(dice, { loss: 0.3, crash: 0.2 }), ...starters(dice, n) };
  },
  "random-walks": (dice) => {
    const topology = dice.one(["complete", "complete", "hypercube", "torus", "regular:4", "regular:8", "ba:3"]);
    const side = dice.whole(4, 16);
    const n =
      topology === "hypercube" ? 2 ** dice.whole(3, 9) : topology === "torus" ? side * side : dice.size(20, 400);
    const usual = 2 * Math.ceil(Math.sqrt(n * Math.log(n)));
    const params = {
      candidates: dice.some(0.5, () => rounded(dice.between(2, 12))),
      walks: dice.some(0.7, () => dice.size(Math.ceil(usual / 8), usual)),
    };
    return { n, topology, params: defined(params), ...starters(dice, n) };
  },
  "filter-relay": (dice) => {
    const n = dice.size(3, 300);
    const params = {
      K: dice.some(0.6, () => rounded(Math.min(n, dice.between(1, 20)))),
      rounds: dice.some(0.4, () => dice.whole(1, 5)),
      suppression: dice.some(0.3, () => "ideal"),
      view: dice.some(0.2, () => rounded(dice.between(0.5, 0.99))),
    };
    const faults = rates(dice, { loss: 0.3, multicastLoss: 0.5, crash: 0.05 });
    const initiators = dice.some(0.2, () => dice.size(2, Math.max(2, Math.min(n, 10))));
    return { n, params: defined(params), faults, ...(initiators === undefined ? {} : { initiators }) };
  },
  "epidemic-multicast": (dice) => {
    const n = dice.size(2, 200);
    const params = { fanout: dice.whole(1, 3), rounds: dice.some(0.5, () => dice.whole(1, 8)) };
    return { n, params: defined(params), faults: rates(dice, { loss: 0.3, multicastLoss: 0.5 }) };
  },
  "council-naive": council(estimate),
  "council-basic": council(estimate),
  "council-skip-reset": council(estimate),
  "council-choice": council((dice) => ({ ...estimate(dice), ...defined({ base: dice.some(0.3, () => "basic") }) })),
  "council-history": council(estimate),
  "council-unknown": council((dice) =>
    defined({
      base: dice.some(0.3, () => "naive"),
      guess: dice.some(0.5, () => dice.size(100, 100_000)),
      ...dice.one([{}, { alpha: 0.7, beta: 1.05 }]),
    }),
  ),
  "council-masks": (dice) => {
    const n = dice.size(2, 3000);
    const params = { U: dice.some(0.7, () => dice.whole(1, 12)), confirm: dice.some(0.5, () => true) };
    return { n, params: defined(params), faults: rates(dice, { loss: 0.3, multicastLoss: 0.2, crash: 0.2 }) };
  },
};

/** Other protocols are drawn by what they assume: rings with what all rings have in common, complete graphs with what they tolerate. */
function byAssumptions({ assumes, parameters }: AnyProtocol): Draw {
  if (assumes.topology === "ring") return ring(parameters.some(isPassive) ? passive : () => ({}));
  const bears = (fault: "loss" | "crash", most: number) => (assumes.tolerates.includes(fault) ? { [fault]: most } : {});
  return (dice) => {
    const n = dice.size(2, 120);
    return { n, faults: rates(dice, { ...bears("loss", 0.1), ...bears("crash", 0.2) }), ...starters(dice, n) };
  };
}

const unlisted = catalogue.filter(
  (protocol) =>
    (protocol.assumes.topology === "ring" || protocol.assumes.topology === "complete") &&
    entryOf(protocol)?.predict !== undefined &&
    !(protocol.name in LISTED),
);

/** By protocol. */
export const DRAWN: Readonly<Record<string, Draw>> = {
  ...LISTED,
  ...Object.fromEntries(unlisted.map((protocol) => [protocol.name, byAssumptions(protocol)])),
};

/** Which draws a protocol gets; that of an unlisted one follows from its name, so that new ones leave it as it is. */
function placeOf(protocol: string): number {
  const place = Object.keys(LISTED).indexOf(protocol);
  return place >= 0 ? place : 100 + [...protocol].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 1e6, 0);
}

/** The i-th setting of a protocol. */
export function drawnSetting(protocol: string, i: number, seed = SEED): Request {
  return { protocol, seed: 1 + i, ...DRAWN[protocol](new Dice(1000 * placeOf(protocol) + i, seed)) };
}
