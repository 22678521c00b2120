/** Ramanathan et al., the drawn examples of the second phase: Figs. 6 to 8, played move by move. */
import { drawn, movesOf, type Played, play } from "./play.ts";
import { textsOf } from "./texts.ts";
import { verdictOr } from "./verdict.ts";

const { claim, item, worded } = textsOf("ramanathan");

const NAMES = ["C1", "C2", "C3", "M1", "M2", "M3", "C4"];

/** A figure with its first n nodes, played as printed or repaired. */
function played(figure: string, reading: "printed" | "repaired", n: number, timed: number): Played {
  const ids = Array.from({ length: n }, (_, node) => node + 1);
  const initiators = [0, 1, 2, 6].filter((node) => node < n);
  const request = { n, ids, initiators, timed, params: { s: 2, reading }, choices: 4 };
  return play("quorum", request, movesOf(figure), NAMES.slice(0, n));
}

export const fig6 = item("fig6", async () => {
  const printed = played("ramanathan-fig6", "printed", 7, 3);
  const repaired = played("ramanathan-fig6", "repaired", 7, 3);
  const asDrawn = [printed, repaired].every(
    ({ verdicts }) =>
      verdicts.every((status, node) => (status === "elected") === (node === 0)) && verdicts[6] === "not-elected",
  );
  const found = asDrawn ? "C1 wins, the late one is refused, in both readings" : "another one wins";
  return {
    claims: [claim("fig6-winner", found, asDrawn)],
    figures: [drawn("ramanathan-fig6", repaired)],
  };
});

export const fig7 = item("fig7", async () => {
  const repaired = played("ramanathan-fig7", "repaired", 5, 2);
  const printed = played("ramanathan-fig7-printed", "printed", 5, 2);
  const leads = repaired.verdicts[1] === "elected";
  const nobody = !printed.verdicts.includes("elected");
  return {
    claims: [
      worded("fig7-next", verdictOr(leads && !nobody, leads), {
        nobody: nobody ? "nobody leads" : "somebody leads",
        leads: leads ? "C2 leads" : "C2 does not lead",
      }),
    ],
    figures: [drawn("ramanathan-fig7", repaired), drawn("ramanathan-fig7-printed", printed)],
  };
});

export const fig8 = item("fig8", async () => {
  const printed = played("ramanathan-fig8", "printed", 6, 2);
  const repaired = played("ramanathan-fig8", "repaired", 6, 2);
  const both = [repaired, printed].every(({ verdicts }) => verdicts[2] === "elected" && verdicts[0] !== "elected");
  const mediators = [3, 5].map(
    (node) => (printed.state(node) as { member: { mediator: { state: string } | null } }).member.mediator,
  );
  const remembered = mediators.some((mediator) => mediator?.state === "final");
  return {
    claims: [
      claim("fig8-winner", both ? "C3 wins, in both readings" : "another one wins", both, {
        remembered: remembered ? "some mediators still remember it" : "no mediator remembers it",
      }),
    ],
    figures: [drawn("ramanathan-fig8", repaired)],
  };
});
