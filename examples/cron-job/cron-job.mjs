/**
 * A cron job that is started on every machine and must run once: whoever leads does the work, the others wait until it is done, and
 * take over where the leader dies.
 *
 *   node cron-job.mjs NAME OWN-PORT [PORT-OF-ANOTHER ...]
 */
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "sortition";
import { loadGuardKeys, sqliteGuard } from "sortition/guards";

const [name, ...ports] = process.argv.slice(2);
const CUSTOMERS = 20;

// The night is the job's name for "this time": who is started again in the same night finds the work done.
const night = process.env.NIGHT ?? new Date().toISOString().slice(0, 10);
const database = new DatabaseSync("statements.db", { timeout: 5000 });
database.exec("CREATE TABLE IF NOT EXISTS statements (night TEXT, customer INTEGER, by TEXT, token TEXT)");
const insert = database.prepare("INSERT INTO statements VALUES (?, ?, ?, ?)");
const count = database.prepare("SELECT count(*) AS rows FROM statements WHERE night = ?");
const written = () => count.get(night).rows;

// Remembers the newest leader in the same database, and in the same transaction as each row that is written.
const guard = sqliteGuard({ keys: loadGuardKeys("group.key", "nightly"), seat: "leader" });

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());

const member = await join({
  name,
  group: "nightly",
  keyFile: "group.key",
  bind: `127.0.0.1:${ports[0]}`,
  seeds: ports.map((port) => `127.0.0.1:${port}`),
  profile: "local", // all members are on this machine
  lease: "sqlite:leases.db",
  leaseTtl: 1500, // so long, at most, nobody works after a crash
  signal: stop.signal,
});

const { done } = member.lead(async ({ signal, fence, token }) => {
  console.log(`${name} leads with token ${token}; ${written()} of ${CUSTOMERS} are written`);
  // The guard refuses every leader before this one from here on, so that what is read next stays true.
  let customer = guard.guarded(database, fence, () => written());
  while (customer < CUSTOMERS && !signal.aborted) {
    await sleep(100); // makes the statement. Whoever is paused here has lost its lease when it wakes, and the guard knows
    customer++;
    guard.guarded(database, fence, () => insert.run(night, customer, name, String(token)));
  }
  // Work that returns of itself gives the office up, and this member does not stand for it again.
});

// Who does not lead waits until the work is done, whoever does it.
while (written() < CUSTOMERS && !stop.signal.aborted) await sleep(50);
await member.leave();
await done;
console.log(`${name} ends; ${written()} of ${CUSTOMERS} are written`);
