import { expect, test } from "vitest";
import { threefry } from "./threefry.ts";

const hex = (words: string) => words.split(" ").map((word) => Number.parseInt(word, 16));

// Known answers of Random123's own test suite (kat_vectors): counter, key, output.
test.each([
  ["0 0 0 0", "0 0 0 0", "9c6ca96a e17eae66 fc10ecd4 5256a7d8"],
  ["ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff ffffffff ffffffff", "2a881696 57012287 f6c7446e a16a6732"],
  ["243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0 082efa98 ec4e6c89", "59cd1dbb b8879579 86b5d00c ac8b6d84"],
])("threefry-4x32-20 of %s under %s", (counter, key, expected) => {
  const out = new Uint32Array(4);
  const [k0, k1, k2, k3] = hex(key);
  const [c0, c1, c2, c3] = hex(counter);
  threefry(out, k0, k1, k2, k3, c0, c1, c2, c3);
  expect([...out]).toEqual(hex(expected));
});
