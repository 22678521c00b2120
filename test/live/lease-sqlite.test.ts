/** Members with leases in a file of SQLite, which count in another one while they lead; members are killed and stopped, the file fills its disk, cannot be written, is deleted. */
import { chmodSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { memoryFolder, smallDisk } from "../support/lease-disk.ts";
import { LeaseGroup, type Said } from "../support/lease-group.ts";
import { notTested } from "../support/not-tested.ts";
import { LEDGER } from "./lease-counter.ts";

const TTL = 700;
const folder = mkdtempSync(join(tmpdir(), "sortition-leases-"));
// A commit takes a hundredth of the time there: a process that is stopped is rarely stopped inside one.
const quick = memoryFolder();
const disk = join(folder, "disk");
const own = smallDisk(disk, "1m");
const isOwnDisk = typeof own !== "string";
mkdirSync(disk, { recursive: true });
const isRoot = process.getuid?.() === 0;
/** Root may write everything: for it, something else lies where a journal has to be written. */
const inTheWay = join(disk, "leases.db-journal");
const forbid = () => (isRoot ? mkdirSync(inTheWay) : chmodSync(disk, 0o500));
const allow = () => (isRoot ? rmdirSync(inTheWay) : chmodSync(disk, 0o700));

const file = join(quick, "counter.db");
const counter = new DatabaseSync(file);
counter.exec(LEDGER);
const group = new LeaseGroup({
  folder,
  ttl: TTL,
  lease: () => `sqlite:${join(disk, "leases.db")}`,
  counter: { kind: "sqlite", file },
});
afterAll(async () => {
  await group.end();
  counter.close();
  if (isOwnDisk) own.remove();
  for (const each of [folder, quick]) rmSync(each, { recursive: true });
});

const filler = join(disk, "filler");
function fill(): void {
  try {
    writeFileSync(filler, Buffer.alloc(2 ** 20));
  } catch {
    // That was the last byte.
  }
}

/** The leader leads no longer, since the engine does not answer. `fix` makes it answer, and a member leads again. */
async function without(engineFails: () => void, fix: () => void): Promise<Said> {
  const led = await group.leads();
  const silent = group.hear(({ event, engine }) => event === "engine" && engine === "silent");
  engineFails();
  const { token } = await group.hear((said) => said.event === "signal" && said.token! >= led.token!, 0);
  const { why } = await silent;
  // On a busy machine the first request that fails may be one that was not answered in time.
  expect(why).toMatch(/^(sqlite:.*\bleases\.db |no answer within )/);
  fix();
  return group.leads(token);
}

test("a guarded counter never goes back, whatever is killed and stopped, and whatever becomes of the file", async () => {
  await group.start(["a", "b", "c", "d", "e", "f", "g"].slice(0, effort(3, 7)));
  const first = await group.leads();
  await group.kill(first.self);
  const second = await group.leads(first.token);
  await group.join(first.self);

  await group.pauseLeader(second);

  const before = group.said.length;
  rmSync(join(disk, "leases.db"));
  await group.leads((await group.hear(({ event }) => event === "signal", before)).token);

  await without(forbid, allow);
  if (isOwnDisk) await without(fill, () => rmSync(filler));

  await group.end();
  const counted = counter.prepare("SELECT number, token, lease FROM counted ORDER BY number").all();
  group.judge(counted as unknown as Parameters<typeof group.judge>[0]);
  expect(group.said.some(({ event, code }) => event === "refused" && code === "old")).toBe(true);
  expect(group.errors).toBe("");
});

if (!isOwnDisk) notTested("a group with leases on a full disk", own);
