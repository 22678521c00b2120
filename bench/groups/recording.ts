/**
 * What the flight recorder costs: CPU time of a group in virtual time, and of real agents, with and without a record.
 *
 *     node bench/groups/recording.ts [rounds, at least 2] [virtual|agents]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
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

/** Seconds in which everything is compiled and the group agrees. */
const WARM = 8;

/** Three agents, a strict group. */
function startAgents(store: string, firstPort: number, isRecorded: boolean): ChildProcess[] {
  const bin = new URL("../../bin/sortition.js", import.meta.url).pathname;
  const seeds = [1, 2, 3].map((i) => `127.0.0.1:${firstPort + i}`);
  return seeds.map((bind, i) =>
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
}

/** Two groups at the same time, one of them recorded, so that a busy machine slows both. */
async function agents(seconds: number): Promise<Pair> {
  const groups = [false, true].map((isRecorded, i) =>
    startAgents(mkdtempSync(join(folder, "agents-")), 17400 + 10 * i, isRecorded),
  );
  const used = () => groups.map((children) => children.map(cpuOf).reduce((sum, ms) => sum + ms));
  await pass(1000 * WARM);
  const before = used();
  await pass(1000 * seconds);
  const [without, recorded] = used().map((ms, i) => ms - before[i]);
  await Promise.all(groups.flat().map(ended));
  return { without, recorded };
}

/** Milliseconds on a CPU, of all threads, exact to the nanosecond where times in ticks are not. */
function cpuOf({ pid }: ChildProcess): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, ns) => sum + ns) / 1e6;
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.on("exit", () => resolve());
    child.kill("SIGTERM");
  });

/** Milliseconds of CPU of one round. */
interface Pair {
  readonly without: number;
  readonly recorded: number;
}

/** The share that recording adds, with twice its standard error over the rounds. */
async function compare(what: string, measure: () => Pair | Promise<Pair>): Promise<void> {
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round++) pairs.push(await measure());
  const more = pairs.map(({ without, recorded }) => recorded / without - 1);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value) / values.length;
  const error = Math.sqrt(mean(more.map((share) => (share - mean(more)) ** 2)) / (rounds - 1));
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
  const ms = (name: keyof Pair) => mean(pairs.map((pair) => pair[name])).toFixed(0);
  process.stdout.write(
    `${what}: ${ms("without")} ms of CPU without, ${ms("recorded")} ms with a record: ${percent(mean(more))} more (± ${percent(2 * error)}, ${rounds} rounds)\n`,
  );
}

const virtualPair = (members: number, seconds: number): Pair => ({
  without: virtual(members, seconds, false),
  recorded: virtual(members, seconds, true),
});

try {
  if (which !== "agents") {
    // Once before, so that everything is compiled.
    virtual(5, 300, true);
    await compare("5 members, 600 s of virtual time", () => virtualPair(5, 600));
    await compare("25 members, 120 s of virtual time", () => virtualPair(25, 120));
  }
  if (which !== "virtual") {
    await compare("3 agents with leases in SQLite, 20 s", () => agents(20));
  }
} finally {
  rmSync(folder, { recursive: true });
}
