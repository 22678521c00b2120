/** Thousands of requests that are none, over kept connections: nothing falls, nothing changes, nothing piles up. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { membersOf, served, settled, TOKEN } from "../support/api.ts";
import { effort } from "../support/effort.ts";
import { pester } from "../support/pester.ts";

const REQUESTS = effort(4500, 40_000);
const CONNECTIONS = 8;
/** Bytes of the heap that one request may leave behind, over all of them. What is kept but once shows less, the more are sent. */
const LEFT = effort(500, 200);
/** Milliseconds of the server's own time, and not of the machine's. */
const WITHIN = 20_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const heap = () => {
  collect();
  return process.memoryUsage().heapUsed;
};

test(`${REQUESTS} malformed requests: no crash, no change, no growth`, async () => {
  // Nothing of the group's own should happen meanwhile, however busy this process is.
  const members = await membersOf(["a", "b"], { offices: ["leader", "shards:2"], leaseTtl: 10_000 });
  const leader = await settled(members);
  for (const seat of ["shards#1", "shards#2"]) await settled(members, seat);
  const { api, member, lines } = await served(leader);
  const port = Number(new URL(api.url).port);
  // Asked for its status, the leader promises nothing: after /v1/leader it would wait for half its lease before it leaves.
  const known = async () => {
    const { offices, members } = (await (await fetch(`${api.url}/v1/status`)).json()) as Record<string, unknown>;
    // What a lease that is renewed late changes is left out: who leads, in which term and by which token is in.
    return JSON.stringify([offices, members]).replaceAll(/"(validForMs|leaseMs|agoMs|state|mine)":("\w+"|\w+)/g, "");
  };
  const before = await known();
  const keys = member.keys;
  const round = (seed: number, requests: number) =>
    pester({ port, token: TOKEN, seed, requests, connections: CONNECTIONS });

  await round(100, effort(1000, 2000));
  lines.length = 0;
  const used = heap();
  const spent = process.threadCpuUsage();
  const { sent, opened, statuses, ms } = await round(200, REQUESTS);
  const { user, system } = process.threadCpuUsage(spent);
  const loud = lines.filter((line) => !line.startsWith("asked over HTTP, in vain"));
  lines.length = 0;

  expect(loud).toEqual([]);
  expect(sent).toBeGreaterThanOrEqual(REQUESTS);
  expect(sent / opened).toBeGreaterThan(150);
  const seen = [...statuses.keys()].sort();
  expect(seen.filter((status) => status < 400 || status >= 500)).toEqual([]);
  expect(seen).toEqual(expect.arrayContaining([400, 401, 403, 404, 405, 413, 415, 431]));
  expect(await known()).toEqual(before);
  expect(member.keys).toEqual(keys);
  expect(heap() - used).toBeLessThan(LEFT * REQUESTS);
  // Of the server, whose thread this is: what it takes where the client has another core, also on a machine that is busy.
  expect(Math.min(ms, (user + system) / 1000)).toBeLessThan(WITHIN);
});
