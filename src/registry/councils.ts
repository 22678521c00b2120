/** Raz et al.: a council of L to U members instead of a leader. */

import { councilContinuousKernel } from "../kernels/council/continuous.ts";
import { councilKernels } from "../kernels/council/council.ts";
import type { AnyProtocol } from "../protocol.ts";
import { councilBasic } from "../protocols/council/basic.ts";
import { councilChoice } from "../protocols/council/choice.ts";
import { councilContinuous } from "../protocols/council/continuous.ts";
import { councilHistory } from "../protocols/council/history.ts";
import { councilMasks } from "../protocols/council/masks.ts";
import { councilNaive } from "../protocols/council/naive.ts";
import { councilSkipReset } from "../protocols/council/skip-reset.ts";
import { councilUnknown } from "../protocols/council/unknown.ts";
import { narrateContinuous, narrateCouncil } from "../protocols/narration/councils.ts";
import { councilHolds } from "../protocols/narration/holding.ts";
import type { Params } from "../protocols/parameters.ts";
import { predictCouncil, predictMasks } from "../theory/raz/predict.ts";
import type { CouncilName } from "../theory/raz/report.ts";
import type { Entry } from "./entry.ts";
import type { Planning, PlanSetting, Tries } from "./planning.ts";

/** Copies of the closing list that are worth sending. */
const MOST_LISTS = 64;

/** A closing list where replies or lists can be lost; c, where there is one, for the fewest exchanges or replies. */
const search =
  (words: readonly Params[], rangeOf: (council: NonNullable<PlanSetting["council"]>) => Params) =>
  (tries: Tries): void => {
    const { loss, multicastLoss, crash, council } = tries.setting;
    const range = rangeOf(council!);
    for (const word of words) {
      // Finding c takes longest, and it does not depend on the lists.
      const tuned = tries.attempt({ ...range, ...word, confirm: true })?.parameters ?? {};
      const constant = "c" in tuned ? { c: tuned.c } : {};
      const tryWith = (lists: number) =>
        tries.attempt({
          ...range,
          ...constant,
          ...(loss > 0 || multicastLoss > 0 || crash > 0 ? { confirm: true, lists } : {}),
        });
      if (multicastLoss === 0) tries.add(tryWith(1));
      else tries.addSmallest(MOST_LISTS, tryWith);
    }
  };

const searchC = (...words: readonly string[]) =>
  search(
    words.map((c) => ({ c })),
    ({ L, U }) => ({ L, U }),
  );

/** How long an election takes is simulated later on: where time is short, both are looked at. */
const searches: Planning["ways"] = ({ within }) =>
  within < Infinity ? [searchC("auto-N"), searchC("auto-T")] : [searchC("auto-N", "auto-T")];

const page: Entry["page"] = {
  counts: "replies of hosts; feedback of the centre is not counted",
  phase: "exchange",
  parts: { contends: "has replied" },
};

/** An exchange is a multicast and its replies. */
const delays = (rounds: number): number => 2 * rounds;

/** One centre, and a host that it does not hear is not on its council: a network in two parts has one council or none. */
const planned: Planning = {
  elects: "council",
  traffic: ({ messages, rounds }, params) => ({
    unicasts: messages!,
    multicasts: rounds! + (params.confirm === true ? Number(params.lists) : 0),
  }),
  // Multicasts and replies take turns, and a list may be the last.
  lengthen: (delays, multicast) => ((multicast + 1) * delays + multicast - 1) / 2,
};

const council = (protocol: AnyProtocol, name: CouncilName, planning: Partial<Planning> = {}): Entry => ({
  protocol,
  delays,
  predict: (question) => predictCouncil(question, name),
  narrate: narrateCouncil,
  page: { ...page, holds: councilHolds },
  kernels: councilKernels.filter((kernel) => kernel.protocol === protocol),
  planning: { ...planned, ways: searches, ...planning },
});

/** Hosts that miss a feedback fall out of step with the centre, and what that costs has no prediction. */
const inStep: Partial<Planning> = { measured: ({ multicastLoss }) => multicastLoss > 0 };

export const councilEntries: readonly Entry[] = [
  council(councilNaive, "naive"),
  council(councilBasic, "basic", inStep),
  council(councilSkipReset, "skip-reset"),
  council(councilChoice, "choice"),
  council(councilHistory, "history", inStep),
  council(councilUnknown, "unknown"),
  {
    protocol: councilMasks,
    delays,
    predict: predictMasks,
    narrate: narrateCouncil,
    page: { ...page, holds: councilHolds },
    kernels: councilKernels.filter((kernel) => kernel.protocol === councilMasks),
    planning: {
      ...planned,
      ways: (setting) =>
        setting.council!.L > 1
          ? "it stops at the first reply, so it can only promise L = 1"
          : [search([{}], ({ U }) => ({ U }))],
    },
  },
  {
    protocol: councilContinuous,
    narrate: narrateContinuous,
    page,
    kernels: [councilContinuousKernel],
    delays,
    planning: "it keeps a council over time; this plans a single election",
  },
];
