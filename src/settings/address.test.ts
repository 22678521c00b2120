import { isIPv4 as nodeIPv4, isIPv6 as nodeIPv6 } from "node:net";
import { expect, test } from "vitest";
import { isIPv4, isIPv6, readWrittenAddress } from "./member-kinds.ts";

/** A generator of its own, so that a failure can be repeated. */
function* texts(): Generator<string> {
  let state = 1;
  const draw = (n: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % n;
  };
  const parts = ["::", ":", ":", ":", "0", "1", "ab", "ffff", "12345", "g", ".", "1.2.3.4", "256.1.1.1", "01", "255"];
  for (let i = 0; i < 50_000; i++) yield Array.from({ length: 1 + draw(17) }, () => parts[draw(parts.length)]).join("");
  for (let i = 0; i < 20_000; i++) {
    const groups = Array.from({ length: 5 + draw(4) }, () => ["0", "f00", "", "1:2"][draw(8)] ?? "a");
    yield groups.join(":") + ["", "", ":1.2.3.4", "::", "::1"][draw(5)];
  }
}

test("addresses in numbers are those that Node takes for one", () => {
  const all = [...texts()];
  expect(all.filter((text) => isIPv6(text) !== nodeIPv6(text) || isIPv4(text) !== nodeIPv4(text))).toEqual([]);
  expect(all.filter(nodeIPv6).length).toBeGreaterThan(1000);
});

test.each([
  ["10.0.0.7:7001", "IPv4"],
  ["[::1]:7001", "IPv6"],
  ["db-1.example:7001", "name"],
  ["10.0.0.256:1", undefined],
  ["[::1::]:1", undefined],
  ["here", undefined],
  ["a:65536", undefined],
])("%s: %s", (text, form) => {
  expect(readWrittenAddress(text)?.form).toBe(form);
});
