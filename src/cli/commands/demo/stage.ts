/** All that a demo consists of, put together: its folder, its processes, what they say, and what is served. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentClient } from "../../../api/client.ts";
import { InputError } from "../../../errors.ts";
import { newKeyText } from "../../../live/net/keyring.ts";
import type { Io } from "../../io.ts";
import type { ClerkNews } from "./clerk.ts";
import { type Led, Observatory } from "./observatory.ts";
import { type DemoAgent, type DemoFiles, DemoProcesses } from "./processes.ts";
import { type DemoAct, type DemoServer, serveDemo } from "./server.ts";

const GROUP = "demo";
/** Milliseconds that a lease lasts: so long, at most, nobody leads after a crash. */
export const TTL = 2000;

const KEPT = 10_000;

interface StageListener {
  /** Somebody leads who did not before. */
  led(led: Led): void;
  /** On the page somebody has asked for it. */
  asked(act: DemoAct, name: string): void;
  lost(agent: DemoAgent, why: string): void;
}

export class DemoStage {
  readonly token = randomBytes(24).toString("base64url");
  readonly processes: DemoProcesses;
  readonly observatory: Observatory;
  /** What the programs beside the agents have told, in order; the latest only, for a demo may go on for days. */
  readonly told: { readonly name: string; readonly news: ClerkNews }[] = [];
  private readonly listener: StageListener;
  private server: DemoServer | null = null;
  private writes = false;

  constructor(io: Io, listener: StageListener) {
    this.listener = listener;
    const files = filesFor(this.token);
    this.observatory = new Observatory(this.token, (led) => this.led(led));
    this.processes = new DemoProcesses(
      io,
      { ...files, group: GROUP, ttl: TTL },
      {
        lost: (agent, why) => listener.lost(agent, why),
        changed: (agent) => this.changed(agent),
        clerk: (name, news) => {
          this.told.push({ name, news });
          if (this.told.length > KEPT) this.told.shift();
          this.observatory.look();
        },
      },
    );
  }

  async serve(port: number): Promise<string> {
    this.server = await serveDemo({
      port,
      token: this.token,
      agents: () => this.processes.all,
      leader: () => this.leader,
      act: async (act, name) => {
        this.listener.asked(act, name);
        await this.act(act, name);
      },
    });
    return this.server.url;
  }

  /** Who leads by the word of those who run. */
  get leader(): DemoAgent | null {
    const led = this.observatory.agreement();
    const agent = led === null ? null : this.processes.named(led.leader);
    return agent?.state === "running" ? agent : null;
  }

  client(agent: DemoAgent): AgentClient {
    return new AgentClient({ url: agent.url, token: this.token });
  }

  async start(name: string): Promise<DemoAgent> {
    const seeds = this.processes.running.slice(0, 3).map(({ address }) => address);
    const agent = await this.processes.start(name, seeds);
    this.observatory.watch(agent);
    return agent;
  }

  async end(): Promise<void> {
    this.observatory.close();
    await this.server?.close();
    await this.processes.end();
  }

  private async act(act: DemoAct, name: string): Promise<void> {
    if (act === "kill") await this.processes.kill(name);
    else if (act === "pause") await this.processes.pause(name);
    else if (act === "resume") this.processes.resume(name);
    else await this.start(name);
  }

  private changed(agent: DemoAgent): void {
    if (agent.state === "dead") this.observatory.forget(agent.name);
    if (agent.state !== "running") this.server?.cut(agent.name);
    this.observatory.look();
  }

  /** From now on a program beside the leader writes to the guarded counter. */
  beginToWrite({ leader }: Led): void {
    this.writes = true;
    this.processes.startClerk(leader);
  }

  /** The program beside it writes; one that led before finds out by itself that it must not. */
  private led(led: Led): void {
    if (this.writes) this.processes.startClerk(led.leader);
    this.listener.led(led);
  }
}

function filesFor(token: string): DemoFiles {
  try {
    const folder = mkdtempSync(join(tmpdir(), "sortition-demo-"));
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    return {
      folder,
      keyFile: file("group.key", `${newKeyText()}\n`),
      tokenFile: file("http.token", `${token}\n`),
      leases: join(folder, "leases.db"),
      ledger: join(folder, "ledger.db"),
    };
  } catch (error) {
    throw new InputError(
      `the demo cannot write to ${tmpdir()} (${(error as NodeJS.ErrnoException).code}): make room there, or name another folder with TMPDIR`,
    );
  }
}
