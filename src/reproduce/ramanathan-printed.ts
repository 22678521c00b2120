/**
 * Ramanathan et al., the theorems of sections 3 and 5 as they are stated: with the printed number of rounds, for n beyond what
 * can be simulated. Expectations follow the paper's recursion; n = 2^64, 2^128, 2^256 and 2^512 have whole numbers of rounds.
 */
import { bound, reference, theory } from "./draw.ts";
import { textsOf } from "./texts.ts";
import { numberText } from "./words.ts";

const { item } = textsOf("ramanathan");

const WHOLE = [64, 128, 256, 512];
const SHOWN = [4, 8, 12, 16, 20, 24, 28, 30, 32, 36, 40, 48, 56, 64, 72, 80, 88, 96, 112, 128];

/** f_n = log n - log log^6 n for n = 2^k: the rounds of the first phase. */
const printedRounds = (k: number) => k - 6 * Math.log2(k);

/** The largest n = 2^k without even one round. */
function lastWithout(): number {
  let k = 4;
  while (printedRounds(k + 1) < 1) k++;
  return k;
}

/**
 * With n = 2^k and γ = `load` / σ_(w-1): the contenders that the first phase leaves, and the messages per process. All
 * in proportion to n, which has more digits than a number.
 */
export function asPrinted(k: number, load = 0): { readonly left: number; readonly messages: number } {
  const rounds = Math.max(0, Math.floor(printedRounds(k)));
  const n = 2 ** k;
  const sigma = (j: number) => Math.ceil(Math.sqrt((n * Math.LN2) / (2 ** (k - j + 1) - 1)));
  const gamma = rounds === 0 ? 0 : load / sigma(rounds);
  let x = n;
  let asked = 0;
  for (let j = 1; j <= rounds; j++) {
    const mediators = sigma(j);
    asked += x * mediators;
    x *= Math.exp(mediators * ((x - 1) * Math.log1p(-mediators / n) + Math.log1p(-gamma)));
  }
  asked += x * Math.sqrt(n * Math.log(n));
  return { left: x, messages: (2 * asked) / n };
}

/** Contenders after the first phase, in units of log^6 n. */
const inUnits = (k: number, load = 0) => asPrinted(k, load).left / k ** 6;

export const printedTheorems = item("as-printed", {}, () => {
  const units = WHOLE.map((k) => inUnits(k));
  const messages = WHOLE.map((k) => asPrinted(k).messages);
  const limit = messages[messages.length - 1];
  const without = lastWithout();
  const k = 64;
  const load = 0.9;
  const failing = WHOLE.map((size) => inUnits(size, load) * Math.exp(load));
  const factor = 2 ** (1 - printedRounds(k) + k) / k ** 6;
  const rounds = [8, 1024, 50_000].map((n) => printedRounds(Math.log2(n)));
  const { left } = asPrinted(k);
  // X_i varies at most as a Poisson number does (see Lemma 1); a normal tail beyond ε E[X_i], ε = 1/log² n.
  const tail = (size: number) => 2 * Math.exp((-(size ** -4) * asPrinted(size).left) / 2);
  return {
    values: [
      { without, cheap: SHOWN.find((k) => k > without && asPrinted(k).messages < 2 * limit)!, k, left, units, factor },
      { whole: WHOLE.join(", 2^"), rounds, share: 1 / left, deviations: Math.round(Math.sqrt(left) / k ** 2) },
      { peak: asPrinted(without).messages, messages: messages.map(numberText), root: Math.sqrt(k), load, failing },
      { loaded: inUnits(k, load) },
    ],
    claims: {
      "printed-rounds": rounds.every((some) => some >= 1),
      "printed-somebody": units.every((left) => left > 0.5),
      "printed-identity": factor <= 0.5,
      "printed-left": units.every((left) => left <= 0.5 * (1 + 1 / 64 ** 2)),
      "printed-concentration": WHOLE.every((size) => tail(size) < size ** -6),
      "printed-messages": messages.every((some, i) => i === 0 || some <= messages[i - 1]) && limit < 10,
      "printed-quorum": WHOLE.every((size) => asPrinted(size).left <= 10 * Math.sqrt(size)),
      "printed-failures": failing.every((left) => left > 0.5) && asPrinted(512, load).messages <= limit,
    },
    figures: {
      "ramanathan-as-printed": [
        theory("as printed", SHOWN, (x) => asPrinted(x).messages),
        reference("quorum alone", SHOWN, (x) => 2 * Math.sqrt(2 ** x * x * Math.LN2)),
        bound("limit", SHOWN, () => limit),
      ],
    },
  };
});
