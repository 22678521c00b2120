/** A real NATS server with JetStream for tests, on a free port of 127.0.0.1, that can be killed and started again on its data. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianProgram } from "./debian.ts";
import { freePort } from "./postgres-server.ts";

export const natsProgram = () => debianProgram("nats-server", "usr/sbin/nats-server");

export class NatsServer {
  readonly port: number;
  readonly folder: string;
  private readonly file: string;
  private child: ChildProcess | null = null;

  private constructor(file: string, port: number, folder: string) {
    this.file = file;
    this.port = port;
    this.folder = folder;
  }

  /** `settings`: further lines of its configuration. */
  static async start(settings = ""): Promise<NatsServer> {
    const found = natsProgram();
    if ("missing" in found) throw new Error(found.missing);
    const folder = mkdtempSync(join(tmpdir(), "sortition-nats-"));
    const server = new NatsServer(found.file, await freePort(), folder);
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
      if (tries > 600 || this.child.exitCode !== null) throw new Error("the NATS server does not start");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (this.child === null || this.child.exitCode !== null) return;
    const { child } = this;
    this.child = null;
    child.kill(signal);
    await once(child, "exit");
  }

  /** Whether it has ended by itself. */
  get hasDied(): boolean {
    return this.child !== null && (this.child.exitCode ?? this.child.signalCode) !== null;
  }

  /** It hears nothing for so many milliseconds, and keeps its connections. */
  async freeze(milliseconds: number): Promise<void> {
    this.child?.kill("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    this.child?.kill("SIGCONT");
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
