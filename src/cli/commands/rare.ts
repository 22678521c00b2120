/** `sortition rare EVENT`: the probability of a miss that no simulation lives to see, measured. */
import type { Command } from "commander";
import { estimateMiss, type MissEstimate, type MissQuestion } from "../../campaign/rare.ts";
import { didYouMean, InputError } from "../../errors.ts";
import { type Given, readAll, setting, type Values } from "../../setting.ts";
import { SETTINGS } from "../../settings/simulation.ts";
import { paperSizes } from "../../theory/kutten/kutten.ts";
import { lnDisjoint } from "../../theory/ramanathan/ramanathan.ts";
import { between0And1, choice, whole } from "../../values.ts";
import type { Io } from "../io.ts";
import { addSettings, jsonOption } from "../options/options.ts";
import { figure, percent, plural } from "../text/figures.ts";
import { examples, painter, print } from "../text/terminal.ts";

const RARE = {
  n: setting(whole(2), { value: "count", about: "number of processes; must be given" }),
  s: setting(whole(1), {
    value: "size",
    about: "quorum-miss: members of a quorum",
    otherwise: "√(n ln n), rounded up",
  }),
  referees: setting(whole(1), {
    value: "count",
    about: "referee-miss: referees of a candidate",
    otherwise: "twice √(n ln n), rounded up",
  }),
  contenders: setting(whole(2), {
    value: "count",
    about: "how many draw a set; the event is that some pair misses",
    default: "2",
  }),
  samples: setting(whole(2), { value: "count", about: "how many samples", default: "10000" }),
  method: setting(choice("tilted", "splitting"), {
    value: "name",
    about: "tilted: importance sampling; splitting: true draws only, wider intervals",
    default: "tilted",
  }),
  tilt: setting(between0And1("20%"), {
    value: "share",
    about: "tilted: the share of hits that are taken",
    otherwise: "so that about a third of the samples miss",
  }),
  seed: SETTINGS.seed,
};

const EVENTS = ["quorum-miss", "referee-miss"];

/** What is known without sampling: the exact value for two contenders, and limits for more. */
interface Known {
  readonly exact: number | null;
  readonly exactLog10: number | null;
  readonly atLeast: number;
  readonly atMost: number;
  readonly atLeastLog10: number;
  readonly atMostLog10: number;
}

export function define(command: Command, io: Io): void {
  command
    .description(
      "Measures the probability that two random sets have no common member (the cause of two leaders), by importance sampling or by splitting, and shows the exact value beside it. Plain simulation would need more than one over the probability in elections.",
    )
    .argument("<event>", "quorum-miss (sets of s among all n) or referee-miss (sets among the other n-1)");
  addSettings(command, RARE)
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        [
          ["sortition rare quorum-miss --n 5000 --s 310", "about 1e-9, to one percent, in a moment"],
          ["sortition rare referee-miss --n 1000", "the sizes of Kutten et al."],
          ["sortition rare quorum-miss --n 5000 --s 310 --method splitting", "the same by true draws only"],
        ],
        "docs/simulate.md",
      ),
    )
    .action(run.bind(null, io));
}

function run(io: Io, event: string, options: Given<typeof RARE> & { json?: true }): void {
  const asked = readAll(RARE, options);
  const question = questionOf(event, asked);
  const { seed, method, samples, tilt } = asked;
  const estimate = estimateMiss(question, { samples, seed, method, ...(tilt === undefined ? {} : { tilt }) });
  const known = knownOf(question);
  print(
    io,
    options.json === true
      ? JSON.stringify({ event, ...question, method, seed, ...estimate, ...known, confidence: 0.95 })
      : forPeople(io, event, question, method, estimate, known),
  );
}

function questionOf(event: string, { n, s, referees, contenders }: Values<typeof RARE>): MissQuestion {
  if (!EVENTS.includes(event)) {
    throw new InputError(`the event must be ${EVENTS.join(" or ")}, not "${event}"${didYouMean(event, EVENTS)}`);
  }
  if (n === undefined) throw new InputError("how many processes? say so with --n, such as --n 5000");
  const othersOnly = event === "referee-miss";
  if (othersOnly && s !== undefined) throw new InputError("--s is for quorum-miss: use --referees");
  if (!othersOnly && referees !== undefined) throw new InputError("--referees is for referee-miss: use --s");
  const size = othersOnly
    ? (referees ?? paperSizes(n).referees)
    : (s ?? Math.min(n, Math.ceil(Math.sqrt(n * Math.log(n)))));
  return { n, size, contenders, othersOnly };
}

function knownOf({ n, size, contenders, othersOnly }: MissQuestion): Known {
  const ln = othersOnly ? lnRefereeMiss(n, size) : lnDisjoint(n, size, size);
  const two = Math.exp(ln);
  const log10 = ln / Math.LN10;
  if (contenders === 2) {
    return { exact: two, exactLog10: log10, atLeast: two, atMost: two, atLeastLog10: log10, atMostLog10: log10 };
  }
  const pairs = (contenders * (contenders - 1)) / 2;
  const all = ln + Math.log(pairs);
  // Bonferroni: any two pairs of quorums miss independently, also where they have a contender in common.
  const overlap = othersOnly ? 1 : Math.min(1, ((pairs - 1) / 2) * two);
  const least = Math.max(ln, all + Math.log1p(-overlap));
  const most = Math.min(0, all);
  return {
    exact: null,
    exactLog10: null,
    atLeast: Math.exp(least),
    atMost: Math.exp(most),
    atLeastLog10: least / Math.LN10,
    atMostLog10: most / Math.LN10,
  };
}

/** By whether the second candidate is a referee of the first: it cannot ask itself. */
function lnRefereeMiss(n: number, referees: number): number {
  const others = n - 1;
  const share = referees / others;
  const asked = Math.log(share) + lnDisjoint(others, referees - 1, referees);
  const not = Math.log1p(-share) + lnDisjoint(others, referees, referees);
  const larger = Math.max(asked, not);
  return larger === -Infinity ? larger : larger + Math.log1p(Math.exp(Math.min(asked, not) - larger));
}

function forPeople(
  io: Io,
  event: string,
  question: MissQuestion,
  method: string,
  estimate: MissEstimate,
  known: Known,
): string {
  const { n, size, contenders } = question;
  const paint = painter(io.stdout);
  const sets = event === "quorum-miss" ? `quorums of ${figure(size)}` : `sets of ${plural(size, "referee")}`;
  const what = contenders === 2 ? `two ${sets}` : `some two of ${figure(contenders)} ${sets}`;
  const { probability, samples, misses, tilt } = estimate;
  const tilted = tilt === null ? "" : `, tilt ${tilt.toPrecision(3)}`;
  const lines = [
    `${paint("bold", event)}: ${what} among ${figure(n)} processes have no common member`,
    `  measured  ${measuredText(estimate, known)}`,
    known.exact === null
      ? `  exact     not known; at least ${small(known.atLeast, known.atLeastLog10)}, at most ${small(known.atMost, known.atMostLog10)}`
      : `  exact     ${small(known.exact, known.exactLog10!)}`,
    `  method    ${method}${tilted}: ${figure(samples)} samples, ${figure(misses)} of them with a miss`,
  ];
  if (probability > 0) lines.push(`Plain simulation would see one in about ${small(1 / probability)} elections.`);
  return lines.join("\n");
}

function measuredText(estimate: MissEstimate, { atMostLog10 }: Known): string {
  const { probability, log10, low, high, lowLog10, highLog10, relativeError } = estimate;
  if (relativeError === null || highLog10 === null) {
    return atMostLog10 === -Infinity
      ? "nothing: the sets are so large that they always meet"
      : "no miss in any sample: take more";
  }
  const ends = `${small(low, lowLog10)} to ${small(high!, highLog10)} with 95% confidence`;
  return `${small(probability, log10)}  (${ends}; standard error ${percent(relativeError)})`;
}

const SMALLEST = 1e-300;

/** Four digits; below the smallest number, from its logarithm. */
function small(value: number, log10 = Math.log10(value)): string {
  if (value >= 0.001 && value < 1e6) return figure(value);
  if (value >= SMALLEST) return value.toExponential(3);
  if (log10 === -Infinity) return "0";
  const exponent = Math.floor(log10);
  return `${(10 ** (log10 - exponent)).toFixed(3)}e${exponent}`;
}
