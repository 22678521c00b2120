/**
 * Consumers of a queue in six shards: each shard has one consumer at a time, its messages are done in order, and the consumers that are
 * there share the shards.
 *
 *   node consumer.mjs fill 240                                puts messages into the queue
 *   node consumer.mjs NAME OWN-PORT [PORT-OF-ANOTHER ...]     consumes until the queue is empty
 */
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "sortition";
import { loadGuardKeys, sqliteGuard } from "sortition/guards";

const SHARDS = Array.from({ length: 6 }, (_, i) => `shard-${i + 1}`);

const database = new DatabaseSync("queue.db", { timeout: 5000 });
database.exec(`
  CREATE TABLE IF NOT EXISTS queue (id INTEGER PRIMARY KEY, shard TEXT, body TEXT);
  CREATE TABLE IF NOT EXISTS results (message INTEGER, shard TEXT, by TEXT)`);

const [name, ...rest] = process.argv.slice(2);
if (name === "fill") fill(Number(rest[0]));
else await consume(rest);

/** A message's key says which shard it is of: all messages of one customer are in one shard, and stay in order there. */
function fill(messages) {
  const insert = database.prepare("INSERT INTO queue (shard, body) VALUES (?, ?)");
  database.exec("BEGIN IMMEDIATE");
  for (let i = 0; i < messages; i++) insert.run(SHARDS[i % SHARDS.length], `order of customer ${i % 30}`);
  database.exec("COMMIT");
  console.log(`${messages} messages in ${SHARDS.length} shards`);
}

async function consume(ports) {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
  const member = await join({
    name,
    group: "queue",
    keyFile: "group.key",
    bind: `127.0.0.1:${ports[0]}`,
    seeds: ports.map((port) => `127.0.0.1:${port}`),
    profile: "local", // all members are on this machine
    lease: "sqlite:leases.db", // one lease and one token for each shard; one request renews all that a member has
    leaseTtl: 1500,
    signal: stop.signal,
  });

  const keys = loadGuardKeys("group.key", "queue");
  const next = database.prepare("SELECT id FROM queue WHERE shard = ? ORDER BY id LIMIT 1");
  const result = database.prepare("INSERT INTO results VALUES (?, ?, ?)");
  const remove = database.prepare("DELETE FROM queue WHERE id = ?");
  // Members have about equally many; one that comes later is handed its share, and the shards of one that has gone are taken over.
  member.shards("shards", SHARDS.length, async (number, signal, { seat, fence }) => {
    const shard = SHARDS[number];
    const guard = sqliteGuard({ keys, seat });
    console.log(`${name} has ${shard}`);
    while (!signal.aborted) {
      // Shown to the guard before anything is read: from here on it refuses whoever had this shard before.
      const message = guard.guarded(database, fence, () => next.get(shard));
      await sleep(message === undefined ? 50 : 30); // the work that the message asks for, or a rest
      if (message === undefined || signal.aborted) continue;
      // Result and acknowledgement in one transaction: both or none, and neither by a former consumer.
      guard.guarded(database, fence, () => {
        result.run(message.id, shard, name);
        remove.run(message.id);
      });
    }
    console.log(`${name} gives ${shard} back`);
  });

  const left = database.prepare("SELECT count(*) AS messages FROM queue");
  while (left.get().messages > 0 && !stop.signal.aborted) await sleep(200);
  await member.leave();
  const own = database.prepare("SELECT count(*) AS messages FROM results WHERE by = ?").get(name);
  console.log(`${name} ends; it has done ${own.messages}`);
}
