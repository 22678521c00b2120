/** Draws docs/figures/performance.svg from bench/results.json: time of one trial against n, for every protocol. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { smallMultiples } from "../src/plot/plot.ts";
import type { Growth } from "./growth.ts";

const { growth, machine } = JSON.parse(readFileSync(join(import.meta.dirname, "results.json"), "utf8")) as {
  readonly growth: readonly Growth[];
  readonly machine: { readonly processor: string; readonly date: string };
};

const families: readonly (readonly [title: string, of: RegExp])[] = [
  ["Rings", /^(chang|hirsch|peterson|time-slice|itai|known)/],
  ["Complete networks", /^(tournament|quorum|referees)/],
  ["Any network (regular:8)", /^(random-walks|flood|tree|network-size)/],
  ["Groups and councils", /^(filter|epidemic|council)/],
];

const plot = smallMultiples({
  title: "Seconds of one trial, one thread",
  caption: `Defaults; kernels where there are some. ${machine.processor}, ${machine.date}.`,
  columns: 2,
  width: 300,
  height: 220,
  panels: families.map(([title, of]) => ({
    title,
    x: { label: "n", log: true },
    y: { label: "seconds", log: true },
    series: growth
      .filter(({ protocol }) => of.test(protocol))
      .map(({ protocol, points }) => ({
        name: protocol,
        kind: "measured" as const,
        points: points.map(({ n, seconds }) => ({ x: n, y: seconds })),
      })),
  })),
});
writeFileSync(join(import.meta.dirname, "../docs/figures/performance.svg"), await plot.svg());
