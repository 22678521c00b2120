/**
 * A real PostgreSQL for tests, with its own data folder and a free port of 127.0.0.1: it can be stopped, killed, made to stand
 * still, started again on the same port and put back to an old copy. It ends with the process that started it, however that ends.
 *
 * Take one for a test file, since starting takes a second: see with-postgres.ts.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chmodSync, copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import pg from "pg";
import { type Binaries, findBinaries } from "./postgres-binaries.ts";
import { RUN } from "./setup.ts";

const USER = "sortition";
const PASSWORD = "not a secret";

/** A copy of the data folder, as one moment left it. */
export interface Copy {
  readonly folder: string;
}

/** Nobody loses power in a test, so nothing waits for the disk; a killed process leaves all it wrote to the system. */
const SETTINGS = [
  "fsync=off",
  "unix_socket_directories=",
  "listen_addresses=127.0.0.1",
  "max_connections=120",
  "shared_buffers=16MB",
  "log_min_messages=warning",
  "log_line_prefix=%m [%p] ",
  "autovacuum=off",
  "io_method=sync",
];

/** Kills a server and its children once the pipe to the test's process has closed; they lead sessions of their own. */
const WATCHDOG = `
cat > /dev/null
children=$(cat /proc/$1/task/$1/children 2> /dev/null || pgrep -P $1)
kill -9 $1 $children 2> /dev/null
[ "$2" = "" ] || rm -rf "$2"
`;

export class PostgresServer {
  readonly port: number;
  readonly user = USER;
  readonly password = PASSWORD;
  /** What the server has said. */
  log = "";
  private readonly binaries: Binaries;
  private readonly data: string;
  private readonly extra: readonly string[];
  private running: { readonly child: ChildProcess; readonly watchdog: ChildProcess } | null = null;
  private copies = 0;

  private constructor(binaries: Binaries, data: string, port: number, extra: readonly string[]) {
    this.binaries = binaries;
    this.data = data;
    this.port = port;
    this.extra = extra;
  }

  /** `settings`: "name=value" of postgresql.conf. Throws with what is missing where it cannot run here. */
  static async create(settings: readonly string[] = []): Promise<PostgresServer> {
    const binaries = await findBinaries();
    try {
      const data = await newData(binaries);
      for (;;) {
        const server = new PostgresServer(binaries, data, await freePort(), settings);
        try {
          await server.start();
          return server;
        } catch (error) {
          // Somebody else took the port after this process had found it free.
          if (!server.log.includes("Address already in use")) throw error;
        }
      }
    } catch (error) {
      rmSync(binaries.folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** "postgres://sortition@127.0.0.1:5432/postgres"; the password is not in it. */
  url(database = "postgres", user: string = USER): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs statements in a connection of their own. */
  async sql(text: string, values?: readonly unknown[], database = "postgres"): Promise<Record<string, unknown>[]> {
    const client = await this.connected(database);
    try {
      const result = await client.query(text, values as unknown[]);
      return result.rows ?? [];
    } finally {
      await client.end();
    }
  }

  /** As `sql`, with the results of all statements. */
  async all(text: string, database = "postgres"): Promise<unknown> {
    const client = await this.connected(database);
    try {
      return await client.query(text);
    } finally {
      await client.end();
    }
  }

  /** Runs a statement and keeps its locks until they are released. */
  async locking(text: string, database = "postgres"): Promise<{ release(): Promise<void> }> {
    const client = await this.connected(database);
    await client.query("BEGIN");
    await client.query(text);
    return { release: () => client.end() };
  }

  private async connected(database: string): Promise<pg.Client> {
    const client = new pg.Client({ ...this.client(), database });
    // If the server is killed, callers that wait for an answer get an error too.
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  client(): pg.ClientConfig {
    return { host: "127.0.0.1", port: this.port, user: USER, password: PASSWORD, database: "postgres" };
  }

  get isRunning(): boolean {
    return this.running !== null;
  }

  /** Its processes, the first of which started the others. */
  get pids(): number[] {
    if (this.running === null) return [];
    const { pid } = this.running.child;
    return [pid!, ...childrenOf(pid!)];
  }

  /** Starts it, again on the same port, and waits until it answers. */
  async start(): Promise<void> {
    for (;;) {
      const before = this.log.length;
      try {
        return await this.tryToStart();
      } catch (error) {
        // Processes of one that was killed are still about to end.
        if (!this.log.slice(before).includes("pre-existing shared memory block")) throw error;
      }
      await pause(20);
    }
  }

  private async tryToStart(): Promise<void> {
    const settings = [...SETTINGS, `port=${this.port}`, ...this.extra].flatMap((setting) => ["-c", setting]);
    const child = this.binaries.spawn("postgres", ["-D", this.data, ...settings], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr!.on("data", (text) => (this.log += text));
    // In a session of its own: Ctrl-C in the terminal must not reach it. Nor may the warden of the run find it, and end it before
    // its work is done: the server's children write over their environment, so that the warden does not find these.
    const watchdog = spawn("sh", ["-c", WATCHDOG, "watchdog", String(child.pid), this.binaries.folder], {
      stdio: ["pipe", "ignore", "ignore"],
      env: { ...process.env, [RUN]: undefined },
      detached: true,
    });
    watchdog.stdin!.on("error", () => {});
    const running = { child, watchdog };
    this.running = running;
    child.on("exit", () => {
      watchdog.kill("SIGKILL");
      if (this.running === running) this.running = null;
    });
    for (;;) {
      try {
        await this.sql("SELECT 1");
        return;
      } catch (error) {
        if (this.running !== running)
          throw new Error(`postgres has ended: ${this.log.slice(-2000).trim()}`, { cause: error });
      }
      await pause(10);
    }
  }

  /** As an administrator stops it: connections are cut, nothing is lost. */
  async stop(): Promise<void> {
    await this.end(({ pid }) => process.kill(pid!, "SIGINT"));
  }

  /** kill -9 of the server and all its processes, as if the machine had died but for its disk. */
  async kill(): Promise<void> {
    await this.end(() => this.signal("SIGKILL"));
  }

  /** Pauses all its processes: connections stay open, nothing answers. */
  pause(): void {
    this.signal("SIGSTOP");
  }

  resume(): void {
    this.signal("SIGCONT");
  }

  /** A copy of a file that belongs to the user who runs the server, and that no other user can read. */
  keep(file: string): string {
    const copy = join(this.binaries.folder, basename(file));
    copyFileSync(file, copy);
    chmodSync(copy, 0o600);
    this.binaries.own(copy);
    return copy;
  }

  /** A copy of all data as they are now; the server is paused meanwhile. */
  copy(): Copy {
    const folder = this.binaries.make(`copy-${this.copies++}`);
    if (this.isRunning) this.pause();
    try {
      execFileSync("cp", ["-a", `${this.data}/.`, folder]);
    } finally {
      if (this.isRunning) this.resume();
    }
    rmSync(join(folder, "postmaster.pid"), { force: true });
    return { folder };
  }

  /** Kills the server if it runs, and starts it with the data of the copy. */
  async restore({ folder }: Copy): Promise<void> {
    if (this.isRunning) await this.kill();
    rmSync(this.data, { recursive: true });
    execFileSync("cp", ["-a", folder, this.data]);
    chmodSync(this.data, 0o700);
    await this.start();
  }

  /** Ends it for good and removes its folder. */
  async remove(): Promise<void> {
    if (this.isRunning) await this.kill();
    rmSync(this.binaries.folder, { recursive: true, force: true });
  }

  private async end(how: (child: ChildProcess) => void): Promise<void> {
    if (this.running === null) return;
    const { child } = this.running;
    const exit = once(child, "exit");
    how(child);
    await exit;
  }

  /** To the server before its children: it must not see them die first and start new ones. */
  private signal(signal: NodeJS.Signals): void {
    if (this.running === null) throw new Error("the server does not run");
    const { pid } = this.running.child;
    if (signal !== "SIGCONT") process.kill(pid!, "SIGSTOP");
    const [, ...children] = this.pids;
    for (const child of children) tell(child, signal);
    process.kill(pid!, signal);
  }
}

/** A new data folder. Making one takes a second of a processor, so that the files of one run copy the first that was made. */
async function newData(binaries: Binaries): Promise<string> {
  const model = process.env[RUN] === undefined ? null : join(tmpdir(), "sortition-postgres-model");
  const data = join(binaries.folder, "data");
  if (model !== null && existsSync(model)) {
    execFileSync("cp", ["-a", model, data]);
    return data;
  }
  binaries.make("data");
  const secret = join(binaries.folder, "password");
  writeFileSync(secret, PASSWORD);
  binaries.own(secret);
  const options = ["--no-sync", "--locale=C", "--encoding=UTF8", "--wal-segsize=1", "--auth=scram-sha-256"];
  const init = binaries.spawn("initdb", ["-D", data, "-U", USER, `--pwfile=${secret}`, ...options]);
  let said = "";
  for (const stream of [init.stdout, init.stderr]) stream!.on("data", (text) => (said += text));
  const [status] = await once(init, "close");
  if (status !== 0) throw new Error(`initdb failed: ${said.trim()}`);
  if (model !== null) keepAsModel(data, model);
  return data;
}

/** Complete when it is there under its name; where another process was faster, its one stays. */
function keepAsModel(data: string, model: string): void {
  const copy = `${model}-${process.pid}`;
  execFileSync("cp", ["-a", data, copy]);
  try {
    renameSync(copy, model);
  } catch {
    rmSync(copy, { recursive: true });
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function childrenOf(pid: number): number[] {
  return listOf(pid).trim().split(/\s+/).filter(Boolean).map(Number);
}

function listOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  } catch {
    return execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
  }
}

/**
 * One below those that systems give to clients: while the server is down, a client that tries to reach it could be given its very
 * port, and would connect to itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + randomInt(10_000);
    const probe = createServer();
    try {
      probe.listen(port, "127.0.0.1");
      await once(probe, "listening");
    } catch {
      continue;
    }
    probe.close();
    await once(probe, "close");
    return port;
  }
}
