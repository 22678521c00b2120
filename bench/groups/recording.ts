/**
 * What the flight recorder costs: CPU time of a group in virtual time, and of real agents, with and without a record.
 *
 *     node bench/groups/recording.ts [pairs, at least 2] [virtual|agents]
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

/** A group in virtual time. */
function virtualGroup(members: number, isRecorded: boolean): { run(seconds: number): number; close(): void } {
  const recorders: FlightRecorder[] = [];
  const setup = new VirtualOpenGroup({
    seed: 5,
    machine: group(),
    params: (name) => groupParams({ name, profile: "lan" }),
    ...(isRecorded && {
      machineOf(member: string, { world, address: { host, port } }) {
        const file = join(mkdtempSync(join(folder, "virtual-")), `${member}.flight`);
        const recorder = new FlightRecorder({ file, minutes: 10 }, world);
        recorder.begin({ machine: "group", group: "bench", member, address: `${host}:${port}` });
        recorders.push(recorder);
        return taped(group(), recorder);
      },
    }),
  });
  for (let i = 0; i < members; i++) setup.start(`m${i}`);
  return {
    /** Milliseconds of CPU for this many virtual seconds. */
    run(seconds) {
      const before = process.cpuUsage();
      setup.run(1000 * seconds);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    },
    close: () => recorders.forEach((recorder) => void recorder.close()),
  };
}

/** Two groups with the same seed take turns, so that a busy machine slows both. The first turn compiles everything. */
function virtualPairs(members: number, seconds: number): Pair[] {
  const [plain, taped] = [virtualGroup(members, false), virtualGroup(members, true)];
  const turns = Array.from({ length: rounds + 1 }, (_, turn): Pair => {
    // In turns, who is first.
    if (turn % 2 === 0) return { without: plain.run(seconds), recorded: taped.run(seconds) };
    const recorded = taped.run(seconds);
    return { without: plain.run(seconds), recorded };
  });
  plain.close();
  taped.close();
  return turns.slice(1);
}

/** Seconds in which the groups agree, and a busy machine has started all of them. */
const WARM = 60;

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

/** Pairs of groups, all at the same time, one of each pair recorded: a busy machine slows both. */
async function agentPairs(seconds: number): Promise<Pair[]> {
  const pairs = Array.from({ length: rounds }, (_, i) =>
    [false, true].map((isRecorded, side) =>
      startAgents(mkdtempSync(join(folder, "agents-")), 17400 + 20 * i + 10 * side, isRecorded),
    ),
  );
  const used = () => pairs.map((pair) => pair.map((agents) => agents.map(cpuOf).reduce((sum, ms) => sum + ms)));
  await pass(1000 * WARM);
  const before = used();
  await pass(1000 * seconds);
  const more = used().map((pair, i) => pair.map((ms, side) => ms - before[i][side]));
  await Promise.all(pairs.flat(2).map(ended));
  return more.map(([without, recorded]) => ({ without, recorded }));
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

/** Milliseconds of CPU. */
interface Pair {
  readonly without: number;
  readonly recorded: number;
}

/** The share that recording adds, with twice its standard error over the pairs. */
function tell(what: string, pairs: readonly Pair[]): void {
  const more = pairs.map(({ without, recorded }) => recorded / without - 1);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value) / values.length;
  const error = Math.sqrt(mean(more.map((share) => (share - mean(more)) ** 2)) / (pairs.length - 1));
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
  const ms = (name: keyof Pair) => mean(pairs.map((pair) => pair[name])).toFixed(0);
  process.stdout.write(
    `${what}: ${ms("without")} ms of CPU without, ${ms("recorded")} ms with a record: ${percent(mean(more))} more (± ${percent(2 * error)}, ${pairs.length} pairs)\n`,
  );
}

try {
  if (which !== "agents") {
    tell("5 members, 60 s of virtual time", virtualPairs(5, 60));
    tell("25 members, 12 s of virtual time", virtualPairs(25, 12));
  }
  if (which !== "virtual") tell("3 agents with leases in SQLite, 60 s", await agentPairs(60));
} finally {
  rmSync(folder, { recursive: true });
}
