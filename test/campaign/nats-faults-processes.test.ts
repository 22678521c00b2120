/** Servers of campaigns that lose something, or take something away: the campaign goes on, or ends in a sentence; it never stands still. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sortition } from "../cli/run.ts";
import { NatsServer, natsProgram } from "../support/nats-server.ts";
import { leftAt, Told, untimed } from "./queue.ts";

describe.runIf("file" in natsProgram())("a server of campaigns", () => {
  let server: NatsServer;
  let url: string;
  let alone: unknown;
  const folder = mkdtempSync(join(tmpdir(), "sortition-campaign-"));
  const processes: Told[] = [];
  // Some seconds of work: a kernel would be through before anything happens.
  const LINE = [
    ...["simulate", "chang-roberts", "--kernel", "off", "--n", "1000", "--trials", "600", "--seed", "77", "--json"],
  ];
  const ROWS = [...LINE, "--force", "--out", join(folder, "rows.csv")];

  const told = (...args: string[]): Told => {
    const one = new Told([...args, "--nats", url]);
    processes.push(one);
    return one;
  };
  const worker = async () => {
    const one = told("worker", "--threads", "1");
    await one.says("waits for campaigns");
    return one;
  };
  const equalsOneMachine = async (submitted: Told) => {
    expect([submitted.stderr, await submitted.ended]).toEqual([expect.any(String), 0]);
    expect(untimed(submitted.stdout)).toEqual(alone);
    expect(await leftAt(url)).toEqual([]);
  };

  beforeAll(async () => {
    alone = untimed((await sortition(...LINE)).stdout);
  });
  beforeEach(async () => {
    server = await NatsServer.start();
    url = `nats://${server.place}`;
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((each) => each.kill()));
    await server.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("that comes back without its disk, with workers that run something and workers that wait, is told again what there is to do", async () => {
    const [idle] = await Promise.all([worker(), worker()]);
    await server.kill();
    server.forget();
    await server.again();
    const submitted = told(...LINE);
    await idle.says("takes part");
    await server.kill();
    server.forget();
    await server.again();
    await equalsOneMachine(submitted);
    expect(processes.map(({ child }) => child.exitCode)).toEqual([null, null, 0]);
  });

  test("whose streams and consumers are deleted or purged in the midst of a campaign is told again", async () => {
    const nc = await connect({ servers: server.place });
    const jsm = await jetstreamManager(nc);
    const [one] = await Promise.all([worker(), worker()]);
    const submitted = told(...LINE);
    await one.says("takes part");
    for (const stream of ["SORTITION_CHUNKS", "SORTITION_RESULTS", "SORTITION_ORDERS"]) {
      await jsm.streams.purge(stream);
      await jsm.streams.delete(stream);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    for await (const { name } of jsm.consumers.list("SORTITION_CHUNKS"))
      await jsm.consumers.delete("SORTITION_CHUNKS", name);
    await nc.close();
    await equalsOneMachine(submitted);
  });

  test("that takes only small messages since it was restarted gets results in smaller parts", async () => {
    const one = await worker();
    const submitted = told(...ROWS);
    await one.says("takes part");
    await server.kill("SIGTERM");
    server.configure("max_payload: 2048");
    await server.again();
    await equalsOneMachine(submitted);
  });

  test("that comes back without JetStream is waited for, and both sides say so", async () => {
    const one = await worker();
    const submitted = told(...LINE);
    await one.says("takes part");
    await server.kill("SIGTERM");
    server.configure("", null);
    await server.again();
    for (const side of [one, submitted])
      await side.says(/has no JetStream now: start it with "nats-server -js"; this waits/);
    await server.kill("SIGTERM");
    server.configure();
    await server.again();
    await equalsOneMachine(submitted);
  });

  test("that has no room for results: both sides say so, and it goes on when there is room", async () => {
    await server.kill();
    server.configure("", "max_file_store: 4096");
    await server.again();
    await worker();
    const submitted = told(...ROWS);
    await submitted.says(/has no room to store more/);
    await server.kill("SIGTERM");
    server.configure();
    await server.again();
    await equalsOneMachine(submitted);
  });

  test("a worker that was stopped while it waited, for longer than the server keeps its request, takes part again", async () => {
    const one = await worker();
    one.child.kill("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, 7000));
    one.child.kill("SIGCONT");
    await equalsOneMachine(told(...LINE));
  });
});
