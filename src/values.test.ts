import { describe, expect, test } from "vitest";
import { InputError } from "./errors.ts";
import { choice, numbers, probability, readAs, whole } from "./values.ts";

test("whole numbers may be written with an exponent, and nothing else is one", () => {
  expect(readAs(whole(1), "1e3", "n")).toBe(1000);
  for (const given of ["", " ", "0x10", "1,000", "Infinity", "NaN", "1e400", "2.5", "0", 2.5, true, [3], null]) {
    expect(() => readAs(whole(1), given, "n")).toThrow(InputError);
  }
});

test("shares are numbers or percentages, and include both ends", () => {
  const given = ["0", "1", ".5", "1e-3", "2%", "0.5%", "100%", 0.25];
  expect(given.map((share) => probability.read(share))).toEqual([0, 1, 0.5, 0.001, 0.02, 0.005, 1, 0.25]);
  for (const wrong of ["-0.001", "1.001", "101%", "%", "half", 2, Number.NaN]) {
    expect(() => readAs(probability, wrong, "loss")).toThrow(InputError);
  }
});

test("lists of numbers", () => {
  expect(numbers.read("7, 3,12")).toEqual([7, 3, 12]);
  for (const wrong of ["", "1,,2", "a,b", [1.5], 7]) expect(numbers.read(wrong)).toBeUndefined();
});

describe("an error names the field as a program writes it, and the flag where somebody says how", () => {
  const refusal = (given: unknown, kind = probability as Parameters<typeof readAs>[0]): InputError => {
    try {
      readAs(kind, given, "multicastLoss");
    } catch (error) {
      return error as InputError;
    }
    throw new Error("was accepted");
  };

  test("with the value that is wrong", () => {
    expect(refusal(2).message).toBe("multicastLoss must be a probability from 0 to 1, not 2");
    expect(refusal("often").message).toBe('multicastLoss must be a probability from 0 to 1, not "often"');
    expect(refusal(2).wording((field) => `<${field}>`)).toBe(
      "<multicastLoss> must be a probability from 0 to 1, not 2",
    );
  });

  test("and with the word that was meant", () => {
    expect(refusal("event", choice("auto", "lockstep", "events")).message).toContain("did you mean");
  });
});
