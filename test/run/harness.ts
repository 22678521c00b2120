/** Real `sortition run` processes in a folder of their own, and what can be done to them. `npm test` has built the command. */
import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect } from "vitest";
import { cgroupsOf, killCgroup, removeCgroup } from "../../src/live/run/cgroup.ts";
import { isDead, listProcesses, markerOf, readProcess } from "../../src/live/run/processes.ts";
import { bin } from "../cli/run.ts";
import { effort } from "../support/effort.ts";

/** Milliseconds of a lease, in the first scene of a test, and in those that follow where a machine had no time for it. */
const TTLS = [2000, 8000, 12_000];
/** Of anything that must happen; beside other tests a machine can be slow. Less than the limit of a test, which would not say what was awaited. */
const PATIENCE = 45_000;
/** Files, processes and databases are looked at so often. */
const LOOK_EVERY = 25;
/** For what a process that has ended said before. */
const LAST_WORDS = 5000;

/** For all scenes of a test: a moment less than a test has, whose limit would not say what its processes have said. */
const LONGEST = effort(58_000, 900_000);

type Line = Readonly<Record<string, unknown>> & { readonly msg: string; readonly level: string };

export const isAlive = (pid: number): boolean => {
  const it = readProcess(pid);
  return it !== null && !isDead(it);
};

export async function until<T>(what: string | (() => string), look: () => T | null | undefined | false): Promise<T> {
  for (const end = performance.now() + PATIENCE; performance.now() < end; ) {
    const found = look();
    if (found !== null && found !== undefined && found !== false) return found as T;
    await sleep(LOOK_EVERY);
  }
  throw new Error(`waited in vain: ${typeof what === "string" ? what : what()}`);
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Its number and command line. */
export function lineOf(pid: number): string {
  try {
    return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`;
  } catch {
    return `${pid}, which has ended meanwhile`;
  }
}

/** Letters of what a run has said last. */
const MOST_SAID = 4000;

/** Whether every thread has stopped. */
const hasStopped = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every((thread) =>
    / [Tt] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8").replace(/^.*\)/, "")),
  );

/** On a starved machine an office can be lost before the fault that a test is about: then the test has not begun. */
export class NotBegun extends Error {}

/** 1 once a scene with the shortest leases has not begun: the machine is busy, and the next test does without them. */
let first = 0;

const scenes: Scene[] = [];

/** To be called once by each test file: files share this module, and a hook here would belong to the first of them alone. */
export const clearScenesAtTheEnd = () =>
  afterAll(() => {
    for (const each of scenes.splice(0)) each.close();
  });

/** A new one, which is cleared away when the tests of its file have ended. */
export function scene(defaults: Options = {}): Scene {
  const made = new Scene(defaults);
  scenes.push(made);
  return made;
}

/** Sets the scene anew until the test has begun; what is promised once it has begun is promised the first time. */
export async function inScene(act: (it: Scene) => Promise<void>): Promise<void> {
  const tried: string[] = [];
  const end = performance.now() + LONGEST;
  for (const ttl of TTLS.slice(first)) {
    const it = scene({ ttl });
    try {
      return await Promise.race([act(it), it.outOfTime(end - performance.now())]);
    } catch (error) {
      if (!(error instanceof NotBegun)) throw error;
      tried.push(`${error.message} with leases of ${ttl} ms`);
      first = 1;
      it.close();
    }
  }
  throw new NotBegun(`the test has not begun: ${tried.join(", ")}`);
}

/** A signal that begins the fault. */
export function strike(pid: number, signal: NodeJS.Signals): void {
  if (!isAlive(pid)) throw new NotBegun(`${pid} has gone before ${signal}`);
  process.kill(pid, signal);
}

export class RunProcess {
  readonly child: ChildProcess;
  readonly lines: Line[] = [];
  stdout = "";
  stderr = "";
  readonly ended: Promise<number>;

  constructor(line: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    this.child = spawn(line[0], line.slice(1), {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child.stdout!.setEncoding("utf8").on("data", (text) => {
      this.stdout += text;
    });
    let rest = "";
    this.child.stderr!.setEncoding("utf8").on("data", (text) => {
      this.stderr += text;
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const one of lines) if (one.startsWith("{")) this.lines.push(JSON.parse(one));
    });
    const exited = new Promise<number>((resolve) => {
      this.child.on("exit", (code, signal) => resolve(code ?? (signal === null ? -1 : -2)));
    });
    const closed = new Promise((resolve) => this.child.on("close", resolve));
    // What it has said is read before, unless somebody else holds the other end of its pipes.
    this.ended = exited.then((status) => Promise.race([closed, sleep(LAST_WORDS)]).then(() => status));
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Its status; where that is another one, with all that it has said. */
  async endsWith(status: number): Promise<void> {
    const found = await this.ended;
    expect(found, `standard output:\n${this.stdout}\nstandard error:\n${this.stderr}\nits status`).toBe(status);
  }

  /** How often its command has started. */
  get starts(): readonly Line[] {
    return this.lines.filter(({ msg }) => msg === "the command has started");
  }

  /** Whether it, its guardian or the engine had no time to do its part: then an office is lost without a fault. */
  get isStarved(): boolean {
    return this.lines.some(({ msg }) => /does not answer|did not start|was paused|in time|ran out/.test(msg));
  }

  /** Whether the machine gave its process no time for a while. */
  get wasPaused(): boolean {
    return this.lines.some(({ msg }) => msg.includes("was paused, or busy"));
  }

  says(words: string): Promise<Line> {
    return until(
      () => `"${words}" in ${this.stderr}`,
      () => this.lines.find(({ msg }) => msg.includes(words)),
    );
  }

  /** Of the newest command, once it has started for the n-th time. */
  async started(times = 1): Promise<{ guardian: number; command: number }> {
    const line = await until(
      () => `start ${times} in ${this.stderr}`,
      () => this.starts[times - 1],
    );
    return { guardian: line.guardian as number, command: line.pid as number };
  }

  kill(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }
}

export interface Options {
  readonly name?: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly lease?: string | null;
  readonly ttl?: number;
  /** What the run chooses, if not given. */
  readonly grace?: number;
  readonly through?: readonly string[];
}

export class Scene {
  readonly folder = mkdtempSync(join(tmpdir(), "sortition-run-"));
  /** Its own: a run ends what a stopped one of the same member has left, and scenes play side by side on one machine. */
  readonly group = basename(this.folder);
  /** Milliseconds of a lease. */
  readonly ttl: number;
  private readonly runs: RunProcess[] = [];
  private limit: NodeJS.Timeout | undefined;
  private readonly defaults: Options;

  constructor(defaults: Options = {}) {
    this.defaults = defaults;
    this.ttl = defaults.ttl ?? TTLS[0];
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  read(name: string): string {
    return existsSync(this.file(name)) ? readFileSync(this.file(name), "utf8") : "";
  }

  note(name: string, text: string): void {
    appendFileSync(this.file(name), text);
  }

  /** `command` as the command line has it after `--`. */
  run(command: readonly string[], options: Options = {}): RunProcess {
    const all = {
      name: "a",
      args: [],
      env: {},
      lease: "sqlite:leases.db",
      ttl: this.ttl,
      ...this.defaults,
      ...options,
    };
    const { name, args, env, lease, ttl, grace, through = [] } = all;
    const strict = [
      ...(lease === null ? [] : ["--lease", lease, "--lease-ttl", String(ttl)]),
      ...(grace === undefined ? [] : ["--grace", String(grace)]),
    ];
    // Most tests are about what is promised everywhere. cgroup.test.ts has the rest.
    const mode = args.includes("--cgroup") ? [] : ["--cgroup", "never"];
    const member = ["--group", this.group, "--name", name, ...mode];
    const line = [...through, process.execPath, bin, "run", ...member, "--profile", "local", "--log", "json"];
    return this.through([...line, ...strict, ...args, "--", ...command], env);
  }

  /** Any command line, in this scene. */
  through(line: readonly string[], env: NodeJS.ProcessEnv = {}): RunProcess {
    const run = new RunProcess(line, this.folder, { ...env, SCENE: this.folder });
    this.runs.push(run);
    return run;
  }

  sh(script: string, options: Options = {}): RunProcess {
    return this.run(["sh", "-c", script], options);
  }

  /** Stops a process, but not within a transaction: nobody else could write to that file then (docs/leases.md). */
  async stop(pid: number, database = "leases.db"): Promise<void> {
    await until("a moment between transactions", () => {
      process.kill(pid, "SIGSTOP");
      // A thread that is in a system call ends the call first, and the call may take the lock.
      if (!hasStopped(pid)) return false;
      const other = new DatabaseSync(this.file(database), { timeout: 50 });
      try {
        other.exec("BEGIN IMMEDIATE; ROLLBACK");
        return true;
      } catch {
        process.kill(pid, "SIGCONT");
        return false;
      } finally {
        other.close();
      }
    });
  }

  /** What runs here of any command: all that has this scene in its environment, but for the runs and their guardians. */
  marked(): readonly number[] {
    const all = listProcesses() ?? [];
    return all.filter((it) => !isDead(it) && this.isOurs(it.pid) && markerOf(it.pid) !== null).map(({ pid }) => pid);
  }

  /** Whatever was started here, also what has cleaned its environment of everything else. */
  everything(): readonly number[] {
    return (listProcesses() ?? []).filter((it) => !isDead(it) && this.isOurs(it.pid)).map(({ pid }) => pid);
  }

  /** Fails with what its runs have said, if it is not closed by then. */
  outOfTime(ms: number): Promise<never> {
    return new Promise((_, reject) => {
      this.limit = setTimeout(() => {
        const said = this.runs.map(({ stderr }) => stderr.slice(-MOST_SAID));
        reject(new Error(`out of time; leases of ${this.ttl} ms, and the runs have said:\n${said.join("\n")}`));
      }, ms);
    });
  }

  /** Resolves when nothing of it runs. */
  nothingLeft(): Promise<true> {
    return until(
      () => `the end of ${this.everything().map(lineOf).join(", ")}`,
      () => this.everything().length === 0,
    );
  }

  private isOurs(pid: number): boolean {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`SCENE=${this.folder}`);
    } catch {
      return false;
    }
  }

  close(): void {
    clearTimeout(this.limit);
    for (const pid of [...this.runs.map(({ pid }) => pid), ...this.everything()]) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has gone.
      }
    }
    for (const { pid } of this.runs) clearCgroups(pid);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A run that was killed leaves its cgroup to the next run of its member. */
function clearCgroups(run: number): void {
  for (const folder of cgroupsOf((marker) => marker.includes(`.${run}.`))) {
    killCgroup(folder);
    for (let tries = 0; tries < 50 && existsSync(folder); tries++) {
      removeCgroup(folder);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/** A shell that leaves a sign of life ten times a second: its token. */
export const BEATS = 'while :; do echo "$SORTITION_TOKEN" >> beats; sleep 0.1; done';
