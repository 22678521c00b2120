import { Command } from "commander";
import { expect, test } from "vitest";
import { type GroupFlags, groupOptions, memberOptions } from "./group-options.ts";

function parse(...args: string[]) {
  const command = new Command("group").exitOverride().configureOutput({ outputError: () => {} });
  for (const option of groupOptions()) command.addOption(option);
  command.parse(["--self", "a", "--bind", "127.0.0.1:0", "--key-file", "k", ...args], { from: "user" });
  return memberOptions(command.opts<GroupFlags>());
}

test("what the flags say is what the member gets", () => {
  expect(parse()).toMatchObject({ name: "a", group: "sortition", seeds: [], state: null });
  expect(parse("--join", "a:1, b:2", "--join", "c:3").seeds).toEqual(["a:1", "b:2", "c:3"]);
  const many = parse("--office", "x", "--office", "y:3", "--policy", "majority", "--expected", "5", "--zone", "north");
  expect(many.params).toMatchObject({ offices: ["x", "y:3"], policy: "majority", expected: 5 });
  expect(many.params?.attributes).toEqual({ priority: 0, weight: 1, zone: "north" });
});

test.each([
  [["--policy", "most"], "--policy"],
  [["--expected", "5"], "--expected is for --policy majority"],
  [["--weight", "-1"], "--weight must be at least 0, not -1"],
  [["--zone", "é".repeat(33)], "--zone takes up to 64 bytes, not 66"],
  [["--protocol", "council-naive"], "--protocol council-naive does not elect a leader in a group"],
  [["--protocol", "refere"], 'unknown protocol "refere"'],
])("%j is refused", (args, message) => {
  expect(() => parse(...args)).toThrow(message);
});
