/** Gupta et al., sections 1, 2.1 and 6: independence of the group size, the multicast beneath, bursts of loss. */
import type { Report } from "../statistics/report.ts";
import { obtainedLoss } from "../theory/epidemic.ts";
import { panelFigure, swept } from "./draw.ts";
import { election, lossy, QUIET } from "./gupta-setting.ts";
import { textsOf } from "./texts.ts";

const { claim, item } = textsOf("gupta");

const SIZES = { quick: [100, 1000, 3000], full: [100, 300, 1000, 3000] };
const LOSSES = [0.001, 0.1, 0.2, 0.3];

export const guptaScale = item("scale", async (bench) => {
  const sizes = SIZES[bench.effort];
  const reports = new Map<number, Map<number, Report>>();
  for (const p of LOSSES) {
    const small = await bench.sweep(
      sizes.filter((n) => n <= 1000),
      (n) => election(n, lossy(p)),
      [80, 300],
    );
    const large = await bench.sweep(
      sizes.filter((n) => n > 1000),
      (n) => election(n, lossy(p)),
      [40, 120],
    );
    reports.set(p, new Map([...small, ...large]));
  }
  const huge = await bench.simulate(election(20_000, QUIET), [40, 100]);
  const gossip = { n: 300, multicastLoss: 0.5, loss: 0.1, fanout: 2, rounds: 5 };
  const obtained = obtainedLoss(gossip);
  const elected = (multicastLoss: number) =>
    bench.simulate(election(300, { multicastLoss, loss: gossip.loss }), [60, 400]);
  const [bare, above] = [await elected(gossip.multicastLoss), await elected(obtained)];
  const losses = [{ rate: 1, kind: "multicast", link: null, from: 5, to: 15 }] as const;
  const burst = await bench.simulate(election(300, { losses }), [30, 200]);
  const figure = await panelFigure("gupta-scale", {}, [
    LOSSES.map((p) => swept(`loss ${p}`, reports.get(p)!, ({ rounds }) => rounds)),
    LOSSES.map((p) => swept(`loss ${p}`, reports.get(p)!, ({ measures }) => measures.unicasts)),
  ]);
  const [few, many] = [100, 3000].map((n) => reports.get(0.3)!.get(n)!);
  return {
    claims: [
      claim("scale-messages", many.measures.unicasts, many.measures.unicasts.low! < few.measures.unicasts.high!, {
        few,
      }),
      claim("scale-success", huge.success, huge.success.low! > 0.9, { huge }),
      claim("epidemic", obtained, obtained < 0.01, { above, bare }),
      claim("burst", burst.success, burst.success.low! > 0.85 && burst.rounds.mean! >= 2, { burst }),
    ],
    figures: [figure],
    values: { few, many },
  };
});
