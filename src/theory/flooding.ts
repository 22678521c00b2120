/** What elections by flooding cost on a network: exact where the network says it, bounds elsewhere. */
import type { GraphFacts, Surroundings } from "../protocol.ts";
import { lnChoose } from "./chance.ts";
import { cannotSay, type Prediction, type Question } from "./prediction.ts";
import { harmonic } from "./rings/rings.ts";

/** A flood that comes back passes every link once each way; the announcement goes to everybody else. */
const floodAndEcho = (n: number, links: number): number => 2 * links + n - 1;

/** Out and back over the distance to the farthest, a step more where two of the farthest are linked, and out again. */
const echoRounds = ({ spheres, outermostMeet }: Surroundings): number =>
  3 * (spheres.length - 1) + (outermostMeet ? 1 : 0);

/** The mean over all nodes, each of which is as likely to lead. */
function meanOver(around: readonly Surroundings[], value: (seen: Surroundings) => number): number {
  const nodes = around.reduce((sum, seen) => sum + seen.nodes, 0);
  return around.reduce((sum, seen) => sum + (seen.nodes / nodes) * value(seen), 0);
}

/**
 * The mean number of messages of rounds that pass on only news, to all neighbours but the first that brought them: a node has
 * news in round r if the largest initiator within distance r is at distance r. Nothing is sent in the last round.
 */
function floodMessages(around: readonly Surroundings[], initiators: number, rounds: number): number {
  const n = around.reduce((sum, seen) => sum + seen.nodes, 0);
  const somebodyIn = (nodes: number) =>
    nodes > n - initiators ? 1 : -Math.expm1(lnChoose(n - nodes, initiators) - lnChoose(n, initiators));
  const ofOne = ({ degree, spheres }: Surroundings): number => {
    let sum = rounds > 0 ? (initiators / n) * degree : 0;
    let within = 1;
    for (let r = 1; r < Math.min(rounds, spheres.length); r++) {
      within += spheres[r];
      sum += (degree - 1) * (spheres[r] / within) * somebodyIn(within);
    }
    return sum;
  };
  return n * meanOver(around, ofOne);
}

/** The last news are the leader's, at those farthest from it; a round later their messages arrive, unless it was the last round. */
const lastOf =
  (rounds: number) =>
  ({ spheres, deadEnds }: Surroundings): number =>
    Math.min(rounds, spheres.length - (deadEnds ? 1 : 0));

export function predictFloodMax(question: Question): Prediction {
  const { graph, params } = question;
  if (graph === undefined || graph === null) return cannotSay("the question has no network");
  return params.stop === "echo" ? withEcho(question, graph) : inRounds(question, graph);
}

/**
 * The mean number of messages of floods that come back, in unit time. Where k ids reach a node in an order that their values do not
 * decide, H_k of them are the largest so far, and each is passed on through all links but one (an initiator's own through
 * all). The winner's flood comes back once from everybody else, and is announced to them. Floods that die come back from
 * nodes with a single link; that they come back from others, too, is left out, and little unless the network is a tree.
 */
function floodAndEchoMean(around: readonly Surroundings[], initiators: number): number {
  const n = around.reduce((sum, { nodes }) => sum + nodes, 0);
  const largestSoFar = harmonic(initiators);
  const ends = n * meanOver(around, ({ degree }) => degree - 1);
  const leaves = n * meanOver(around, ({ degree }) => (degree === 1 ? 1 : 0));
  return ends * largestSoFar + initiators + 2 * (n - 1) + leaves * (largestSoFar - 1 - (initiators - 1) / n);
}

/** Every message of the winner's flood is needed, and everybody's answer. */
function withEcho({ n, initiators, loss, crash }: Question, graph: GraphFacts): Prediction {
  const links = graph.links();
  const success = initiators === 0 ? 0 : (1 - crash) ** n * (1 - loss) ** (2 * links);
  const faultless = loss === 0 && crash === 0;
  const around = faultless ? graph.surroundings() : null;
  const diameter = faultless ? graph.diameter() : null;
  const atMost = 2 * links * initiators + n - 1;
  const rounds = diameter === null ? null : 3 * diameter + 1;
  return {
    method: !faultless || initiators === 1 ? "exact" : around === null ? "bound" : "approximation",
    success,
    pNone: 1 - success,
    pMany: 0,
    messages: !faultless ? null : around === null ? atMost : floodAndEchoMean(around, initiators),
    rounds: around === null ? rounds : meanOver(around, echoRounds),
    factors: { links, atLeast: floodAndEcho(n, links), atMost, ...(diameter === null ? {} : { diameter }) },
    optimum: null,
  };
}

/** Under loss or crashes several may lead, and nobody can say how often. */
function inRounds({ initiators, params, loss, crash }: Question, graph: GraphFacts): Prediction {
  const rounds = Number(params.diameter);
  const around = graph.surroundings();
  const diameter = graph.diameter();
  if (loss > 0 || crash > 0)
    return cannotSay("under loss or crashes several may lead, and how often has not been computed");
  if (around === null || diameter === null) return cannotSay("the distances of this network take too long to compute");
  if (rounds < diameter)
    return cannotSay("with fewer rounds than the diameter several may lead, and how often has not been computed");
  if (initiators === 0) return cannotSay("nobody starts");
  const links = graph.links();
  return {
    method: "exact",
    success: 1,
    pNone: 0,
    pMany: 0,
    messages: floodMessages(around, initiators, rounds),
    rounds: meanOver(around, lastOf(rounds)),
    factors: { links, atMost: 2 * links * rounds, diameter },
    optimum: null,
  };
}

/** Theorem of the paper, and the announcement: every link outside the tree is refused once, at two messages. */
export const treeMost = (n: number, links: number): number => 2 * links + 5 * n * Math.log2(n) + n - 1;

/** Links outside the tree two, links of the tree at least: connect, initiate, report and the announcement. */
export const treeLeast = (n: number, links: number): number => 2 * (links - n + 1) + 4 * (n - 1);

export function predictTree({ n, initiators, loss, crash, graph }: Question): Prediction {
  if (graph === undefined || graph === null) return cannotSay("the question has no network");
  const links = graph.links();
  const atMost = treeMost(n, links);
  const success = initiators === 0 ? 0 : (1 - crash) ** n * (1 - loss) ** atMost;
  return {
    method: "bound",
    success,
    pNone: 1 - success,
    pMany: 0,
    messages: atMost,
    // The paper's bound where all wake at once; elsewhere each step at least delivers a message.
    rounds: initiators === n ? 5 * n * Math.log2(n) : atMost,
    factors: { links, atLeast: treeLeast(n, links), atMost },
    optimum: null,
  };
}
