import { expect, test } from "vitest";
import { expansion, t95 } from "./student-t.ts";

// R's and SciPy's t quantile at 0.975.
test.each([
  [1, 12.706204736174694],
  [2, 4.302652729749462],
  [3, 3.1824463052837078],
  [4, 2.776445105197793],
  [10, 2.228138851986274],
  [30, 2.0422724563012378],
  [100, 1.9839715185235518],
  [299, 1.9679296690656698],
  [1000, 1.9623390808264083],
  [1e9, 1.9599639869],
])("t of %i degrees of freedom", (df, expected) => {
  expect(Math.abs(t95(df) / expected - 1)).toBeLessThan(df > 1e6 ? 1e-10 : 1e-12);
});

test("falls with the degrees of freedom, also where the expansion takes over", () => {
  for (let df = 1; df < 400; df++) expect(t95(df + 1)).toBeLessThan(t95(df));
  expect(Math.abs(expansion(299) - t95(299))).toBeLessThan(1e-12);
});
