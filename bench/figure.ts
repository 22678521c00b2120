/** Time of one trial against n: a figure for each family of protocols, since more than six lines cannot be told apart. */
import { linePlot } from "../src/plot/plot.ts";
import type { Growth } from "./growth.ts";

const FAMILIES: readonly (readonly [name: string, title: string, of: RegExp])[] = [
  ["rings", "Rings", /^(le-lann|chang|hirsch|franklin|peterson|dolev)/],
  ["rounds", "Rings in rounds or with coins", /^(time-slice|itai|known)/],
  ["complete", "Complete networks, with coins", /^(tournament|quorum|referees)/],
  ["coinless", "Complete networks, without coins", /^(bully|afek)/],
  ["graphs", "Any network (regular:8)", /^(random-walks|flood|tree|network-size)/],
  ["groups", "Groups and large councils", /^(filter|epidemic|council-(naive|continuous|masks|unknown))/],
  ["councils", "Councils", /^council-(basic|skip|choice|history)/],
];

/** By file name. */
export async function drawGrowth(growth: readonly Growth[], machine: string): Promise<Map<string, string>> {
  const drawn = new Map<string, string>();
  for (const [name, title, of] of FAMILIES) {
    const figure = linePlot({
      title: `${title}: seconds of one trial, one thread`,
      caption: `Defaults; kernels where there are some. ${machine}`,
      x: { label: "n", log: true },
      y: { label: "seconds", log: true },
      series: growth
        .filter(({ protocol }) => of.test(protocol))
        .map(({ protocol, points }) => ({
          name: protocol,
          kind: "measured" as const,
          points: points.map(({ n, seconds }) => ({ x: n, y: seconds })),
        })),
    });
    drawn.set(`performance-${name}.svg`, await figure.svg());
  }
  return drawn;
}
