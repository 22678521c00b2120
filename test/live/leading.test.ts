/** A process that leads is stopped for longer than its lease, and goes on: nothing of it acts under the old token. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { machineNow } from "../../src/live/real-world.ts";
import { effort } from "../support/effort.ts";

/** Milliseconds: of a lease of leading-member.ts, and of what must happen. */
const TTL = 1000;
const LIMIT = 40_000;

const folder = mkdtempSync(join(tmpdir(), "sortition-leading-"));
let child: ChildProcess | null = null;
afterAll(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

test("after SIGCONT the first check() throws, whichever timer comes first; then it leads again with a larger token", async () => {
  const script = join(import.meta.dirname, "leading-member.ts");
  child = spawn(process.execPath, [script, folder], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout!.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const lines = () => text.split("\n").map((line) => line.split(" "));
  const tokens = () => lines().flatMap(([what, token]) => (what === "begins" ? [BigInt(token)] : []));
  /** When `check()` was called and passed under that token. */
  const worked = (of: bigint) =>
    lines().flatMap(([what, token, , at]) => (what === "works" && token === String(of) ? [Number(at)] : []));
  const has = (line: string) => text.includes(`\n${line}\n`);
  const sees = async (what: string, isSo: () => boolean) => {
    for (const limit = performance.now() + LIMIT; !isSo(); await pass(20))
      if (performance.now() > limit) throw new Error(`waited ${LIMIT} ms for ${what} in:\n${text.slice(-3000)}`);
  };
  const isWorking = () => worked(tokens().at(-1) ?? 0n).length > 0;
  for (let stops = 0; stops < effort(1, 5); ) {
    await sees("work", isWorking);
    const token = tokens().at(-1)!;
    child.kill("SIGSTOP");
    await pass(1.5 * TTL);
    const resumed = machineNow();
    child.kill("SIGCONT");
    await sees("work under a larger token", () => tokens().at(-1)! > token && isWorking());
    expect(worked(token).filter((at) => at > resumed)).toEqual([]);
    expect(has(`signal ${token}`)).toBe(true);
    // On a busy machine the lease may have run out before the process was stopped.
    if (!has(`refused ${token} NOT_LEADING`)) continue;
    stops++;
  }
  expect(text).not.toMatch(/^works \d+ true/m);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});
