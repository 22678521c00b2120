/** Every "Run it here" of Papers leads to a run that can be made, and the built page asks for nothing of Node. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HERE } from "../../lab/papers/here.ts";
import { OpenedRun } from "../../lab/worker/opened.ts";
import { RunningSweep } from "../../lab/worker/sweep.ts";
import { root } from "../cli/run.ts";

describe.each(Object.entries(HERE))("%s", (key, hash) => {
  const [view, query] = hash.split("?");
  const {
    protocols,
    vary,
    trials,
    y = "messages",
    log: _,
    beside,
    ...fields
  } = Object.fromEntries(new URLSearchParams(query));

  test("is an experiment of the reproduction", () => {
    const [paper, name] = key.split(" ");
    const claims = readFileSync(join(root, "docs/reproduction/claims.jsonl"), "utf8");
    expect(claims).toContain(`{"paper":"${paper}","name":"${name}"`);
  });

  test("runs", () => {
    if (view === "#/watch") {
      const run = new OpenedRun(fields, [], 0);
      expect(run.problems).toEqual([]);
      if (beside !== undefined) expect(run.facts.readings).toContain(beside);
      return;
    }
    const sweep = new RunningSweep({ protocols: protocols.split(","), vary, trials: Number(trials), fields });
    for (const _ of sweep.run()) if (sweep.done > 0) break;
    expect(sweep.problem).toBeNull();
    expect(sweep.quantities).toContain(y);
  });
});

test("the built page asks for nothing of Node", () => {
  const folder = join(root, "dist/lab/assets");
  if (!existsSync(folder)) throw new Error("dist/lab is not there: npm run build");
  const scripts = readdirSync(folder).filter((name) => name.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(5);
  const asking = scripts.filter((name) =>
    /(from|import\()\s*["'](node:|fs|path|os|piscina)/.test(readFileSync(join(folder, name), "utf8")),
  );
  expect(asking).toEqual([]);
});
