import { expect, test } from "vitest";
import { InputError } from "../../errors.ts";
import { parseMembers } from "./members.ts";

test("lines and JSON say the same; members come by id", () => {
  const lines = parseMembers("# a group\n20 [::1]:7002\n 3 localhost:7001  # here\n\nedge 3 20\n", "group.txt");
  const json = parseMembers(
    '{"members": [{"id": 20, "host": "::1", "port": 7002}, {"id": 3, "host": "127.0.0.1", "port": 7001}], "edges": [[3, 20]]}',
    "group.json",
  );
  expect(lines).toEqual(json);
  expect(lines.members.map(({ id }) => id)).toEqual([3, 20]);
  expect(parseMembers('[{"id": 1, "host": "127.0.0.1", "port": 1}]', "g").edges).toEqual([]);
});

test.each([
  ["", "names no member"],
  ["1 127.0.0.1", 'line 1: "ID HOST:PORT" was expected'],
  ["1 127.0.0.1:7001\n1 127.0.0.1:7002", "member 1 is listed twice"],
  ["1 127.0.0.1:7001\n2 127.0.0.1:7001", "member 2 has the address of another member"],
  ["1 example.org:7001", "must be an IPv4 or IPv6 address in numbers"],
  ["1 127.0.0.1:70000", "port 70000 must be from 1 to 65535"],
  ["9007199254740993 127.0.0.1:7000", "ids go up to 2^53-1"],
  ["1 127.0.0.1:7001\nedge 1 2", "an edge names 2, who is no member"],
  ["[1]", "must be a list such as"],
  ["[{]", "is not JSON"],
])("%j: %s", (text, message) => {
  expect(() => parseMembers(text, "group.txt")).toThrow(InputError);
  expect(() => parseMembers(text, "group.txt")).toThrow(message);
});
