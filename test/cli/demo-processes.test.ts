/** The demo of the product, as `npm start` runs it: what it shows, what it serves, and that nothing is left of it however it ends. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { ended, sortition, start } from "./run.ts";

/** A demo in a folder of its own for temporary files, whose processes can be told from all others. */
class Demo {
  private static count = 0;
  readonly mark = `SORTITION_TEST_MARK_${process.pid}_demo_${++Demo.count}`;
  readonly folder = mkdtempSync(join(tmpdir(), "sortition-demo-test-"));
  readonly child: ChildProcess;
  readonly end: ReturnType<typeof ended>;
  text = "";

  constructor(...args: string[]) {
    this.child = start(["demo", ...args], { [this.mark]: "1", TMPDIR: this.folder });
    this.child.stdout!.setEncoding("utf8").on("data", (text) => {
      this.text += text;
    });
    this.end = ended(this.child);
    demos.push(this);
  }

  async says(pattern: RegExp): Promise<RegExpExecArray> {
    return until(
      () => pattern.exec(this.text),
      () => `${pattern} in: ${this.text}`,
    );
  }

  /** Processes that carry its mark (Linux shows it; elsewhere there is nothing to see). */
  get left(): string[] {
    if (!existsSync("/proc/self/environ")) return [];
    return readdirSync("/proc").filter((name) => {
      try {
        return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, "utf8").includes(this.mark);
      } catch {
        return false;
      }
    });
  }

  async leavesNothing(): Promise<void> {
    await until(
      () => this.left.length === 0 || null,
      () => `no process is left: ${this.left}`,
    );
    await until(
      () => readdirSync(this.folder).length === 0 || null,
      () => `no file is left: ${readdirSync(this.folder)}`,
    );
  }
}

/** Milliseconds: below the limit of a test, so that a failure says what was waited for. */
const LIMIT = 45_000;

/** Waits for it, on machines that can be very busy. */
async function until<T>(find: () => T | null | Promise<T | null>, words: () => string): Promise<T> {
  for (const limit = Date.now() + LIMIT; Date.now() < limit; await pass(20)) {
    const found = await find();
    if (found !== null) return found;
  }
  throw new Error(`not within ${LIMIT} ms: ${words()}`);
}

const demos: Demo[] = [];
afterAll(() => {
  for (const { child, folder } of demos) {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});

/** What `npm start` takes without an option. */
const MEMBERS = 12;

test("--once: five chapters with their times, status 0, and nothing is left", async () => {
  // Fewer say the same, and leave the machine to the other tests.
  const [n, given] = effort([3, ["--members", "3"]], [MEMBERS, []] as [number, string[]]);
  const demo = new Demo("--once", ...given);
  const { status, stdout, stderr } = await demo.end;
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(`${n} agents run`);
  const chapters = [...stdout.matchAll(/^(\d) {2}(.*)$/gm)].map(([, number, title]) => `${number} ${title}`);
  expect(chapters).toEqual([
    "1 A group",
    "2 An election",
    "3 kill -9 of the leader",
    "4 A paused leader",
    "5 A hand-over",
  ]);
  const ms = String.raw`[\d.]+ m?s`;
  for (const fact of [
    "protocol +[a-z-]+",
    String.raw`messages +\d+ \(theory: [\d.]+ for one candidate\)`,
    `time +${ms} until it led, ${ms} until all knew it`,
    `bound +${ms}, stated`,
    "epsilon +[^ ]+: the chance of two leaders.*partitions and false suspicion are excluded",
    `fail-over +${ms} until it led, ${ms} until all ${n - 1} knew it`,
    String.raw`refused +"leader" with token \d+ has been here, and \d+ is older`,
    String.raw`counter +\d+ writes by \d leaders`,
    `time +${ms} until it led, ${ms} until all knew it; no lease had to expire`,
  ]) {
    expect(stdout).toMatch(new RegExp(`^ {3}${fact}`, "m"));
  }
  const tokens = [...stdout.matchAll(/with token (\d+)[.;]/g)].map(([, token]) => BigInt(token));
  expect(tokens.length).toBe(4);
  expect(tokens.every((token, i) => i === 0 || token > tokens[i - 1])).toBe(true);
  expect(demo.left).toEqual([]);
  expect(readdirSync(demo.folder)).toEqual([]);
});

test("the number of members is that of the documentation where none is given", async () => {
  expect((await sortition("demo", "--help")).stdout).toMatch(
    new RegExp(`--members <count> [^-]*\\(default: "?${MEMBERS}"?\\)`),
  );
});

describe("however it ends, no process and no file is left", () => {
  test.each([
    ["SIGINT", 130, /1 {2}A group/],
    ["SIGTERM", 143, /2 {2}An election/],
    // The leader is stopped, and cannot notice that the demo has gone.
    ["SIGKILL", null, /are stopped \(SIGSTOP\)/],
  ] as const)("%s in the middle", async (signal, status, moment) => {
    const demo = new Demo("--members", "3", "--once");
    await demo.says(moment);
    expect(demo.left.length).toBeGreaterThan(1);
    demo.child.kill(signal);
    expect((await demo.end).status).toBe(status);
    await demo.leavesNothing();
  });

  test("an agent that ends by itself in the middle: a sentence, status 2", async () => {
    const demo = new Demo("--members", "3", "--once");
    await demo.says(/2 {2}An election/);
    // As a whole word of its command: the name of a folder may have these letters, too.
    const words = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const pid = demo.left.map(Number).find((each) => words(each).includes("m2"))!;
    process.kill(pid, "SIGKILL");
    const { status, stderr } = await demo.end;
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^sortition: the agent m2 of the demo has ended: .*\n$/),
    ]);
    await demo.leavesNothing();
  });
});

test("--stay: it serves the page, the API of an agent that lives, and processes to kill, pause and start, for its own page and token", async () => {
  const demo = new Demo("--members", "3", "--stay");
  const [, url, token] = await demo.says(/page +(http:.*)\/lab\/#\/live\?token=(\S+)/);
  const bearer = { authorization: `Bearer ${token}` };
  const json = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const answer = await fetch(`${url}${path}`, init);
    return { status: answer.status, ...((await answer.json()) as object) } as Answer;
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = bearer) =>
    json(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { ...headers, "content-type": "application/json" },
    });
  const leaderBut = (one: string | null) =>
    until(
      async () => {
        const name = (await json("/v1/leader")).leader?.name ?? null;
        return name === one ? null : name;
      },
      () => `another leader than ${one}`,
    );

  expect(await (await fetch(`${url}/lab/`)).text()).toMatch(/<!doctype html>/i);
  const { processes } = await json("/demo/processes", { headers: bearer });
  expect(processes.map(({ name, state }) => `${name} ${state}`)).toEqual(["m1 running", "m2 running", "m3 running"]);
  expect(await json("/demo/processes")).toMatchObject({ status: 401 });
  expect(await post("/demo/kill", { name: "m1" }, {})).toMatchObject({ status: 401 });
  expect(await post("/demo/kill", { name: "m1" }, { ...bearer, origin: "http://elsewhere" })).toMatchObject({
    status: 403,
  });
  expect(
    await rawStatus(url, "GET /demo/processes HTTP/1.1\r\nhost: elsewhere.example\r\nconnection: close\r\n\r\n"),
  ).toBe(403);
  expect(await post("/demo/kill", { name: "m9" })).toMatchObject({ status: 404 });

  // The stream goes on over the death of the agent that it came from: the page asks again.
  const stream = await fetch(`${url}/v1/events`);
  const first = await stream.body!.getReader().read();
  expect(new TextDecoder().decode(first.value)).toContain("event: status");

  const before = await leaderBut(null);
  expect(await post("/v1/transfer", { to: before }, bearer)).toMatchObject({ status: 200 });
  const killed = await post("/demo/kill", { name: before });
  expect(killed.processes.find(({ name }) => name === before)).toMatchObject({ state: "dead", url: null });
  const next = await leaderBut(before);
  expect(await post("/demo/start", { name: before })).toMatchObject({ status: 200 });
  expect(await post("/demo/pause", { name: next })).toMatchObject({ status: 200 });
  expect(await post("/demo/pause", { name: next })).toMatchObject({ status: 400 });
  await leaderBut(next);
  expect(await post("/demo/resume", { name: next })).toMatchObject({ status: 200 });
  await demo.says(new RegExp(`kill ${before}, who leads\\n.* leads in term \\d+ with token \\d+, [\\d.]+ m?s later`));

  demo.child.kill("SIGINT");
  expect((await demo.end).status).toBe(0);
  await demo.leavesNothing();
});

test("a port that is taken, a folder that cannot be written to, options that contradict each other: a sentence each", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const refusal = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
    const { status, stdout, stderr } = await ended(start(["demo", ...args], env));
    expect([status, stdout]).toEqual([2, ""]);
    return stderr;
  };
  expect(await refusal(["--port", String(port)])).toBe(
    `sortition: cannot serve the demo at port ${port}: something else listens there; choose another with --port\n`,
  );
  taken.close();
  expect(await refusal([], { TMPDIR: join(tmpdir(), "nowhere") })).toMatch(
    /^sortition: the demo cannot write to .*nowhere \(ENOENT\): make room there, or name another folder with TMPDIR\n$/,
  );
  expect(await refusal(["--protocol", "peterson"])).toContain("--protocol is for --protocols");
  expect(await refusal(["--once", "--stay"])).toContain("give one of them");
});

/** Of a request as it is written here: fetch would not send another host's name. */
async function rawStatus(url: string, text: string): Promise<number> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.end(text);
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  return Number(answer.split(" ")[1]);
}

interface Answer {
  readonly status: number;
  readonly leader?: { readonly name: string } | null;
  readonly processes: readonly { readonly name: string; readonly state: string; readonly url: string | null }[];
}
