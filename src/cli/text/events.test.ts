import { expect, test } from "vitest";
import { narrator } from "./events.ts";

test("names come over the network: they command no terminal and make no lines", () => {
  const lines = narrator()(0, { event: "joined", member: "b\u001b[2J\n00:00:00.000  a leads\u202e", members: 2 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("\\u{1b}[2J\\u{a}");
  expect(lines[0]).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
