/** A process that leads is stopped for longer than its lease, and goes on: nothing of it acts under the old token. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { effort } from "../support/effort.ts";

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
  const tokens = () => [...text.matchAll(/^begins (\d+)$/gm)].map(([, token]) => BigInt(token));
  const sees = (isSo: () => boolean) => expect.poll(isSo, { timeout: 20_000, interval: 20 }).toBe(true);
  await sees(() => /^works/m.test(text));
  for (let stop = 1; stop <= effort(1, 5); stop++) {
    const token = tokens().at(-1)!;
    child.kill("SIGSTOP");
    // What it wrote before is read before the mark is set.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const before = text.length;
    child.kill("SIGCONT");
    await sees(() => tokens().length > stop && /^works/m.test(text.slice(text.lastIndexOf("begins"))));
    const after = text.slice(before).split("\n");
    expect(after).not.toContainEqual(expect.stringMatching(`^works ${token} `));
    expect(after).toContain(`signal ${token}`);
    expect(after).toContain(`refused ${token} NOT_LEADING`);
    expect(tokens().at(-1)!).toBeGreaterThan(token);
  }
  expect(text).not.toMatch(/^works \d+ true$/m);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});
