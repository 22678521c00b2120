/** `npm run soak:processes`: real agents on real lease stores under drawn faults, and a checker that shares no code with them. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { parseArgs } from "node:util";
import { cpuOf, DrawnGroup } from "./drawn-group.ts";
import { postgresStore, sqliteStore } from "./drawn-store.ts";

const HELP = `npm run soak:processes -- [options]

Runs groups of five agents as processes, with leases of 2 s, under drawn faults, and holds their answers and guarded writes
against what is promised (docs/testing-groups.md). Build first: npm run build.

  --minutes N       how long (default 1)
  --seed S          what the faults are drawn from (default: from the clock)
  --lease A,B       sqlite, postgres: a group each, side by side (default: both)
  --out FOLDER      where the history is written before something that must not be (default: here)`;

const GROUP = "drawn";
const MINUTE = 60_000;
const MOST_SHOWN = 20;

/** Kills the agents and removes the folder once the pipe to this process has closed, however it has ended. */
const WATCHDOG = `
cat > /dev/null
for pid in $(cat "$1/pids"); do
  grep -qsF "$1" "/proc/$pid/cmdline" && kill -9 "$pid"
done
rm -rf "$1"
`;

const print = (line: string) => process.stdout.write(`${new Date().toISOString()} ${line}\n`);

function secret(folder: string, name: string): string {
  const file = join(folder, name);
  writeFileSync(file, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600 });
  return file;
}

async function soak(minutes: number, seed: number, leases: readonly string[], out: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "sortition-drawn-"));
  // All that is made on the way lies in it, the server's data too, which another user reads.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  writeFileSync(join(folder, "pids"), "");
  const watchdog = spawn("sh", ["-c", WATCHDOG, "watchdog", folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watchdog.unref();
  const keyFile = secret(folder, "group.key");
  const tokenFile = secret(folder, "http.token");
  let shown = 0;
  const onBreach = (group: string, what: string, history: readonly string[]) => {
    print(`✗ ${group}: ${what}`);
    if (++shown > MOST_SHOWN) return;
    const file = join(out, `drawn-${seed}-${group}-${shown}.txt`);
    writeFileSync(file, `${history.join("\n")}\n`);
    print(`  the last minutes are in ${file}`);
  };
  const groups: DrawnGroup[] = [];
  const stores = [];
  for (const [i, name] of leases.entries()) {
    const own = join(folder, name);
    mkdirSync(own);
    const store = name === "sqlite" ? sqliteStore(own, keyFile, GROUP) : await postgresStore(keyFile, GROUP);
    stores.push(store);
    groups.push(
      await DrawnGroup.create({ name, folder: own, keyFile, tokenFile, seed: seed + 1000 * i, store, onBreach }),
    );
  }
  print(`seed ${seed}, ${minutes} minutes, process ${process.pid}: ${leases.join(" and ")}`);
  let isOver = false;
  const end = () => {
    isOver = true;
    for (const group of groups) void group.end();
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  const began = performance.now();
  const logging = logEachMinute(groups, began, () => isOver);
  await Promise.all(groups.map((group, i) => pass(i * 30_000).then(() => group.run(began + minutes * MINUTE))));
  isOver = true;
  await logging;
  for (const store of stores) await store.remove();
  watchdog.kill("SIGKILL");
  rmSync(folder, { recursive: true });
  const breaches = groups.reduce((sum, group) => sum + group.breaches, 0);
  for (const group of groups) print(line(group));
  print(breaches === 0 ? "✓ nothing went wrong" : `✗ ${breaches} breaches`);
  return breaches === 0 ? 0 : 1;
}

async function logEachMinute(groups: readonly DrawnGroup[], began: number, isOver: () => boolean): Promise<void> {
  // The children of a process that has ended count with this one, so that the sum grows only by what was used.
  const used = () => groups.flatMap(({ pids }) => pids).reduce((sum, pid) => sum + cpuOf(pid), cpuOf(process.pid));
  let before = used();
  for (let minute = 1; !isOver(); minute++) {
    while (!isOver() && performance.now() < began + minute * MINUTE) await pass(200);
    const now = used();
    print(`minute ${minute}, ${Math.round((100 * (now - before)) / MINUTE)}% of a core`);
    before = now;
    for (const group of groups) print(`  ${line(group)}`);
  }
}

function line({ name, counts, faults, quiets, breaches }: DrawnGroup): string {
  const told = (of: object) =>
    Object.entries(of)
      .map(([what, count]) => `${what} ${count}`)
      .join(", ");
  const slowest = Math.max(0, ...quiets);
  const settled = `settled ${quiets.length} times, within ${(slowest / 1000).toFixed(1)} s`;
  return `${name}: ${breaches} breaches; ${told(counts)}; ${settled}; faults: ${told(faults) || "none"}`;
}

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: { minutes: text, seed: text, lease: text, out: text, help: { type: "boolean" } },
});
const leases = (values.lease ?? "sqlite,postgres").split(",");
const minutes = Number(values.minutes ?? 1);
const seed = Number(values.seed ?? Math.floor(Date.now() / 1000));
if (values.help === true) process.stdout.write(`${HELP}\n`);
else if (
  !leases.every((name) => ["sqlite", "postgres"].includes(name)) ||
  !(minutes > 0) ||
  !Number.isSafeInteger(seed)
)
  throw new Error(HELP);
else process.exitCode = await soak(minutes, seed, leases, values.out ?? ".");
