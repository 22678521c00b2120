/** The file of a lease store of SQLite: file systems that are refused, and errors in words. */
import { describe, expect, test } from "vitest";
import { InputError } from "../../errors.ts";
import { fileIdentity, incarnationOf, networkFileSystem, sqliteErrorInWords } from "./sqlite-file.ts";

test.each([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9P"],
  [0x65735546, "FUSE"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
  [0x73757245, "Coda"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x7461636f, "OCFS2"],
  [0x01161970, "GFS2"],
  [0x19830326, "BeeGFS"],
  [0x786f4256, "a shared folder of VirtualBox"],
  [0xef53, null],
  [0, null],
])("the file system %i is %s, also where its number is read as a negative one", (type, name) => {
  expect([networkFileSystem(type), networkFileSystem(type | 0)]).toEqual([name, name]);
});

describe("an error in words", () => {
  const said = (errcode: number | undefined, message = "text") =>
    sqliteErrorInWords(Object.assign(new Error(message), errcode === undefined ? {} : { errcode }), "leases.db");

  test.each([
    [5, "leases.db is in use by others", false],
    [6, "leases.db is in use by others", false],
    [8, "leases.db cannot be written", true],
    [10, "leases.db could not be read or written (text, code 10)", false],
    [11, "leases.db is damaged", true],
    [13, "leases.db could not be written: the disk is full", false],
    [14, "leases.db cannot be opened", true],
    [26, "leases.db is no database of SQLite", true],
    [1, "leases.db could not be used: text", false],
    [undefined, "leases.db could not be used: text", false],
    // Extended codes.
    [5 + 256, "leases.db is in use by others", false],
    [10 + 13 * 256, "leases.db could not be read or written (text, code 3338)", false],
    [14 + 2 * 256, "leases.db cannot be opened", true],
  ])("of code %s: %s; for the user to fix: %s", (errcode, words, isInput) => {
    const error = said(errcode);
    expect(error.message).toContain(words);
    expect(error instanceof InputError).toBe(isInput);
    expect((error.cause as Error).message).toBe("text");
    expect(error.message.includes("(")).toBe(words.includes("("));
  });

  test("that is in words already stays as it is; a right that is missing is for the user to fix", () => {
    const own = new Error("leases.db has no tables");
    expect(sqliteErrorInWords(own, "leases.db")).toBe(own);
    const denied = sqliteErrorInWords(Object.assign(new Error("x"), { code: "EACCES" }), "leases.db");
    expect(denied).toBeInstanceOf(InputError);
    expect(denied.message).toContain("cannot be opened");
  });
});

test("a file is told by device and number, its incarnation by the number alone; what is not there is nothing", () => {
  expect(fileIdentity("/none/such")).toBeNull();
  expect(fileIdentity(import.meta.filename)).toMatch(/^\d+ \d+$/);
  expect([incarnationOf("7 12"), incarnationOf("")]).toEqual(["12", ""]);
});
