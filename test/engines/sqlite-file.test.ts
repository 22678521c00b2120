import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LeaseEngine } from "../../src/live/engines/engine.ts";
import { openEngine } from "../../src/live/engines/open.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { life } from "../support/register.ts";
import { newFolder } from "./sqlite-bench.ts";

let folder: string;
let file: string;
const engines: LeaseEngine[] = [];
beforeEach(() => {
  folder = newFolder();
  file = join(folder, "leases.db");
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  rmSync(folder, { recursive: true, force: true });
});

interface Opening {
  readonly path?: string;
  readonly group?: string;
  readonly migrate?: boolean;
  readonly requestTimeout?: number;
}

async function open({ path = file, group = "g", migrate = true, requestTimeout = 3000 }: Opening = {}) {
  const engine = await openEngine(`sqlite:${path}`, { group, migrate, requestTimeout, world: realWorld });
  engines.push(engine);
  return engine;
}

const [A, B] = [life("A", 1), life("B", 2)];
const given = { kind: "granted" };
const refused = (why: string) => ({ kind: "denied", why });

test("members on one machine share a file, and groups do not see each other", async () => {
  const [one, other, stranger] = await Promise.all([open(), open(), open({ group: "h" })]);
  expect(await one.ask(A.acquire("leader", "A1"))).toMatchObject(given);
  expect(await other.ask(B.acquire("leader", "B1"))).toMatchObject({ ...refused("held"), holder: { name: "A" } });
  expect(await stranger.ask(B.acquire("leader", "B1"))).toMatchObject(given);
  expect(one.name).toBe(`sqlite:${file}`);
});
