/** Campaigns over a real NATS server, with real workers: the result is that of one machine. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { sortition } from "../cli/run.ts";
import { effort } from "../support/effort.ts";
import { NatsServer, natsProgram } from "../support/nats-server.ts";
import { leftAt, Told, takeAway, untimed } from "./queue.ts";

if (natsProgram() === null) {
  test("NOT TESTED: campaigns over NATS: there is no nats-server on this machine (test/support/servers.ts says why)", () => {
    expect(process.env.CI ?? "", "under CI all of it is tested").toBe("");
  });
}

describe.runIf(natsProgram() !== null)("campaigns over NATS", { timeout: effort(60_000, 240_000) }, () => {
  let server: NatsServer;
  let url: string;
  const folder = mkdtempSync(join(tmpdir(), "sortition-campaign-"));
  const processes: Told[] = [];

  beforeAll(async () => {
    // Results of more than a few rows go in parts.
    server = await NatsServer.start("max_payload: 16384");
    url = `nats://${server.place}`;
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((each) => each.kill()));
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

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
  // A kernel would be through before anything happens.
  const LONG = [
    ...["simulate", "chang-roberts", "--kernel", "off", "--n", "1000", "--json", "--seed", "77"],
    ...["--trials", String(effort(200, 10_000))],
  ];

  test("equal one machine byte for byte, rows in parts; a worker that is killed costs time alone, and nothing is left", async () => {
    const rows = ["queue.csv", "alone.csv"].map((name) => join(folder, name));
    const alone = sortition(...LONG, "--threads", "1", "--out", rows[1]);
    const [one] = await Promise.all([worker(), worker()]);
    const submitted = told(...LONG, "--out", rows[0]);
    await one.says("takes part in campaign");
    await one.kill();
    expect([submitted.stderr, await submitted.end()]).toEqual([expect.any(String), 0]);
    expect(untimed(submitted.stdout)).toEqual(untimed((await alone).stdout));
    expect(readFileSync(rows[0], "utf8")).toBe(readFileSync(rows[1], "utf8"));
    expect(await leftAt(url)).toEqual([]);
  });

  test("end with a sentence where the server has lost its streams, and --resume goes on", async () => {
    const first = told(...LONG);
    await first.says("waits for workers of build");
    await takeAway(url);
    expect(await first.end()).toBe(2);
    expect(first.stderr).toContain("has lost the streams of this campaign; the same command with --resume goes on");
    // One that was killed, with results: they are found again.
    const helper = await worker();
    const second = told(...LONG);
    await helper.says("takes part in campaign");
    helper.child.kill("SIGSTOP");
    await second.kill();
    helper.child.kill("SIGCONT");
    const third = told(...LONG, "--resume");
    expect([third.stderr, await third.end()]).toEqual([expect.any(String), 0]);
    expect(untimed(third.stdout)).toEqual(untimed((await sortition(...LONG, "--threads", "1")).stdout));
    helper.child.kill("SIGTERM");
    expect(await helper.end()).toBe(0);
    expect(helper.stderr).toMatch(/has ended, after (no|\d+) chunks?/);
  });

  test("say why they cannot begin: nobody listens there", async () => {
    const nobody = new Told(["simulate", "peterson", "--nats", "nats://127.0.0.1:1"]);
    processes.push(nobody);
    expect(await nobody.end()).toBe(2);
    expect(nobody.stderr).toContain("cannot connect to NATS at 127.0.0.1:1: nobody listens there");
  });
});
