import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { InputError } from "../../errors.ts";
import { memberStore } from "./kept.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-kept-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a folder that cannot be used is said to be the user's to mend", () => {
  const state = join(folder, "file");
  writeFileSync(state, "");
  const open = () => memberStore({ name: "a", group: "g", state }, () => {});
  expect(open).toThrow(InputError);
  expect(open).toThrow(/nothing can be kept in .*file \(E[A-Z]+\): see to it, or give another folder/);
});
