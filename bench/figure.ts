/** Time of one trial against n, for every protocol. */
import { smallMultiples } from "../src/plot/plot.ts";
import type { Growth } from "./growth.ts";

const families: readonly (readonly [title: string, of: RegExp])[] = [
  ["Rings", /^(chang|hirsch|peterson|time-slice|itai|known)/],
  ["Complete networks", /^(tournament|quorum|referees)/],
  ["Any network (regular:8)", /^(random-walks|flood|tree|network-size)/],
  ["Groups", /^(filter|epidemic|council-(naive|continuous|masks|unknown))/],
  ["Councils", /^council-(basic|skip|choice|history)/],
];

export const drawGrowth = (growth: readonly Growth[], machine: string): Promise<string> =>
  smallMultiples({
    title: "Seconds of one trial, one thread",
    caption: `Defaults; kernels where there are some. ${machine}`,
    columns: 2,
    width: 300,
    height: 200,
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
  }).svg();
