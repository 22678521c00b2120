/** Ramanathan et al., the drawn examples of the second phase: Figs. 6 to 8, played move by move. */
import type { ExploreRequest } from "../explorer/explore.ts";
import type { Part, Reproduction } from "./claim.ts";
import { drawn, play } from "./play.ts";
import { exactly, verdictIf, verdictOr } from "./verdict.ts";

const READINGS = ["printed", "repaired"] as const;

const FIG6_MOVES = [
  ...[
    "start 2 with 1 0 0",
    "tick",
    "deliver 2->3",
    "start 0 1 with 11 2 0 11 1 0",
    "tick",
    "deliver 0->3",
    "deliver 0->4",
  ],
  ...["deliver 1->4", "deliver 1->5", "deliver 2->5", "tick", "deliver 4->0", "deliver 4->1", "deliver 5->2", "tick"],
  ...["deliver 3->2", "deliver 2->3", "tick", "deliver 3->0", "start 6 with 16 3 0", "deliver 5->1", "tick"],
  ...["deliver 0->3", "deliver 6->3", "deliver 0->4", "run"],
];

export const fig6: Reproduction = {
  paper: "ramanathan",
  name: "fig6",
  title: "Fig. 6: example 1 of the second phase",
  async run(bench): Promise<Part> {
    bench.step("Fig. 6");
    const request = (reading: string): ExploreRequest => ({
      n: 7,
      ids: [1, 2, 3, 4, 5, 6, 7],
      initiators: [0, 1, 2, 6],
      timed: 3,
      params: { s: 2, reading },
      choices: 4,
    });
    const [printed, repaired] = READINGS.map((reading) =>
      play("quorum", request(reading), FIG6_MOVES, ["C1", "C2", "C3", "M1", "M2", "M3", "C4"]),
    );
    const asDrawn = [printed, repaired].every(
      ({ verdicts }) =>
        verdicts.every((status, node) => (status === "elected") === (node === 0)) && verdicts[6] === "not-elected",
    );
    return {
      claims: [
        {
          section: "Fig. 6",
          statement: "C1 is the final winner; a larger number that arrives in close-safe is refused",
          paper: "C1 wins",
          ...exactly(asDrawn ? "C1 wins, the late one is refused, in both readings" : "another one wins"),
          verdict: verdictIf(asDrawn),
          note: "C1 is node 0, the late one node 6. Its refusal comes when M1 has C1 as the final winner, and not at once; the outcome is the figure's.",
        },
      ],
      figures: [
        drawn(
          "ramanathan-fig6",
          "Fig. 6: M2 prefers C1, M1 lets it wait for C3",
          "τ = 3, repaired tables; M3 is one more mediator, C4 the late contender",
          repaired,
        ),
      ],
      text: "The first example comes out as the paper tells it (examples/scenarios/ramanathan-fig6.txt).",
    };
  },
};

const FIG7_BEGINNING = [
  ...[
    "start 2 0 with 0 0 0 7 1 0",
    "tick",
    "deliver 2->3",
    "deliver 0->4",
    "tick",
    "deliver 0->3",
    "deliver 2->4",
    "tick",
  ],
  ...["deliver 4->0", "deliver 3->2", "tick", "deliver 4->2", "tick", "tick", "deliver 2->3"],
];
const FIG7_END = ["start 1 with 4 2 0", "tick", "deliver 3->0", "deliver 1->3", "deliver 1->4", "run"];

const FIG7_NAMES = ["C1", "C2", "C3", "M1", "M2"];

const FIG7_MOVES = {
  repaired: [...FIG7_BEGINNING, "tick", "timer 4 hold", ...FIG7_END],
  printed: [...FIG7_BEGINNING, "deliver 2->4", "tick", ...FIG7_END],
};

export const fig7: Reproduction = {
  paper: "ramanathan",
  name: "fig7",
  title: "Fig. 7: example 2 of the second phase",
  async run(bench): Promise<Part> {
    bench.step("Fig. 7");
    const request = (reading: string): ExploreRequest => ({
      n: 5,
      ids: [1, 2, 3, 4, 5],
      initiators: [0, 1, 2],
      timed: 2,
      params: { s: 2, reading },
      choices: 4,
    });
    const repaired = play("quorum", request("repaired"), FIG7_MOVES.repaired, FIG7_NAMES);
    const printed = play("quorum", request("printed"), FIG7_MOVES.printed, FIG7_NAMES);
    const leads = repaired.verdicts[1] === "elected";
    const nobody = !printed.verdicts.includes("elected");
    return {
      claims: [
        {
          section: "Fig. 7",
          statement: "C1 is pre-empted at M2 and declines at M1, which then answers the waiting C2",
          paper: "C2 goes on",
          ...exactly(
            `as printed ${nobody ? "nobody leads" : "somebody leads"}; repaired, ${leads ? "C2 leads" : "C2 does not lead"}`,
          ),
          verdict: verdictOr(leads && !nobody, leads),
          note: "If C1 has sent POTW before it hears of the pre-emption, M1 as printed refuses C2 for the sake of C1, while M2 refuses C1 for the sake of C2.",
        },
      ],
      figures: [
        drawn(
          "ramanathan-fig7",
          "Fig. 7, repaired: M2 prefers C2, and C2 leads",
          "τ = 2; C3 is a third contender that makes M1 slow",
          repaired,
        ),
        drawn(
          "ramanathan-fig7-printed",
          "Fig. 7 with the tables as printed: nobody is left",
          "the same schedule, but for one more DEC from C3 to M2",
          printed,
        ),
      ],
      text:
        "The second example is where the tables break. C1 has its last ACK when M2 pre-empts it, and its POTW crosses the NAK. Under this schedule the repaired tables elect C2, as the paper intends, and the printed ones nobody " +
        "(examples/scenarios/ramanathan-fig7.txt; [Everybody loses](everybody-loses.md) tells why).",
    };
  },
};

const FIG8_MOVES = [
  ...[
    "start 2 0 with 1 1 0 9 2 0",
    "tick",
    "deliver 2->3",
    "deliver 0->3",
    "deliver 0->4",
    "deliver 2->5",
    "start 1 with 9 0 0",
  ],
  ...[
    "tick",
    "deliver 4->0",
    "deliver 3->2",
    "deliver 5->2",
    "deliver 1->4",
    "deliver 1->5",
    "tick",
    "deliver 2->3",
    "run",
  ],
];

export const fig8: Reproduction = {
  paper: "ramanathan",
  name: "fig8",
  title: "Fig. 8: example 3 of the second phase",
  async run(bench): Promise<Part> {
    bench.step("Fig. 8");
    const request = (reading: string): ExploreRequest => ({
      n: 6,
      ids: [1, 2, 3, 4, 5, 6],
      initiators: [0, 1, 2],
      timed: 2,
      params: { s: 2, reading },
      choices: 4,
    });
    const [printed, repaired] = READINGS.map((reading) =>
      play("quorum", request(reading), FIG8_MOVES, ["C1", "C2", "C3", "M1", "M2", "M3"]),
    );
    const both = [repaired, printed].every(({ verdicts }) => verdicts[2] === "elected" && verdicts[0] !== "elected");
    const remembers = (one: typeof printed) =>
      [3, 5].some(
        (node) =>
          (one.state(node) as { member: { mediator: { state: string } | null } }).member.mediator?.state === "final",
      );
    return {
      claims: [
        {
          section: "Fig. 8",
          statement: "C3, whose POTW arrives first, wins over C1, whose number is the largest",
          paper: "C1 is refused, C3 wins",
          ...exactly(both ? "C3 wins, in both readings" : "another one wins"),
          verdict: verdictIf(both),
          note: `As printed, the declines of the losers free the winner's locks, and ${remembers(printed) ? "some mediators still remember it" : "no mediator remembers it"}: whoever asks next is elected as well.`,
        },
      ],
      figures: [
        drawn(
          "ramanathan-fig8",
          "Fig. 8, repaired: C3 leads, and C1 waits for it at M1",
          "τ = 2; M3 is one more mediator of C2 and C3",
          repaired,
        ),
      ],
      text:
        "The third example elects the right contender in both readings. But the printed rule that hears DEC from anybody makes the mediators forget whom they " +
        "have elected (examples/scenarios/ramanathan-fig8.txt).",
    };
  },
};
