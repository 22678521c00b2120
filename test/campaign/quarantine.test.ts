/** The last try of a chunk that came to no end before: a process of its own, which can end nobody else. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadProtocol } from "../../src/campaign/load-protocol.ts";
import { runApart } from "../../src/campaign/nats/quarantine.ts";
import work from "../../src/campaign/worker.ts";
import { resolve, written } from "../../src/simulation/settings.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-quarantine-"));
afterAll(() => rmSync(folder, { recursive: true }));

const chunk = { first: 3, count: 2, rows: true };
const never = new AbortController().signal;

async function taskOf(receive: string) {
  const module = join(folder, `${receive.length}.ts`);
  writeFileSync(
    module,
    `export const toy = { name: "toy", assumes: { topology: "ring" }, init(params, self, saved, ctx) { ctx.send(0, self.id); return {}; },
  receive(state, port, id, ctx) { ${receive} }, verdict: () => ({ status: "elected", leader: null, term: 0 }) };\n`,
  );
  const { source } = await loadProtocol({ module });
  return { settings: written(resolve({ protocol: source!, n: 4 })), chunk };
}

test("what comes to its end there is what it would be anywhere", async () => {
  const task = { settings: written(resolve({ protocol: "peterson", n: 20 })), chunk };
  const outcome = await runApart(task, 1, never);
  const here = await work(task);
  if (!("answer" in outcome) || outcome.answer.result === null || here.result === null) throw new Error("no answer");
  expect(outcome.answer.result.tally).toEqual(here.result.tally);
  expect(outcome.answer.result.rows).toEqual(here.result.rows);
});

test("what ends its thread or its whole process ends nothing else, and it is said how", async () => {
  const [exits, kills, loops] = await Promise.all(
    ["process.exit(7);", 'process.kill(process.pid, "SIGKILL");', "for (;;) ctx.now;"].map(taskOf),
  );
  // One that is wanted no more is ended.
  const outcomes = [
    runApart(exits, 1, never),
    runApart(kills, 1, never),
    runApart(loops, 1, AbortSignal.timeout(1500)),
  ];
  const ended = "its process ended with SIGKILL";
  expect(await Promise.all(outcomes)).toEqual(
    [expect.stringMatching(/exit.*7/i), ended, ended].map((failure) => ({ failure })),
  );
});
