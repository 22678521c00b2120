import { expect, test } from "vitest";
import { SELF } from "../../protocol.ts";
import { HostStream } from "../../random/streams.ts";
import { roundedSigma } from "../../theory/ramanathan/sigma.ts";
import { drawSigma, reuseMediators } from "./member.ts";

test("sigma_j is drawn by a coin for its fraction", () => {
  const sizes = { n: 1000, sigma: "design", alpha: 2, rounding: "stochastic" } as const;
  const { least, fraction } = roundedSigma(sizes, 5);
  expect(drawSigma(sizes, 5, { coin: (p) => p === fraction })).toBe(least + 1);
  expect(drawSigma(sizes, 5, { coin: () => false })).toBe(least);
});

test("reused mediators are distinct, keep the old ones, and are some of them when fewer are wanted", () => {
  const source = new HostStream(1, 0, "ids");
  const ctx = {
    degree: 7,
    choose: (n: number) => source.choose(n),
    coin: () => false,
    sample: () => [],
  };
  const old = [2, SELF, 5];
  for (let k = 1; k <= 8; k++) {
    const chosen = reuseMediators(k, old, ctx);
    expect(new Set(chosen).size).toBe(k);
    expect(chosen.filter((port) => old.includes(port)).length).toBe(Math.min(k, 3));
    expect(chosen.every((port) => port >= SELF && port < 7)).toBe(true);
  }
  // Five ports are new, each equally likely: five errors of 2000 draws are 90, exceeded with probability 3e-6 at most.
  const counts = new Map<number, number>();
  for (let i = 0; i < 2000; i++) {
    const [fresh] = reuseMediators(4, old, ctx).filter((port) => !old.includes(port));
    counts.set(fresh, (counts.get(fresh) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual([0, 1, 3, 4, 6]);
  for (const count of counts.values()) expect(Math.abs(count - 400)).toBeLessThan(90);
});
