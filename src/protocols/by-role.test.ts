import { expect, test } from "vitest";
import { type Ctx, toy } from "../../test/explorer/toy.ts";
import type { AnyProtocol, Self } from "../protocol.ts";
import { byRole } from "./by-role.ts";

const member = toy({
  init: () => ({ heard: [] }),
  receive: (state, message) => state.heard.push(message),
  measures: { asked: "sum" },
});
const engine: AnyProtocol = {
  ...toy({ init: () => ({ seats: 0 }), receive: (state) => state.seats++, measures: { granted: "sum" } }),
  accepts: (message) => message === "acquire",
  saved: ({ seats }) => seats,
};
const both = byRole({ member, engine });
const ctx = {} as Ctx;
const start = (role: string) => both.init({}, { role, id: 1 } as Self, null, ctx);

test("each node plays its part", () => {
  const [one, other] = [start("member"), start("engine")];
  for (const node of [one, other]) for (const message of ["acquire", "granted"]) both.receive(node, 0, message, ctx);
  expect(one).toEqual({ role: "member", state: { heard: ["acquire", "granted"] } });
  expect(other).toEqual({ role: "engine", state: { seats: 1 } });
  expect([both.saved!(one), both.saved!(other)]).toEqual([null, 1]);
});

test("it has the roles, and the measures of all machines", () => {
  expect(both.roles).toEqual(["member", "engine"]);
  expect(both.measures).toEqual({ asked: "sum", granted: "sum" });
});

test("a part that nobody plays, and machines for different networks, are refused", () => {
  expect(() => start("guard")).toThrow('no machine plays "guard": the roles are member, engine');
  const star: AnyProtocol = { ...engine, name: "hub", assumes: { ...engine.assumes, topology: "star" } };
  expect(() => byRole({ member, engine: star })).toThrow("hub assumes a star topology, but toy a ring one");
});
