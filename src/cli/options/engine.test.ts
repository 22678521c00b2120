import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { engineAddress } from "./member.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-lease-"));
afterAll(() => rmSync(folder, { recursive: true }));

const SECRET = "postgres://me:secret@db.example/app";

test("an address comes from the line, from a file or from the environment", () => {
  const file = join(folder, "address");
  writeFileSync(file, `# of the database\n\n  ${SECRET}\n`, { mode: 0o600 });
  expect(engineAddress({}, {})).toBeNull();
  expect(engineAddress({ lease: "sqlite:a.db" }, {})).toBe("sqlite:a.db");
  expect(engineAddress({ lease: "postgres://me@db.example:5432/app" }, {})).toBe("postgres://me@db.example:5432/app");
  expect(engineAddress({ leaseFile: file }, {})).toBe(SECRET);
  expect(engineAddress({}, { SORTITION_LEASE: SECRET })).toBe(SECRET);
  expect(engineAddress({ lease: "sqlite:a.db" }, { SORTITION_LEASE: SECRET })).toBe("sqlite:a.db");
});

test("a password on the line, and a file that others can read, are refused; the password is not shown", () => {
  for (const lease of [SECRET, "postgres://me@h/db?password=secret", "postgresql://:secret@h/db"]) {
    expect(() => engineAddress({ lease }, {})).toThrow(/^--lease has a password in it(?!.*secret)/);
  }
  const file = join(folder, "open");
  writeFileSync(file, SECRET);
  chmodSync(file, 0o644);
  expect(() => engineAddress({ leaseFile: file }, {})).toThrow("can be read by others than its owner: chmod 600");
  chmodSync(file, 0o600);
  writeFileSync(file, "# nothing\n");
  expect(() => engineAddress({ leaseFile: file }, {})).toThrow("holds no address: write one line");
  expect(() => engineAddress({ leaseFile: join(folder, "nosuch") }, {})).toThrow("there is no file");
  expect(() => engineAddress({ lease: "sqlite:a.db", leaseFile: file }, {})).toThrow("give one of them");
});
