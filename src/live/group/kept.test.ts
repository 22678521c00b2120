import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { InputError } from "../../errors.ts";
import { memberStore } from "./kept.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-kept-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("if a folder cannot be used, the error says that the user has to fix that", () => {
  const state = join(folder, "file");
  writeFileSync(state, "");
  const open = () => memberStore({ name: "a", group: "g", state }, () => {});
  expect(open).toThrow(InputError);
  expect(open).toThrow(/nothing can be kept in .*file \(E[A-Z]+\): fix that, or give another folder/);
});

test("a file is named after its member, or by a hash where that name would be longer than 100 characters", () => {
  const nameIn = (name: string, sub: string) => {
    const state = join(folder, sub);
    const store = memberStore({ name, group: "g.1", state }, () => {});
    store.save("x");
    store.close();
    return readdirSync(join(state, "g%2E1"))[0];
  };
  expect(nameIn("x".repeat(100), "a")).toBe(`${"x".repeat(100)}.state`);
  expect(nameIn("x".repeat(101), "b")).toMatch(/^[0-9a-f]{64}\.state$/);
});

test("what has not changed is not written again", () => {
  const store = memberStore({ name: "a", group: "once", state: folder }, () => {});
  const file = join(folder, "once", "a.state");
  const saved = { term: 1 };
  const isWritten = (what: unknown) => {
    rmSync(file, { force: true });
    store.save(what);
    return existsSync(file);
  };
  expect([saved, saved, { term: 2 }].map(isWritten)).toEqual([true, false, true]);
  store.close();
});
