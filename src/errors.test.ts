/** What users are told of errors. */
import { expect, test } from "vitest";
import { InputError, notInstalled } from "./errors.ts";

test("a missing package is told in words, and any other error of its import as it is", async () => {
  const missing = await import(`no-such-package-${"at-all"}`).catch((error: unknown) => error);
  expect(notInstalled(missing, "npm install it")).toEqual(new InputError("npm install it"));
  const other = new Error("a fault of the package");
  expect(notInstalled(other, "npm install it")).toBe(other);
});
