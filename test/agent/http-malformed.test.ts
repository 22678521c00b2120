/** A hundred thousand requests that are none, over kept connections: nothing falls, nothing changes, nothing piles up. */
import { connect, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { membersOf, served, settled, TOKEN } from "../support/api.ts";
import { MalformedRequests } from "../support/malformed-requests.ts";

const REQUESTS = 100_000;
const WITHIN = 20_000;
const CONNECTIONS = 8;
/** So many at once on one connection. */
const PIPELINED = 32;

interface Tally {
  sent: number;
  connections: number;
  readonly statuses: Map<number, number>;
}

/** What one client does: batches of requests that are answered, and after some of them one that ends the connection. */
async function pester(port: number, seed: number, share: number, tally: Tally): Promise<void> {
  const requests = new MalformedRequests(seed, TOKEN);
  let mine = 0;
  while (mine < share) {
    const socket = await opened(port);
    tally.connections++;
    for (let batch = 0; batch < 8 && mine < share; batch++) {
      const all = Array.from({ length: PIPELINED }, () => requests.kept());
      await answers(socket, Buffer.concat(all), PIPELINED, tally);
      mine += PIPELINED;
      tally.sent += PIPELINED;
    }
    await broken(socket, requests.breaking(), tally);
    mine++;
    tally.sent++;
  }
}

const opened = (port: number) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket)).once("error", reject);
  });

function answers(socket: Socket, bytes: Buffer, count: number, tally: Tally): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = 0;
    let rest = "";
    const ended = () =>
      reject(new Error(`the connection ended after ${seen} of ${count} answers: ${rest.slice(0, 300)}`));
    const read = (chunk: Buffer) => {
      rest += chunk.toString("latin1");
      for (let match = ANSWER.exec(rest); match !== null; match = ANSWER.exec(rest)) {
        const [head, status, length] = match;
        const end = match.index + head.length + Number(length);
        if (rest.length < end) return;
        rest = rest.slice(end);
        count_(tally, Number(status));
        seen++;
      }
      if (seen < count) return;
      socket.off("data", read).off("close", ended);
      resolve();
    };
    socket.on("data", read).on("close", ended);
    socket.write(bytes);
  });
}

/** Headers of an answer, as this API gives them. */
const ANSWER =
  /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n(?:(?!content-length)[^\r]+\r\n)*content-length: (\d+)\r\n(?:[^\r]+\r\n)*\r\n/i;

function count_({ statuses }: Tally, status: number): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
}

function broken(socket: Socket, bytes: Buffer, tally: Tally): Promise<void> {
  return new Promise((resolve) => {
    let said = "";
    socket.on("data", (chunk) => {
      said += chunk.toString("latin1");
    });
    socket.once("error", () => {});
    socket.once("close", () => {
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(said)?.[1];
      if (status !== undefined) count_(tally, Number(status));
      resolve();
    });
    socket.end(bytes);
  });
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const heap = () => {
  collect();
  return process.memoryUsage().heapUsed;
};

test(`${REQUESTS} malformed requests within ${WITHIN / 1000} s: no crash, no change, no growth`, async () => {
  const members = await membersOf(["a", "b"], { offices: ["leader", "shards:2"] });
  const leader = await settled(members);
  const { api, member, lines } = await served(leader);
  const port = Number(new URL(api.url).port);
  const known = async () => {
    const answers = ["/v1/leader", "/v1/offices/shards", "/v1/members", "/v1/council"].map(async (path) => {
      const text = await (await fetch(`${api.url}${path}`)).text();
      return text.replaceAll(/"validForMs":\d+/g, "");
    });
    return Promise.all(answers);
  };
  const before = await known();
  const keys = member.keys;
  const tally: Tally = { sent: 0, connections: 0, statuses: new Map() };
  const round = (seed: number, share: number) =>
    Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => pester(port, seed + i, share / CONNECTIONS, tally)));

  await round(100, 2000);
  lines.length = 0;
  const used = heap();
  const since = performance.now();
  await round(200, REQUESTS);
  const took = performance.now() - since;
  const loud = lines.filter((line) => !line.startsWith("asked over HTTP, in vain"));
  lines.length = 0;

  expect(loud).toEqual([]);
  expect(tally.sent).toBeGreaterThanOrEqual(REQUESTS);
  const statuses = [...tally.statuses.keys()].sort();
  expect(statuses.filter((status) => status < 400 || status >= 500)).toEqual([]);
  expect(statuses).toEqual(expect.arrayContaining([400, 401, 403, 404, 405, 413, 415, 431]));
  expect(await known()).toEqual(before);
  expect(member.keys).toEqual(keys);
  expect(heap() - used).toBeLessThan(16 * 1024 * 1024);
  expect(took).toBeLessThan(WITHIN);
});
