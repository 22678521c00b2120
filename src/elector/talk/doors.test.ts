/** The doors of the elector, the council and the watch, field by field: each value at a limit, and the one beyond it. */
import { describe, expect, test } from "vitest";
import { COUNT, type Field, FLAG, of, orNull, shaped, wrong } from "../../../test/support/door.ts";
import { isCouncilMessage, isInvitation, isWatchMessage } from "../council/messages.ts";
import { SLOWEST } from "../setting.ts";
import { isElectorMessage, isSetting, LONGEST_LIST } from "./accepts.ts";

const NAME: Field = [
  ["x", "x".repeat(80), "ä".repeat(40)],
  ["", "x".repeat(81), "ä".repeat(41), 1, null, undefined],
];
const OFFICE: Field = [
  [...NAME[0], "constructor"],
  [...NAME[1], "__proto__"],
];
const LIFE: Field = [
  [-1, 0, 1],
  [0.5, 2 ** 53, "1", null],
];
const SHARE: Field = [
  [0, 0.5, 1],
  [-0.1, 1.1, "0", null, Number.NaN],
];
/** A field that may be missing, for a message that is right without it. */
const besides = (first: unknown, name: string, [good, bad]: Field): Field => [
  [first, ...good.map((value) => ({ ...(first as object), [name]: value }))],
  bad.map((value) => ({ ...(first as object), [name]: value })),
];

const PARAMETER: Field = [
  [null, true, false, 0, 2 ** 20, -(2 ** 20), "word", "x".repeat(128), String(2 ** 20)],
  [2 ** 20 + 1, -(2 ** 20) - 1, String(2 ** 20 + 1), "x".repeat(129), [], {}, undefined],
];
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, 1]));
const PARAMS: Field = [
  [{}, many(32), ...PARAMETER[0].map((value) => ({ m: value }))],
  [null, [], "m", many(33), ...PARAMETER[1].map((value) => ({ m: value }))],
];
const SETTING = shaped({
  protocol: NAME,
  params: PARAMS,
  n: [
    [1, 2 ** 16],
    [0, -1, 1.5, 2 ** 16 + 1, "1"],
  ],
  loss: SHARE,
  lossLow: SHARE,
  lossFrom: [
    ["measured", "configured"],
    ["", "guessed", null],
  ],
  epsilon: orNull(SHARE),
});
const PACE: Field = [
  [undefined, 1, SLOWEST],
  [0, 1.5, SLOWEST + 1, "1", null],
];

const WANTED: Field = [
  [0, 0.5, 9],
  [-0.1, "0", null, Number.NaN],
];
/** In councils a name may be empty, and its characters are counted. */
const SHORT: Field = [
  ["", "x", "x".repeat(80)],
  ["x".repeat(81), 1, null],
];
const NAMES: Field = [
  [[], ["x"], new Array(64).fill("x")],
  [new Array(65).fill("x"), ["x", 1], ["x".repeat(81)], "x", null, {}],
];
const INVITATION = shaped({ council: SHORT, centre: SHORT, life: LIFE, number: COUNT, seated: COUNT, wanted: WANTED });
const MEMBERS: Field = [[undefined, null, ...NAMES[0]], NAMES[1].filter((each) => each !== null)];

const CLAIM = shaped({
  office: OFFICE,
  term: COUNT,
  number: COUNT,
  holder: orNull(NAME),
  life: LIFE,
  former: orNull(NAME),
  heir: orNull(NAME),
  setting: orNull(SETTING),
  invitation: orNull(INVITATION),
});
const BEHIND = shaped({ holder: NAME, life: LIFE, token: COUNT });

const BETWEEN = { from: LIFE, to: LIFE };
const ELECTION = { ...BETWEEN, office: OFFICE, term: COUNT, id: COUNT };
const LIVES: Field = [
  [[], [1, -1], new Array(LONGEST_LIST).fill(1)],
  [new Array(LONGEST_LIST + 1).fill(1), [1, "1"], [0.5], 1, null],
];
const MESSAGES: Readonly<Record<string, Field>> = {
  stand: of("stand", {
    ...BETWEEN,
    office: OFFICE,
    term: COUNT,
    position: COUNT,
    setting: SETTING,
    over: orNull(LIFE),
  }),
  open: of("open", { ...ELECTION, setting: SETTING }),
  child: of("child", { ...ELECTION, setting: SETTING }),
  list: of("list", { ...ELECTION, setting: SETTING, lives: LIVES, final: FLAG }),
  listed: of("listed", ELECTION),
  claim: of("claim", {
    ...BETWEEN,
    claim: CLAIM,
    passes: [
      [0, 8],
      [9, -1, 0.5, "1"],
    ],
  }),
  who: of("who", { ...BETWEEN, office: OFFICE, term: COUNT }),
  term: of("term", { ...BETWEEN, office: OFFICE, term: COUNT }),
  extended: of("extended", {
    ...BETWEEN,
    session: [
      ["", "x".repeat(128)],
      ["x".repeat(129), 1, null],
    ],
    count: COUNT,
    at: [
      [-1, 0.5],
      [Infinity, Number.NaN, "1", null],
    ],
  }),
};
/** Every message of a child protocol is for that protocol to check. */
const withMessage = (value: unknown) =>
  (value as { kind?: unknown } | null)?.kind === "child" ? { message: 1, ...(value as object) } : value;

describe("what passes at the door, and what does not", () => {
  test.each(Object.entries(MESSAGES))("message %s of the elector", (_, [good, bad]) => {
    expect(wrong(isElectorMessage, [good.map(withMessage), bad.map(withMessage)])).toEqual([]);
  });

  test("the port of a message that has one", () => {
    const port: Field = [
      [undefined, 0, 5],
      [-1, 0.5, "1"],
    ];
    expect(wrong(isElectorMessage, besides(MESSAGES.who[0][0], "port", port))).toEqual([]);
  });

  test("tokens of claims, and who is behind them", () => {
    const claimed = (claim: unknown) => isElectorMessage({ kind: "claim", from: 1, to: 2, passes: 0, claim });
    expect(
      wrong(
        claimed,
        besides(CLAIM[0][0], "token", [
          [undefined, 0, 9],
          [-1, 0.5, "1", null],
        ]),
      ),
    ).toEqual([]);
    expect(wrong(claimed, besides(CLAIM[0][0], "behind", [[undefined, ...BEHIND[0]], BEHIND[1]]))).toEqual([]);
  });

  test("settings", () => {
    expect(wrong(isSetting, SETTING)).toEqual([]);
    expect(wrong(isSetting, besides(SETTING[0][0], "pace", PACE))).toEqual([]);
  });

  test("invitations", () => {
    expect(wrong(isInvitation, INVITATION)).toEqual([]);
    expect(wrong(isInvitation, besides(INVITATION[0][0], "members", MEMBERS))).toEqual([]);
  });

  const SEATS: readonly Field[] = [
    of("offer", { ...BETWEEN, council: SHORT, pass: COUNT }),
    of("seat", { ...BETWEEN, council: SHORT, pass: COUNT, version: COUNT, fellows: NAMES }),
    [
      [
        [0, 0, 0],
        [4, 9, 1],
      ],
      [[5, 0, 0], [-1, 0, 0], [0, 0], [0, 0, 0, 0], [0, 0.5, 0], [0, 0, "0"], [], null, 1, { kind: "beat" }],
    ],
  ];
  test.each(SEATS)("words of a council: %#", (...field) => {
    expect(wrong(isCouncilMessage, field)).toEqual([]);
    expect(wrong(isWatchMessage, field)).toEqual([]);
  });

  test("reports of watchers, which no council hears", () => {
    const report = of("report", { ...BETWEEN, life: LIFE, silent: COUNT });
    expect(wrong(isWatchMessage, report)).toEqual([]);
    expect(report[0].filter(isCouncilMessage)).toEqual([]);
    expect(isWatchMessage({ ...(report[0][0] as object), kind: "rapport" })).toBe(false);
  });
});
