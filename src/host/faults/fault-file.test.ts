import { describe, expect, test } from "vitest";
import { InputError } from "../../errors.ts";
import { parseFaultFile } from "./fault-file.ts";
import { NO_FAULTS } from "./faults.ts";

const parse = (plan: unknown) => parseFaultFile(JSON.stringify(plan), "plan.json");

const refusal = (text: string): string => {
  try {
    parseFaultFile(text, "plan.json");
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  throw new Error("was accepted");
};

test("an empty plan is a plan without faults", () => {
  expect(parse({})).toEqual(NO_FAULTS);
});

test("what a fault leaves out has a default", () => {
  const plan = parse({
    loss: 0.1,
    losses: [{ rate: 0.5 }, { rate: 1, link: null, to: null }],
    crashes: [{ node: 3 }],
    pauses: [{ node: 1, from: 2, to: 5 }],
    partitions: [{ groups: [[0, 1], [2]], from: 1 }],
  });
  const always = { kind: "both", link: null, from: 0, to: null };
  expect(plan).toEqual({
    ...NO_FAULTS,
    loss: 0.1,
    losses: [
      { rate: 0.5, ...always },
      { rate: 1, ...always },
    ],
    crashes: [{ node: 3, at: 0 }],
    pauses: [{ node: 1, from: 2, to: 5 }],
    partitions: [{ groups: [[0, 1], [2]], from: 1, to: null }],
  });
});

test("everything that a group that lasts can meet", () => {
  const always = { from: 0, to: null };
  const plan = {
    crashes: [{ node: 1, at: 4, sends: 2 }],
    pauses: [{ node: 2, from: 1, to: 3, sends: 0 }],
    partitions: [{ groups: [[0], [1]], oneWay: true, ...always }],
    restarts: [{ node: 1, at: 9, saved: false }],
    joins: [{ node: 3, at: 5 }],
    leaves: [{ node: 4, at: 5 }],
    commands: [{ node: 0, at: 2, message: { kind: "resign" } }],
    duplicate: 0.1,
    duplicates: [{ rate: 1, kind: "unicast", link: [0, 1], ...always }],
    reorder: 0.2,
    spikes: [{ rate: 0.1, delay: 7.5, link: null, ...always }],
    clocks: [{ node: 2, rate: 1.5 }],
    drift: 0.01,
  };
  expect(parse(plan)).toEqual({ ...NO_FAULTS, ...plan });
  expect(parse({ restarts: [{ node: 1, at: 9 }] }).restarts).toEqual([{ node: 1, at: 9, saved: true }]);
});

describe("a damaged plan is refused in one line that names file and field", () => {
  const cases: [plan: unknown, message: string][] = [
    [[], "the plan must be an object"],
    [3, "the plan must be an object, not 3"],
    [{ los: 0.1 }, 'los is not a known field; did you mean "loss"?'],
    [
      { zzzzzz: 1 },
      "zzzzzz is not a known field; there are loss, multicastLoss, crash, losses, crashes, pauses, partitions, " +
        "restarts, joins, leaves, commands, duplicate, duplicates, reorder, spikes, clocks, drift",
    ],
    [{ loss: 1.5 }, "loss must be a probability from 0 to 1, not 1.5"],
    [{ crash: "0.1" }, 'crash must be a probability from 0 to 1, not "0.1"'],
    [{ crashes: { node: 1 } }, "crashes must be a list"],
    [{ crashes: [3] }, "crashes[0] must be an object, not 3"],
    [{ crashes: [{ at: 3 }] }, "crashes[0].node is missing"],
    [{ crashes: [{ node: 0 }, { node: -1 }] }, "crashes[1].node must be a node: a whole number of at least 0, not -1"],
    [{ crashes: [{ node: 0.5 }] }, "crashes[0].node must be a node: a whole number of at least 0, not 0.5"],
    [{ crashes: [{ node: 0, at: -1 }] }, "crashes[0].at must be a time: a number of at least 0, not -1"],
    [{ losses: [{ rat: 0.5 }] }, 'losses[0].rat is not a known field; did you mean "rate"?'],
    [{ losses: [{ rate: 1, kind: "any" }] }, 'losses[0].kind must be unicast, multicast or both, not "any"'],
    [{ losses: [{ rate: 1, link: [1] }] }, "losses[0].link must be two nodes, [from, to]"],
    [{ losses: [{ rate: 1, link: [1, 2, 3] }] }, "losses[0].link must be two nodes, [from, to]"],
    [{ pauses: [{ node: 1, from: 5, to: 5 }] }, 'pauses[0] must have "from" earlier than "to"'],
    [{ restarts: [{ node: 1 }] }, "restarts[0].at is missing"],
    [{ restarts: [{ node: 1, at: 3, saved: "no" }] }, 'restarts[0].saved must be true or false, not "no"'],
    [{ commands: [{ node: 1, at: 3 }] }, "commands[0].message is missing"],
    [
      { crashes: [{ node: 1, sends: -1 }] },
      "crashes[0].sends must be how many messages still leave: a whole number of at least 0, not -1",
    ],
    [{ clocks: [{ node: 1, rate: 0 }] }, "clocks[0].rate must be a number above 0, not 0"],
    [{ spikes: [{ rate: 0.1 }] }, "spikes[0].delay is missing"],
    [{ partitions: [{ groups: [[0, 1], [1]] }] }, "partitions[0].groups must name each node once"],
    [{ partitions: [{ groups: [0] }] }, "partitions[0].groups[0] must be a list of nodes, not 0"],
  ];
  test.each(cases)("%j", (plan, message) => {
    expect(refusal(JSON.stringify(plan))).toBe(`fault file plan.json: ${message}`);
  });

  test("text that is not JSON", () => {
    const message = refusal('{\n  "loss": \n}');
    expect(message).toMatch(/^fault file plan\.json is not JSON: Unexpected token/);
    expect(message).not.toContain("\n");
  });
});

test("shares may be written as percentages", () => {
  expect(parse({ loss: "2%", losses: [{ rate: "50%" }] })).toMatchObject({ loss: 0.02, losses: [{ rate: 0.5 }] });
  expect(refusal('{ "crash": "120%" }')).toContain("crash must be a probability from 0 to 1");
});
