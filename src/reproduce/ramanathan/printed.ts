/**
 * Ramanathan et al., the theorems of sections 3 and 5 as they are stated: with the printed number of rounds, for n beyond what
 * can be simulated. Expectations follow the paper's recursion; n = 2^64, 2^128, 2^256 and 2^512 have whole numbers of rounds.
 */
import { asPrinted, lastWithout, printedRounds } from "../../theory/ramanathan/printed.ts";
import { given } from "../criteria.ts";
import { bound, reference, theory } from "../draw.ts";
import { ramanathan } from "../texts.ts";
import { numberText } from "../words.ts";

const WHOLE = [64, 128, 256, 512];
const SHOWN = [4, 8, 12, 16, 20, 24, 28, 30, 32, 36, 40, 48, 56, 64, 72, 80, 88, 96, 112, 128];

/** Contenders after the first phase, in units of log^6 n. */
const inUnits = (k: number, load = 0) => asPrinted(k, load).left / k ** 6;

ramanathan("as-printed")((_ran, { tell, claims, draw }) => {
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
  tell({
    without,
    cheap: SHOWN.find((size) => size > without && asPrinted(size).messages < 2 * limit)!,
    k,
    left,
    units,
  });
  tell({ factor, whole: WHOLE.join(", 2^"), rounds, share: 1 / left });
  tell({ deviations: Math.round(Math.sqrt(left) / k ** 2), peak: asPrinted(without).messages });
  tell({ messages: messages.map(numberText), root: Math.sqrt(k), load, failing, loaded: inUnits(k, load) });
  claims({
    "printed-rounds": rounds.every((some) => some >= 1),
    "printed-somebody": given(units, (some) => some.every((left) => left > 0.5)),
    "printed-identity": given(factor, (found) => Math.abs(found - 0.5) < 1e-9),
    "printed-left": units.every((left) => left <= 0.5 * (1 + 1 / 64 ** 2)),
    "printed-concentration": given(WHOLE.map(tail), (tails) => tails.every((chance, i) => chance < WHOLE[i] ** -6)),
    "printed-messages": given(
      messages,
      (counts) => counts.every((some, i) => i === 0 || some <= counts[i - 1]) && counts[counts.length - 1] < 10,
    ),
    "printed-quorum": WHOLE.every((size) => asPrinted(size).left <= 10 * Math.sqrt(size)),
    "printed-failures": given(
      failing,
      (some) => some.every((left) => left > 0.5) && asPrinted(512, load).messages <= limit,
    ),
  });
  draw("ramanathan-as-printed", [
    theory("as printed", SHOWN, (x) => asPrinted(x).messages),
    reference("quorum alone", SHOWN, (x) => 2 * Math.sqrt(2 ** x * x * Math.LN2)),
    bound("limit", SHOWN, () => limit),
  ]);
});
