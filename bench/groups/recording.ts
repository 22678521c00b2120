/**
 * What the flight recorder costs: CPU time of a group in virtual time, and of real agents, with and without a record.
 *
 *     node bench/groups/recording.ts [rounds] [virtual|agents]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { group } from "../../src/elector/group.ts";
import { groupParams } from "../../src/elector/params.ts";
import { taped } from "../../src/flight/tape.ts";
import { VirtualOpenGroup } from "../../src/live/group/virtual.ts";
import { FlightRecorder } from "../../src/live/record/recorder.ts";

const rounds = Number(process.argv[2] ?? 5);
const which = process.argv[3];
const folder = mkdtempSync(join(tmpdir(), "sortition-recording-"));

/** Milliseconds of CPU for so many members and virtual seconds. */
function virtual(members: number, seconds: number, isRecorded: boolean): number {
  const recorders: FlightRecorder[] = [];
  const setup = new VirtualOpenGroup({
    seed: 5,
    machine: group(),
    params: (name) => groupParams({ name, profile: "lan" }),
    ...(isRecorded && {
      machineOf(member: string, { world, address: { host, port } }) {
        const recorder = new FlightRecorder({ file: join(folder, `${member}.flight`), minutes: 10 }, world);
        recorder.begin({ machine: "group", group: "bench", member, address: `${host}:${port}` });
        recorders.push(recorder);
        return taped(group(), recorder);
      },
    }),
  });
  for (let i = 0; i < members; i++) setup.start(`m${i}`);
  const before = process.cpuUsage();
  setup.run(1000 * seconds);
  const { user, system } = process.cpuUsage(before);
  for (const recorder of recorders) recorder.close();
  return (user + system) / 1000;
}

const TICKS = 100;

/** Milliseconds of CPU that three agents, a strict group, have used in so many seconds after their start. */
async function agents(seconds: number, isRecorded: boolean): Promise<number> {
  const bin = new URL("../../bin/sortition.js", import.meta.url).pathname;
  const store = mkdtempSync(join(folder, "agents-"));
  const seeds = [1, 2, 3].map((i) => `127.0.0.1:${17400 + i}`);
  const children = seeds.map((bind, i) =>
    spawn(
      process.execPath,
      [
        ...[bin, "agent", "--name", `m${i}`, "--bind", bind, "--seeds", seeds.join(","), "--http", "off"],
        ...["--lease", `sqlite:${join(store, "leases.db")}`, "--log-level", "error", "--insecure"],
        ...(isRecorded ? ["--record", join(store, `m${i}.flight`)] : []),
      ],
      { stdio: "ignore" },
    ),
  );
  await pass(8000);
  const before = children.map(cpuOf);
  await pass(1000 * seconds);
  const used = children.map((child, i) => cpuOf(child) - before[i]).reduce((sum, ms) => sum + ms);
  await Promise.all(children.map(ended));
  return used;
}

function cpuOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.on("exit", () => resolve());
    child.kill("SIGTERM");
  });

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1];

async function compare(what: string, measure: (isRecorded: boolean) => number | Promise<number>): Promise<void> {
  const without: number[] = [];
  const recorded: number[] = [];
  for (let round = 0; round < rounds; round++) {
    without.push(await measure(false));
    recorded.push(await measure(true));
  }
  const more = recorded.map((ms, i) => ms / without[i] - 1);
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
  const spread = `${percent(Math.min(...more))} to ${percent(Math.max(...more))}`;
  process.stdout.write(
    `${what}: ${median(without).toFixed(0)} ms of CPU without, ${median(recorded).toFixed(0)} ms with a record: ${percent(median(more))} more (${spread}, ${rounds} rounds)\n`,
  );
}

try {
  if (which !== "agents") {
    // Once before, so that everything is compiled.
    virtual(5, 300, true);
    await compare("5 members, 600 s of virtual time", (isRecorded) => virtual(5, 600, isRecorded));
    await compare("25 members, 120 s of virtual time", (isRecorded) => virtual(25, 120, isRecorded));
  }
  if (which !== "virtual") {
    await compare("3 agents with leases in SQLite, 20 s", (isRecorded) => agents(20, isRecorded));
  }
} finally {
  rmSync(folder, { recursive: true });
}
