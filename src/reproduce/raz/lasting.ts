/**
 * Section VIII of Raz et al.: "all these algorithms can work continuously if we change the while condition". Their rules,
 * run on after the election until members vanish: does a new election follow?
 */
import { basicRules } from "../../protocols/council/basic.ts";
import { type ChoiceParams, choiceRules } from "../../protocols/council/choice.ts";
import type { Rules } from "../../protocols/council/council.ts";
import { type Feedback, feedback, isWithin } from "../../protocols/council/council.ts";
import { historyRules } from "../../protocols/council/history.ts";
import { skipResetRules } from "../../protocols/council/skip-reset.ts";
import { HostStream } from "../../random/streams.ts";
import { resolve } from "../../simulation/settings.ts";
import { councilRequest, WIDE } from "./setting.ts";

export type AnyRules = Rules<ChoiceParams, unknown, Feedback, object>;

/** Parameters that all of them understand. */
export const choiceParamsOf = (n: number) =>
  resolve(councilRequest("choice", n, { ...WIDE, c: 5.8 })).params as unknown as ChoiceParams;

const HOSTS = 50;
/** A new election takes an exchange or two; after this many there will be none. */
const PATIENCE = 200;
const RUNS = 100;

/** History that is forgotten once a council stands, so that a later reset is for everybody. */
const forgetful: typeof historyRules = {
  ...historyRules,
  next(memory, tally, params) {
    const sent = historyRules.next(memory, tally, params);
    if (sent === null) memory.population = HOSTS;
    return sent;
  },
  hear(host, heard, params, chance) {
    const reply = historyRules.hear(host, heard, params, chance);
    if (!heard.reset && isWithin(heard.population, params)) host.before = true;
    return reply;
  },
};

/** The shares of runs in which a new election follows: with history, with every other algorithm, and with history repaired. */
export function lasting() {
  const params = choiceParamsOf(HOSTS);
  const share = (rules: AnyRules) =>
    Array.from({ length: RUNS }, (_, run) => recovers(rules, params, run)).filter(Boolean).length / RUNS;
  const [history, repaired, ...others] = [historyRules, forgetful, basicRules, skipResetRules, choiceRules].map(
    (rules) => share(rules as AnyRules),
  );
  return { history, others, repaired, RUNS };
}

/** One election, five exchanges of a standing council, the loss of members, and then: does a council stand again? */
function recovers(rules: AnyRules, params: ChoiceParams, run: number): boolean {
  const chance = new HostStream(1, run, "election");
  let hosts = Array.from({ length: HOSTS }, () => rules.host(params));
  const { memory, feedback: first } = rules.open(params, HOSTS, chance);
  let sent = first!;
  let standing = 0;
  let shrunk = 0;
  for (let exchange = 0; shrunk === 0 || exchange < shrunk + PATIENCE; exchange++) {
    const tally: [number, number] = [0, 0];
    for (const host of hosts) {
      const draws = rules.hear(host, sent, params, chance);
      if ((draws & 1) !== 0) tally[0]++;
      if ((draws & 2) !== 0) tally[1]++;
    }
    const next = rules.next(memory, tally, params);
    if (next !== null) {
      sent = next;
      continue;
    }
    if (shrunk > 0) return true;
    const draw = rules.taken?.(memory) ?? 1;
    sent = feedback(tally[draw - 1], false, draw);
    if (++standing < 5) continue;
    const members = hosts.filter((host) => rules.member(host, draw));
    const gone = new Set(members.slice(params.L - 1));
    hosts = hosts.filter((host) => !gone.has(host));
    shrunk = exchange;
  }
  return false;
}
