/** Real etcd, Redis and NATS servers for tests, on free ports of 127.0.0.1: killed, paused, started again on their data, put back to an old copy. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { DebianProgram } from "./debian.ts";
import { NATS } from "./nats-server.ts";
import { notTested } from "./not-tested.ts";
import { freePort, freePorts } from "./ports.ts";
import { environmentOf, type Program, programFile } from "./program.ts";

export const ETCD: DebianProgram = { name: "etcd", path: "usr/bin/etcd", packages: ["etcd-server"] };
export const REDIS: DebianProgram = {
  name: "redis-server",
  path: "usr/bin/redis-server",
  packages: ["redis-server", "redis-tools", "libjemalloc2", "liblzf1"],
};

export class PrivateServer {
  readonly port: number;
  /** Its data is in here, in "data". */
  readonly folder: string;
  private readonly program: Program;
  private readonly args: (data: string) => readonly string[];
  private child: ChildProcess | null = null;
  private said = "";

  constructor(program: Program, port: number, args: (data: string) => readonly string[]) {
    this.program = program;
    this.port = port;
    this.args = args;
    this.folder = mkdtempSync(join(tmpdir(), `sortition-${program.name}-`));
  }

  get place(): string {
    return `127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /** Until it takes connections. */
  async start(): Promise<this> {
    const data = join(this.folder, "data");
    mkdirSync(data, { recursive: true, mode: 0o700 });
    const child = spawn(programFile(this.program)!, this.args(data), {
      stdio: ["ignore", "pipe", "pipe"],
      env: environmentOf(this.program),
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text) => {
        this.said = (this.said + text).slice(-4000);
      });
    for (let tries = 0; !(await isUp(this.port)); tries++) {
      if (tries > 1200 || child.exitCode !== null)
        throw new Error(`${this.program.name} does not start at ${this.place}: ${this.said}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    return this;
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null || (child.exitCode ?? child.signalCode) !== null) return;
    child.kill(signal);
    await once(child, "exit");
  }

  pause(): void {
    this.child?.kill("SIGSTOP");
  }

  resume(): void {
    this.child?.kill("SIGCONT");
  }

  /** A copy of the data, of a server that is down; `restore` puts it back. */
  copy(): void {
    rmSync(join(this.folder, "copy"), { recursive: true, force: true });
    cpSync(join(this.folder, "data"), join(this.folder, "copy"), { recursive: true });
  }

  restore(): void {
    this.forget();
    if (existsSync(join(this.folder, "copy")))
      cpSync(join(this.folder, "copy"), join(this.folder, "data"), { recursive: true });
  }

  /** As if its disk had been lost. */
  forget(): void {
    rmSync(join(this.folder, "data"), { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function isUp(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** `more`: further flags, such as those of TLS; `scheme` goes with them. */
export async function etcdServer(
  more: readonly string[] = [],
  scheme = "http",
  program: Program = ETCD,
): Promise<PrivateServer> {
  const [client, peer] = await freePorts(2);
  const [at, peers] = [`${scheme}://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
  const server = new PrivateServer(program, client, (data) => [
    ...["--name", "one", "--data-dir", data, "--log-level", "error"],
    ...["--listen-client-urls", at, "--advertise-client-urls", at],
    ...["--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", `one=${peers}`],
    // Nobody loses power in a test.
    ...["--unsafe-no-fsync", ...more],
  ]);
  return server.start();
}

/** Several servers of one cluster. */
export async function etcdCluster(size: number, program: Program = ETCD): Promise<PrivateServer[]> {
  const ports = await freePorts(2 * size);
  const peer = (index: number) => `http://127.0.0.1:${ports[2 * index + 1]}`;
  const all = Array.from({ length: size }, (_, index) => `n${index}=${peer(index)}`).join(",");
  const servers = Array.from({ length: size }, (_, index) => {
    const at = `http://127.0.0.1:${ports[2 * index]}`;
    return new PrivateServer(program, ports[2 * index], (data) => [
      ...["--name", `n${index}`, "--data-dir", data, "--log-level", "error", "--unsafe-no-fsync"],
      ...["--listen-client-urls", at, "--advertise-client-urls", at, "--initial-cluster", all],
      ...["--listen-peer-urls", peer(index), "--initial-advertise-peer-urls", peer(index)],
      ...["--heartbeat-interval", "50", "--election-timeout", "500"],
    ]);
  });
  return Promise.all(servers.map((server) => server.start()));
}

/** With an append-only file, unless `more` says otherwise; over TLS if it `isTls`, with the files that `more` names. */
export async function redisServer(
  more: readonly string[] = ["--appendonly", "yes"],
  isTls = false,
): Promise<PrivateServer> {
  const port = await freePort();
  const ports = isTls ? ["--port", "0", "--tls-port", String(port)] : ["--port", String(port)];
  const server = new PrivateServer(REDIS, port, (data) => [
    ...[...ports, "--bind", "127.0.0.1", "--dir", data, "--save", "", "--loglevel", "warning", ...more],
  ]);
  return server.start();
}

/** With JetStream. `more`: further flags. */
export async function natsServer(more: readonly string[] = [], program: Program = NATS): Promise<PrivateServer> {
  const port = await freePort();
  const args = (data: string) => ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", data, ...more];
  return new PrivateServer(program, port, args).start();
}

/** Defines tests that share one server, to be awaited at the top level of their file; without a server the run's last lines say so. */
export const withServer = (
  what: string,
  program: Program,
  start: () => Promise<PrivateServer>,
  tests: (server: PrivateServer) => void | Promise<void>,
): Promise<void> =>
  withServers(
    what,
    program,
    async () => [await start()],
    ([server]) => tests(server),
  );

/** The same with several servers of one program. */
export async function withServers(
  what: string,
  program: Program,
  start: () => Promise<readonly PrivateServer[]>,
  tests: (servers: readonly PrivateServer[]) => void | Promise<void>,
): Promise<void> {
  if (programFile(program) === null) return notTested(what, `there is no ${program.name} (test/support/servers.ts)`);
  const servers = await start();
  afterAll(() => Promise.all(servers.map((server) => server.close())));
  await tests(servers);
}
