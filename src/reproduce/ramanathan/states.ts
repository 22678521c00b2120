/** Ramanathan et al., section 4.2: Table 3 and Figs. 3 to 5, the states of contenders and mediators, over every schedule. */

import { type SeenStep, visitSchedules } from "../../explorer/search/schedules.ts";
import type { Mediator } from "../../protocols/complete/mediator.ts";
import type { TimedMember } from "../../protocols/complete/timed-member.ts";
import { beats } from "../../protocols/ranks.ts";
import { is } from "../criteria.ts";
import { ramanathan, textsOf } from "../texts.ts";
import { contest } from "./second-phase.ts";

const { say } = textsOf("ramanathan");

const MEDIATOR = { idle: "S0", safe: "S1", "post-safe": "S2", "close-safe": "S3", final: "S4" };
const STANDING = { passive: "S0", contends: "S0", lost: "S3", leads: "S4" };
const IDLE: Mediator = { state: "idle", curr: null, wait: null };

const memberOf = (state: unknown) => (state as { member: TimedMember } | undefined)?.member;
const mediatorOf = (state: unknown) => memberOf(state)?.mediator ?? IDLE;
const contenderOf = (state: unknown) => {
  const { standing, claim } = memberOf(state)!;
  return (standing === "contends" && claim?.state) || STANDING[standing];
};

/** What is seen of the tables as printed: three contenders that start up to 4τ apart, and two up to 8τ. */
function watched() {
  const rows = new Map<string, number>();
  const moves = new Set<string>();
  const found = { requests: 0, wronglyDelayed: 0, early: 0, grantedElsewhere: 0, unanswered: 0 };
  const see = ({ input, before, after }: SeenStep) => {
    if (input === "ACK" || input === "NAK" || input === "answers" || input === "start") {
      const [from, to] = [before, after].map(contenderOf);
      if (from === "S3" && to === "S3") return;
      if (input === "answers" && from === "S1") found.unanswered++;
      else moves.add(`${from} ${to}`);
      if (to === "S2" && memberOf(after)!.claim!.acked.length < 2) found.early++;
      return;
    }
    const [was, is] = [before, after].map(mediatorOf);
    const row = `${MEDIATOR[was.state]} ${input === "hold" ? "timer" : input} ${MEDIATOR[is.state]}`;
    rows.set(row, (rows.get(row) ?? 0) + 1);
    if (input === "REQ") {
      found.requests++;
      if (is.wait !== null && !beats(is.wait.rank, is.curr!.rank)) found.wronglyDelayed++;
    }
    const granted = is.curr !== null && is.curr.port !== was.curr?.port;
    if (granted && input === "DEC") found.grantedElsewhere++;
  };
  const starts = { initiators: [0, 1] };
  const visited =
    visitSchedules("quorum", contest({}, { reading: "tables", spread: 4 }), see) +
    visitSchedules("quorum", contest(starts, { reading: "tables", spread: 8 }), see);
  return { rows, moves: [...moves].sort(), visited, ...found };
}

ramanathan("figs3to5")((_ran, { tell, claims, ...bench }) => {
  bench.step("Figs. 3 to 5: every schedule");
  const { rows, moves, ...found } = watched();
  const printed = say("fig5-rows", "rows").split("; ");
  // A DEC that nothing is to follow needs no row.
  const without = [...rows.keys()].filter((row) => !printed.includes(row) && !row.includes("DEC")).sort();
  const taken = printed.filter((row) => rows.has(row));
  tell({ ...found, without: without.join(", "), printed: printed.length });
  claims({
    "table3-potw": [found.early, (x) => x === 0],
    "fig3-states": [moves.join(", "), is(moves.join(), "S0 S1,S1 S1,S1 S2,S1 S3,S2 S3,S2 S4")],
    "five-tau": found.unanswered === 0,
    "fig4-requests": [found.wronglyDelayed, (x) => x === 0],
    "fig5-rows": [taken.length, (x) => x === printed.length],
    "fig5-complete": [without.join(", "), without.length === 0],
    "no-ack-in-safe": [found.grantedElsewhere, (x) => x === 0],
  });
});
