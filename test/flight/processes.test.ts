/** Flight records of real agents: a fail-over, in which the leader is killed, is run again and put together. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root, sortition } from "../cli/run.ts";
import { AgentProcess } from "../support/agent-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-flight-"));
const started: AgentProcess[] = [];
afterAll(async () => {
  await Promise.all(started.map((agent) => agent.kill("SIGKILL")));
  rmSync(folder, { recursive: true });
});

const NAMES = ["a", "b", "c"];
const flight = (name: string) => join(folder, `${name}.flight`);
let dead = "";

describe("a fail-over of three agents", () => {
  beforeAll(async () => {
    const seeds: string[] = [];
    const agent = (name: string) => {
      const one = new AgentProcess(name, [
        ...["--profile", "local", "--lease", `sqlite:${join(folder, "leases.db")}`],
        ...["--record", flight(name), "--record-minutes", "2", "--seeds", seeds.join(",")],
      ]);
      started.push(one);
      return one;
    };
    const agents = new Map<string, AgentProcess>();
    for (const name of NAMES) {
      agents.set(name, agent(name));
      if (seeds.length === 0) seeds.push(await agents.get(name)!.address());
    }
    const leaderOf = async (one: AgentProcess) =>
      (await one.get("/v1/leader"))?.body.leader?.name as string | undefined;
    const [first] = agents.values();
    dead = await first.until("led", () => leaderOf(first));
    await Promise.all(
      [...agents.values()].map((one) => one.until("led as well", async () => (await leaderOf(one)) === dead)),
    );
    await agents.get(dead)!.kill("SIGKILL");
    const [left] = [...agents].filter(([name]) => name !== dead).map(([, one]) => one);
    await left.until("led again", async () => {
      const leader = await leaderOf(left);
      return leader !== undefined && leader !== dead;
    });
    // The dead one comes back under its name, and goes on with its file.
    const again = agent(dead);
    await again.until("led too", () => leaderOf(again));
    await Promise.all([...agents.values(), again].map((one) => one.hasEnded || one.kill("SIGTERM")));
  });

  test("the record of the killed one is a run of the machine, up to its last step", async () => {
    const { status, stdout } = await sortition("replay", flight(dead), "--json");
    expect(status).toBe(0);
    const { lives, notes } = JSON.parse(stdout);
    expect(lives.map(({ member, conforms }: { member: string; conforms: boolean }) => [member, conforms])).toEqual([
      [dead, true],
      [dead, true],
    ]);
    expect(notes).toEqual([]);
  });

  test("the records of all are one run: the crash, the silence, the lease that ends, the next leader", async () => {
    const { status, stdout } = await sortition("replay", ...NAMES.map(flight));
    expect(status).toBe(0);
    expect(stdout).toMatch(/the clock of \w was set by \d+ messages, and may be wrong by [\d.]+ ms/);
    const led = stdout.indexOf(`${dead} reports: leader: THIS MEMBER LEADS`);
    const crashed = stdout.indexOf(`${dead} crashes`, led);
    const missed = stdout.indexOf(`${dead} is taken for dead`, crashed);
    const next = stdout.indexOf("THIS MEMBER LEADS", missed);
    const places = [led, crashed, missed, next, stdout.indexOf(`${dead} starts again`, missed)];
    expect(places.every((place) => place > 0)).toBe(true);
    expect(stdout.match(/✓ the run of \w is one that the machine makes/g)).toHaveLength(4);
    expect(stdout).not.toContain("incident");
  });

  test("it is drawn, as a whole or in part, and written for ShiViz", async () => {
    const svg = join(folder, "run.svg");
    const log = join(folder, "run.log");
    const all = await sortition("replay", ...NAMES.map(flight), "--svg", svg, "--shiviz", log);
    expect(all.status).toBe(0);
    const drawn = readFileSync(svg, "utf8");
    for (const name of NAMES) expect(drawn).toContain(`>${name}</text>`);
    expect(drawn).toContain("crashes");
    expect(readFileSync(log, "utf8")).toMatch(/^node\d \{/);
    const part = await sortition("replay", flight(dead), "--from", "0", "--to", "1", "--members", dead);
    expect(part.stdout).toContain(`${dead} starts`);
    expect(part.stdout).not.toContain("LEADS");
    const refused = await sortition("replay", flight(dead), "--members", "nobody");
    expect(refused.stderr).toMatch(/there is no member nobody in the records; there are /);
  });

  test("an incident becomes a test, which passes with this machine and runs under node --test", async () => {
    const work = join(folder, "project");
    mkdirSync(join(work, "node_modules"), { recursive: true });
    symlinkSync(root, join(work, "node_modules", "sortition"));
    const file = join(work, "incident.test.mjs");
    const written = await sortition("replay", ...NAMES.map(flight), "--as-test", file);
    expect(written.stdout).toContain(`written as a test: node --test ${file}`);
    const run = () => spawnSync(process.execPath, ["--test", file], { cwd: work, encoding: "utf8" });
    expect(run()).toMatchObject({ status: 0, stdout: expect.stringMatching(/pass 1\n.*fail 0/s) });
    // The same with a machine that fails at the first message.
    const text = readFileSync(file, "utf8");
    const failing = `const broken = { ...group(), receive() { throw new Error("planted"); } };`;
    const planted = text
      .replace("import { test }", `import { group } from "${join(root, "src/elector/group.ts")}";\nimport { test }`)
      .replace("const records", `${failing}\nconst records`)
      .replace("{ goesOn: true }", "{ goesOn: true, machine: broken }");
    writeFileSync(file, planted);
    expect(run()).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/a handler of \w fails in step \d+: planted/),
    });
    const again = await sortition("replay", flight(dead), "--as-test", file);
    expect(again.stderr).toContain("exists; add --force to overwrite it");
  });

  test("other files are refused in words", async () => {
    const other = join(folder, "other.txt");
    writeFileSync(other, "no record, but long enough to look like one");
    expect((await sortition("replay", other)).stderr).toContain(
      "is not a flight record: a member writes one with --record",
    );
    expect((await sortition("replay", join(folder, "missing"))).stderr).toContain("there is no such file");
    const twice = join(folder, "copy.flight");
    writeFileSync(twice, readFileSync(flight("a")));
    expect((await sortition("replay", flight("a"), twice)).stderr).toContain("are records of the same process");
  });
});
