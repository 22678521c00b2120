/** A real NATS server with JetStream for tests, on a free port of 127.0.0.1, that can be killed and started again on its data. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "./debian.ts";
import { freePort } from "./ports.ts";

export const NATS = { name: "nats-server", path: "usr/sbin/nats-server", packages: ["nats-server"] };

/** Null where this machine has no server (servers.ts says why). */
export const natsProgram = (): string | null => findProgram(NATS);

export class NatsServer {
  readonly port: number;
  readonly folder: string;
  private readonly file: string;
  private child: ChildProcess | null = null;
  private watch: NodeJS.Timeout | null = null;
  /** How often it ended by itself, and was started again. */
  deaths = 0;

  private constructor(file: string, port: number, folder: string) {
    this.file = file;
    this.port = port;
    this.folder = folder;
  }

  /** `settings`: further lines of its configuration. */
  static async start(settings = ""): Promise<NatsServer> {
    const program = natsProgram();
    if (program === null) throw new Error("there is no nats-server on this machine");
    const folder = mkdtempSync(join(tmpdir(), "sortition-nats-"));
    const server = new NatsServer(program, await freePort(), folder);
    server.configure(settings);
    await server.again();
    return server;
  }

  /** What it reads when it starts the next time; `jetstream`: null where it has none, or further settings of it. */
  configure(settings = "", jetstream: string | null = ""): void {
    const data = JSON.stringify(join(this.folder, "data"));
    const store = jetstream === null ? "" : `jetstream { store_dir: ${data}\n${jetstream} }`;
    writeFileSync(join(this.folder, "nats.conf"), `listen: "127.0.0.1:${this.port}"\n${store}\n${settings}\n`);
  }

  get place(): string {
    return `127.0.0.1:${this.port}`;
  }

  async again(): Promise<void> {
    this.child = spawn(this.file, ["-c", join(this.folder, "nats.conf")], { stdio: "ignore" });
    for (let tries = 0; ; tries++) {
      const socket = connect(this.port, "127.0.0.1");
      const [event] = await Promise.race([
        once(socket, "connect").then(() => ["up"]),
        once(socket, "error").then(() => ["down"]),
      ]).catch(() => ["down"]);
      socket.destroy();
      if (event === "up") return;
      if (tries > 600 || this.child.exitCode !== null)
        throw new Error(`the NATS server does not start at ${this.place}: status ${this.child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (this.child === null || this.hasDied) return;
    const { child } = this;
    this.child = null;
    child.kill(signal);
    await once(child, "exit");
  }

  /** Whether it has ended by itself. */
  get hasDied(): boolean {
    return this.child !== null && (this.child.exitCode ?? this.child.signalCode) !== null;
  }

  /** It hears nothing for this many milliseconds, and keeps its connections. */
  async freeze(milliseconds: number): Promise<void> {
    this.child?.kill("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    this.child?.kill("SIGCONT");
  }

  /**
   * Starts it again whenever it ends by itself, as an operator's systemd does. Debian's 2.9.10 panics now and then: a request for a
   * message of a stream that another client is just creating finds a stream without a store (jsMsgGetRequest, nil pointer).
   */
  supervise(): void {
    this.watch ??= setInterval(() => {
      if (!this.hasDied) return;
      this.deaths++;
      void this.again().catch(() => {});
    }, 200);
  }

  /** As if its disk had been lost. */
  forget(): void {
    rmSync(join(this.folder, "data"), { recursive: true, force: true });
  }

  async close(): Promise<void> {
    if (this.watch !== null) clearInterval(this.watch);
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
