import { describe, expect, test } from "vitest";
import { lasting } from "../../test/support/lasting.ts";
import { InputError } from "../errors.ts";
import { NO_FAULTS } from "../host/faults/faults.ts";
import { parseTrace, traceText } from "./file.ts";
import { type RecordedRun, traceRun } from "./recorded-run.ts";
import { playAgain } from "./replay.ts";

const run: RecordedRun = {
  protocol: "lasting",
  params: { every: 1 },
  n: 4,
  seed: 3,
  trial: 0,
  seeds: ["0", "1"],
  until: 9,
  delay: { kind: "uniform", min: 0.1, max: 0.3 },
  faults: { ...NO_FAULTS, crashes: [{ node: 2, at: 3 }], restarts: [{ node: 2, at: 5, saved: true }], loss: 0.1 },
  what: "node 2 crashes",
};

describe("a run that a program has set up", () => {
  const text = traceText({ trace: "run", ...run }, traceRun(run, lasting));

  test("is run again from its file, with the protocol that the reader brings", () => {
    const { difference, story } = playAgain(parseTrace(text, "run.jsonl"), lasting);
    expect(difference).toBeNull();
    expect(story.events.some((event) => event.do === "restart")).toBe(true);
    expect(story.told.size).toBeGreaterThan(20);
  });

  test("comes out differently with another program, and not at all without one", () => {
    const hasty = {
      ...lasting,
      init: (params, ...rest) => lasting.init({ every: params.every / 2 }, ...rest),
    } as typeof lasting;
    expect(playAgain(parseTrace(text, "run.jsonl"), hasty).difference).not.toBeNull();
    expect(() => playAgain(parseTrace(text, "run.jsonl"))).toThrow(InputError);
  });

  test.each([{ n: -1 }, { seeds: "0" }, { delay: { kind: "often" } }, { what: null }])(
    "is refused where its first line does not say how to run it: %j",
    (change) => {
      const damaged = traceText({ trace: "run", ...run, ...change } as never, []);
      expect(() => parseTrace(damaged, "run.jsonl")).toThrow("does not say how to run it again");
    },
  );

  test("is refused where its plan makes no sense", () => {
    const odd = { ...run, faults: { ...NO_FAULTS, loss: 2 } };
    expect(() => playAgain(parseTrace(traceText({ trace: "run", ...odd }, []), "run.jsonl"), lasting)).toThrow(
      InputError,
    );
  });
});
