/** The program of the README, as three processes: one of them works, and when it is told to end another one does. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root, sortitionIn } from "../cli/run.ts";
import { freePorts } from "../support/ports.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-readme-"));
const workers: ChildProcess[] = [];
/** Who has worked, with which token, in the order of their lines. */
const worked: { name: string; token: bigint }[] = [];
let heard = () => {};

beforeAll(async () => {
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/sortition"));
  await sortitionIn({ cwd: folder }, "keygen", "--out", "group.key");
});
afterAll(() => {
  for (const worker of workers) worker.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

const until = (isSo: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    heard = () => isSo() && resolve();
    heard();
  });

function start(name: string, port: number): void {
  const worker = spawn(process.execPath, ["worker.mjs", name, String(port)], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  workers.push(worker);
  createInterface({ input: worker.stdout! }).on("line", (line) => {
    const [, by, token] = /^(\w) works with token (\d+)$/.exec(line)!;
    worked.push({ name: by, token: BigInt(token) });
    heard();
  });
}

test("one of three works; when it is told to end, another one works with a larger token", async () => {
  const [program] = /^import { setTimeout[\s\S]*?(?=^```$)/m.exec(readFileSync(join(root, "README.md"), "utf8"))!;
  const ports = await freePorts(3);
  writeFileSync(
    join(folder, "worker.mjs"),
    program.replace(/700([123])/g, (_, i) => String(ports[Number(i) - 1])),
  );
  for (const [i, name] of ["a", "b", "c"].entries()) start(name, ports[i]);
  await until(() => worked.length >= 2);
  const [first] = worked;
  expect(new Set(worked.map(({ name }) => name)).size).toBe(1);
  workers["abc".indexOf(first.name)].kill("SIGINT");
  await until(() => worked.at(-1)!.name !== first.name);
  expect(worked.at(-1)!.token).toBeGreaterThan(first.token);
  // None of them works out of turn: tokens only grow.
  expect(worked.map(({ token }) => token)).toEqual(
    worked.map(({ token }) => token).toSorted((x, y) => (x < y ? -1 : x > y ? 1 : 0)),
  );
});
