import { expect, test } from "vitest";
import { GroupError } from "./errors.ts";
import { refuseOldNode } from "./join.ts";

test.each(["18.20.8", "20.20.2", "22.0.0", "22.12.1"])("Node %s is too old for join, which says so", (version) => {
  expect(() => refuseOldNode(version)).toThrow(GroupError);
  expect(() => refuseOldNode(version)).toThrow(`join needs Node 22.13 or later, this is ${version}: update Node`);
});

test.each(["22.13.0", "22.20.1", "24.0.0", "26.1.0"])("Node %s is not", (version) => {
  expect(() => refuseOldNode(version)).not.toThrow();
});
