/** What is decided on an office: the table, row by row, and rules that hold for every combination of facts. */
import { describe, expect, test } from "vitest";
import { decide, NO_LEASES, type OfficeAction, type OfficeFacts } from "./decide.ts";

/** A member that knows the group, may lead, and sees a vacant office for which it does not wait yet. */
const VACANT: OfficeFacts = {
  ...NO_LEASES,
  holds: false,
  mustGiveUp: false,
  isUnannounced: false,
  hasWon: false,
  isTermOpen: true,
  isHeir: false,
  needsCandidates: false,
  isElecting: false,
  mayStand: true,
  isCalm: true,
  isWilling: true,
  isRequested: false,
  isOccupied: false,
  wait: "none",
  isIgnorant: false,
  isFirst: true,
  hasSeat: false,
};
const HOLDER = { holds: true, isOccupied: true };
const APPLICANT = { applies: true, isOccupied: true };
const DUE = { wait: "due" } as const;

test.each<readonly [string, Partial<OfficeFacts>, OfficeAction | null]>([
  ["a vacant office", {}, "wait"],
  ["its wait goes on", { wait: "waiting" }, null],
  ["its wait is over", DUE, "stand"],
  ["its wait is over, and others may know more", { ...DUE, isIgnorant: true }, "inquire"],
  ["its wait is over, but others come first", { ...DUE, isFirst: false }, "remind"],
  ["its wait is over, but it does not want the office", { ...DUE, isWilling: false }, "remind"],
  ["its wait is over, but it has a seat, and others have none", { ...DUE, hasSeat: true }, "remind"],
  ["somebody leads", { isOccupied: true }, null],
  ["somebody leads since it began to wait", { isOccupied: true, wait: "waiting" }, "stop waiting"],
  ["it has just joined", { isCalm: false }, null],
  ["it has just joined, and waits", { isCalm: false, wait: "waiting" }, null],
  ["it may not lead", { mayStand: false }, null],
  ["it may not lead any more, and waits", { mayStand: false, wait: "waiting" }, "stop waiting"],
  ["it is asked to stand, whatever it knows", { isRequested: true, isOccupied: true, isCalm: false }, "wait"],
  ["it was asked to stand, and its time has come", { isRequested: true, ...DUE, isIgnorant: true }, "stand"],
  ["it is asked to stand, and may not", { isRequested: true, mayStand: false }, "stop waiting"],
  ["it is asked to stand, and does not want to", { isRequested: true, isWilling: false }, "decline request"],
  ["it takes part in an election", { isElecting: true, ...DUE }, null],

  ["it has won", { hasWon: true }, "claim"],
  ["it has won, but somebody else has claimed the term", { hasWon: true, isTermOpen: false }, "forgo"],
  ["it has won, but is not eligible any more", { hasWon: true, isWilling: false, mustGiveUp: true }, "forgo"],
  ["it has won, but leaves", { hasWon: true, mayStand: false, mustGiveUp: true }, "forgo"],
  ["the last holder names it", { isHeir: true }, "inherit"],
  ["the last holder names it, and it may not follow", { isHeir: true, isWilling: false }, "decline office"],
  ["candidates are needed", { needsCandidates: true }, "request candidates"],

  ["it holds the office", HOLDER, null],
  ["it holds the office and must not", { ...HOLDER, mustGiveUp: true }, "give up"],
  ["it holds the office, and its work stops already", { ...HOLDER, mustGiveUp: true, isEnding: true }, null],
  ["it holds the office, and its lease is over", { ...HOLDER, isOver: true, isEnding: true }, "end claim"],
  ["its lease is over before it knew", { ...HOLDER, isOver: true }, "end claim"],
  ["it leads on in a higher term", { ...HOLDER, isUnannounced: true }, "announce"],
  ["it has a lease, but somebody has a newer token", { isSuperseded: true, isOccupied: true }, "stop work"],

  ["it applies", APPLICANT, null],
  ["it applies and is granted the lease", { ...APPLICANT, isGranted: true, isGrantNewer: true }, "take office"],
  [
    "it is granted the lease, and hears of another holder",
    { ...APPLICANT, isGranted: true, isGrantNewer: true, isHolderHeard: true },
    "take office",
  ],
  ["what it is granted is older than what was seen", { ...APPLICANT, isGranted: true }, "return grant"],
  [
    "it is granted the lease, and must not have it",
    { ...APPLICANT, isGranted: true, isGrantNewer: true, mustGiveUp: true },
    "return grant",
  ],
  ["it applies and must not", { ...APPLICANT, mustGiveUp: true }, "withdraw"],
  ["it applies in vain", { ...APPLICANT, isHopeless: true }, "withdraw"],
  ["it applies, and somebody else leads", { ...APPLICANT, isHolderHeard: true }, "yield"],
  ["the lease that it waits for is over", { ...APPLICANT, isDenialLifted: true }, "ask again"],
  ["the lease store names a holder", { ...APPLICANT, seeksHolder: true }, "seek holder"],
  ["an applicant does not stand", { ...APPLICANT, isOccupied: false, ...DUE }, null],
  ["the holder has missed a term", { isOccupied: true, isHolderBehind: true }, "tell term"],
])("%s", (_, facts, action) => {
  expect(decide({ ...VACANT, ...facts })).toBe(action);
});

describe("for every combination of facts", () => {
  const flags = Object.keys(VACANT).filter((name) => name !== "wait") as (keyof OfficeFacts)[];

  /** All combinations would be 400 million: so many are drawn that each pair of rows is told apart many times. */
  function* combinations(): Generator<OfficeFacts> {
    for (let seed = 1; seed <= 300_000; seed++) {
      let bits = Math.imul(seed, 0x9e3779b1) ^ (seed << 7);
      bits ^= bits >>> 15;
      bits = Math.imul(bits, 0x85ebca6b);
      bits ^= bits >>> 13;
      const facts: Record<string, unknown> = { wait: (["none", "waiting", "due"] as const)[seed % 3] };
      flags.forEach((name, i) => {
        // Half of the combinations have few facts that are true, so that late rows are reached.
        facts[name] = ((bits >>> i) & 1) === 1 && (seed % 2 === 0 || ((bits >>> ((i + 11) % 32)) & 1) === 1);
      });
      yield facts as unknown as OfficeFacts;
    }
  }

  const FORBIDDEN: readonly (readonly [string, readonly OfficeAction[], (facts: OfficeFacts) => boolean])[] = [
    ["may not lead", ["claim", "inherit", "stand"], ({ mayStand }) => !mayStand],
    ["does not want the office", ["claim", "inherit", "stand"], ({ isWilling }) => !isWilling],
    ["must give up", ["take office"], ({ mustGiveUp }) => mustGiveUp],
    ["is busy", ["stand", "wait", "inquire", "remind"], (f) => f.holds || f.applies || f.isElecting],
    ["sees a holder", ["stand"], ({ isOccupied, isRequested }) => isOccupied && !isRequested],
    ["waits", ["stand", "wait"], ({ wait }) => wait === "waiting"],
    ["does not apply", ["withdraw", "yield"], ({ applies }) => !applies],
    ["does not hold", ["give up", "end claim"], ({ holds }) => !holds],
  ];

  test("a member does nothing that it may not do, and every action is reached", () => {
    const reached = new Set<OfficeAction | null>();
    for (const facts of combinations()) {
      const action = decide(facts);
      reached.add(action);
      for (const [when, actions, isSo] of FORBIDDEN) {
        if (action !== null && actions.includes(action) && isSo(facts)) {
          throw new Error(`a member that ${when} decides to ${action}: ${JSON.stringify(facts)}`);
        }
      }
    }
    // All 21 actions, and nothing.
    expect(reached.size).toBe(23);
  });
});
