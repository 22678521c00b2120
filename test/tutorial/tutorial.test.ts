/**
 * docs/tutorial.md, followed word for word, in an empty folder where the package is installed: with LONG=1 as it is packed, else as a link to this
 * clone, which saves packing and installing (cli/pack.test.ts tests those).
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bin, root } from "../cli/run.ts";
import { effort, isLong } from "../support/effort.ts";
import { env, folderWithin, type Packed, packed } from "../support/packed.ts";
import { freePorts } from "../support/ports.ts";
import { agrees, type Step, stepsOf } from "./page.ts";
import { Shell } from "./shell.ts";

const page = readFileSync(join(root, "docs/tutorial.md"), "utf8");

let folder: string;
let shell: Shell;
beforeAll(
  async () => {
    folder = folderWithin(isLong ? await packed() : linked());
    const path = `${join(folder, "../node_modules/.bin")}${delimiter}${env.PATH}`;
    shell = new Shell(folder, { ...env, PATH: path }, randomUUID());
  },
  effort(60_000, 180_000),
);
afterAll(() => {
  shell.end();
  rmSync(folder, { recursive: true, force: true });
});

/** As `npm install` of a folder does it: links to the package and to its command. */
function linked(): Packed {
  const place = mkdtempSync(join(tmpdir(), "sortition-tutorial-"));
  mkdirSync(join(place, "node_modules/.bin"), { recursive: true });
  symlinkSync(root, join(place, "node_modules/sortition"));
  symlinkSync(bin, join(place, "node_modules/.bin/sortition"));
  writeFileSync(join(place, "package.json"), '{ "type": "module", "private": true }');
  return { folder: place, files: [], size: 0, unpackedSize: 0 };
}

/** Asks without changing anything: somebody who does not see it yet looks again. */
const isLook = (command: string) =>
  /^(curl|sortition (status|lease)|tail|cat|grep|jobs|node seen)\b/.test(command) && !command.includes("--data");
const PATIENCE = 40_000;
/** What an agent says of a machine with much to do, and no page shows. */
const BUSY = /^The agent paused (once|\d+ times), for up to \d+ ms\.$/;

/** Who leads after the kill is drawn by lot: b on the page, and c as often. The page then holds with these two exchanged. */
const OTHER: Readonly<Record<string, string>> = {
  b: "c",
  c: "b",
  7002: "7003",
  7003: "7002",
  7072: "7073",
  7073: "7072",
};
const exchanged = (text: string) => text.replace(/\b(b|c|70[07][23])\b/g, (found) => OTHER[found]);
/** Tables go by name, so that lines change places too. */
const agreesExchanged = (seen: readonly string[], shown: readonly string[]) =>
  agrees([...seen].sort(), shown.map(exchanged).sort());

test("the tutorial can be followed from its first command to its last, and leaves nothing running", async () => {
  const shown = [...new Set(page.match(/\b70\d\d\b/g))];
  // Of four digits, as the page shows them: longer ones would break its lines elsewhere.
  const real = (await freePorts(shown.length, 7100, 10_000)).map(String);
  const here = (text: string) => text.replace(/\b70\d\d\b/g, (port) => real[shown.indexOf(port)]);
  const asShown = (text: string) => text.replace(/\b\d{4}\b/g, (port) => shown[real.indexOf(port)] ?? port);
  /** Null: not drawn yet. */
  let isExchanged: boolean | null = false;

  async function follow(step: Step): Promise<void> {
    if (step.kind === "write") return writeFileSync(join(folder, step.file), here(step.text));
    const command = isExchanged ? exchanged(step.command) : step.command;
    for (const deadline = performance.now() + (isLook(command) ? PATIENCE : 0); ; await sleep(100)) {
      const seen = await ask(command);
      if (isExchanged !== true && agrees(seen, step.seen)) return drawn(step, false);
      if (isExchanged === true && agreesExchanged(seen, step.seen)) return;
      if (isExchanged === null && agreesExchanged(await ask(exchanged(command)), step.seen)) return drawn(step, true);
      if (performance.now() > deadline) expect(`$ ${command}\n${seen.join("\n")}`).toBe(shownAs(command, step.seen));
    }
  }
  const ask = async (command: string) =>
    (await shell.type(here(command))).map(asShown).filter((line) => !BUSY.test(line));
  /** By the first kill, and seen at the first look after it. */
  function drawn({ command }: { command: string }, isOther: boolean): void {
    if (isExchanged === null) isExchanged = isOther;
    else if (command.startsWith("kill -9") && !hasKilled) [hasKilled, isExchanged] = [true, null];
  }
  let hasKilled = false;

  const steps = stepsOf(page);
  expect(steps.length).toBeGreaterThan(15);
  for (const step of steps) await follow(step);
  expect(shell.left()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

const shownAs = (command: string, seen: readonly string[]) => `$ ${command}\n${seen.join("\n")}`;
