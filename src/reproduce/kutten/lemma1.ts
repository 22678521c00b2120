/** Kutten et al., Lemma 1: two candidates throw balls into bins, and no bin has balls of both. */
import { beaten, even, noCollision, poisson, rho } from "../../theory/kutten/kutten.ts";
import { afterRepair, given } from "../criteria.ts";
import { reference, theory } from "../draw.ts";
import { kutten } from "../texts.ts";

const SIZES = [3, 4, 5, 6, 7, 8, 9, 10];
const LARGE = [100, 1000, 10_000, 100_000, 1_000_000];
const BALLS = Array.from({ length: 12 }, (_, i) => i + 1);
const WITNESS = [0.41, 0.41, 0.18];

kutten("lemma1")((_ran, { tell, claims, draw }) => {
  const [uniform, uneven] = [noCollision(even(3), 5), noCollision(WITNESS, 5)];
  const sound = SIZES.every((n) => !beaten(n, (bins) => noCollision(bins, rho(n))));
  const poissonSound = SIZES.every((n) => [1, 3, 10, 30].every((balls) => !beaten(n, (bins) => poisson(bins, balls))));
  // In units of n^-2: four times the Poisson probability, as a power so that it does not underflow.
  const granted = LARGE.map((n) => 4 * (1 - (1 - Math.exp(-rho(n) / n)) ** 2) ** n * n ** 2);
  const grid = Array.from({ length: 40 }, (_, i) => (i + 1) / 10);
  const chain = (x: number) => 1 - (1 - Math.exp(-x)) ** 2;
  const failing = grid.filter((x) => chain(x) > 1 - x * x).length;
  const ratio = (bins: readonly number[]) => (x: number) => noCollision(bins, x) / noCollision(even(3), x);
  tell({ uniform, uneven, WITNESS, SIZES, largest: SIZES[SIZES.length - 1], granted });
  tell({ failing, all: grid.length });
  claims({
    "uniform-worst": uneven <= uniform,
    "uniform-worst-paper": given(sound, afterRepair),
    "uniform-worst-poisson": given({ poissonSound, granted }, (found) =>
      afterRepair(found.poissonSound && found.granted.every((share) => share <= 1)),
    ),
    "square-bound": [chain(0.5), failing === 0],
  });
  draw("kutten-lemma1", [
    theory(WITNESS.join(", "), BALLS, ratio(WITNESS)),
    theory("0.5, 0.5, 0", BALLS, ratio([0.5, 0.5, 0])),
    reference("uniform", BALLS, () => 1),
  ]);
});
