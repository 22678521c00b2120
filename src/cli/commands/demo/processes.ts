/**
 * The processes of the demo: agents of the real command line, and a program beside each agent. They end however the demo ends. A
 * running process notices it itself (`LEASH`); the warden process kills those that are stopped.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { InputError } from "../../../errors.ts";
import type { MemberEventName } from "../../../events/events.ts";
import { codeFile, programFile, programUrl } from "../../../package-files.ts";
import type { Io } from "../../io.ts";
import type { ClerkNews, ClerkOrder } from "./clerk.ts";
import type { WardenOrder } from "./warden.ts";

const BIN = codeFile("../bin/sortition.js");
/** Ends a process when the channel to its parent closes. */
const LEASH = ["--import", programUrl("leash").href];

/** Milliseconds for a process to start, on a busy machine. */
const START = 20_000;
/** The last lines of a process that are kept, for an error message. */
const KEPT = 20;

export interface DemoFiles {
  readonly folder: string;
  readonly keyFile: string;
  readonly tokenFile: string;
  readonly leases: string;
  readonly ledger: string;
}

interface DemoSetup extends DemoFiles {
  readonly group: string;
  readonly ttl: number;
}

/** An agent that was started; it may have ended since. */
export interface DemoAgent {
  readonly name: string;
  readonly pid: number;
  /** Where other members reach it, and where it serves HTTP. */
  readonly address: string;
  readonly url: string;
  state: "running" | "paused" | "dead";
  /** The latest warning that the agent has logged. */
  trouble: string | null;
}

interface ProcessesListener {
  /** An agent has ended without being told to. */
  lost(agent: DemoAgent, why: string): void;
  /** An agent was started, paused, resumed, or has ended. Connections to it may have to be opened anew. */
  changed(agent: DemoAgent): void;
  clerk(name: string, news: ClerkNews): void;
}

export class DemoProcesses {
  private readonly io: Io;
  private readonly setup: DemoSetup;
  private readonly listener: ProcessesListener;
  private readonly warden: ChildProcess;
  private readonly children = new Set<ChildProcess>();
  private readonly agents = new Map<string, { readonly agent: DemoAgent; readonly child: ChildProcess }>();
  private readonly clerks = new Map<string, ChildProcess>();
  private isOver = false;

  constructor(io: Io, setup: DemoSetup, listener: ProcessesListener) {
    this.io = io;
    this.setup = setup;
    this.listener = listener;
    // In a session of its own, so that Ctrl-C in the terminal reaches only the demo.
    this.warden = fork(programFile("warden"), [], { stdio: ["ignore", "ignore", "ignore", "ipc"], detached: true });
    this.warden.on("error", () => {});
    this.tellWarden({ folder: setup.folder });
    this.io.on("exit", this.killAll);
  }

  get all(): readonly DemoAgent[] {
    const byNumber = new Intl.Collator("en", { numeric: true });
    return [...this.agents.values()].map(({ agent }) => agent).sort((a, b) => byNumber.compare(a.name, b.name));
  }

  get running(): readonly DemoAgent[] {
    return this.all.filter(({ state }) => state === "running");
  }

  named(name: string): DemoAgent | null {
    return this.agents.get(name)?.agent ?? null;
  }

  /** Resolves when the agent serves HTTP. */
  async start(name: string, seeds: readonly string[]): Promise<DemoAgent> {
    if (this.isOver) throw new InputError("the demo has ended");
    const { folder, keyFile, tokenFile, leases, group, ttl } = this.setup;
    const args = [
      ...["agent", "--name", name, "--group", group, "--profile", "local", "--bind", "127.0.0.1:0"],
      ...(seeds.length === 0 ? [] : ["--seeds", seeds.join(",")]),
      ...[
        "--key-file",
        keyFile,
        "--state",
        `${folder}/state`,
        "--lease",
        `sqlite:${leases}`,
        "--lease-ttl",
        String(ttl),
      ],
      ...["--http", "127.0.0.1:0", "--http-token-file", tokenFile, "--log", "json"],
    ];
    const child = this.keep(
      spawn(process.execPath, [...LEASH, BIN, ...args], {
        stdio: ["ignore", "ignore", "pipe", "ipc"],
        detached: true,
        env: plainEnvironment(this.io),
      }),
    );
    let agent: DemoAgent | null = null;
    const { address, url, lines } = await served(name, child, (trouble) => {
      if (agent !== null) agent.trouble = trouble;
    });
    agent = { name, pid: child.pid!, address, url, state: "running", trouble: null };
    this.follow(agent, child, lines);
    return agent;
  }

  private follow(agent: DemoAgent, child: ChildProcess, lines: readonly string[]): void {
    this.agents.set(agent.name, { agent, child });
    child.once("exit", () => {
      const wasTold = this.isOver || agent.state === "dead";
      agent.state = "dead";
      this.stopClerk(agent.name);
      this.listener.changed(agent);
      if (!wasTold) this.listener.lost(agent, lines.at(-1) ?? "it said nothing");
    });
    this.listener.changed(agent);
  }

  /** Resolves when the agent has ended. */
  async kill(name: string): Promise<void> {
    const { agent, child } = this.agents.get(name)!;
    if (agent.state === "dead") return;
    agent.state = "dead";
    const ended = new Promise((resolve) => child.once("exit", resolve));
    this.stopClerk(name);
    child.kill("SIGKILL");
    await ended;
  }

  /**
   * Pauses an agent while it does not write to the file of leases. An agent that is paused within a transaction keeps the file locked,
   * so no agent could lead. Then it is resumed, and paused again.
   */
  async pause(name: string): Promise<void> {
    for (;;) {
      this.signal(name, "SIGSTOP", "paused");
      if (this.named(name)!.state !== "paused" || canWrite(this.setup.leases)) return;
      this.resume(name);
      await sleep(5);
    }
  }

  resume(name: string): void {
    this.signal(name, "SIGCONT", "running");
  }

  /** Starts the program beside an agent, unless it runs already. */
  startClerk(name: string): void {
    const agent = this.named(name);
    if (this.isOver || agent?.state !== "running" || this.clerks.has(name)) return;
    const { tokenFile, ledger, keyFile, group } = this.setup;
    const child = this.keep(
      fork(programFile("clerk"), [agent.url, tokenFile, ledger, keyFile, group], {
        stdio: ["ignore", "ignore", "ignore", "ipc"],
        detached: true,
        execArgv: LEASH,
        env: plainEnvironment(this.io),
      }),
    );
    this.clerks.set(name, child);
    child.on("message", (news: ClerkNews) => this.listener.clerk(name, news));
    child.once("exit", () => {
      if (this.clerks.get(name) === child) this.clerks.delete(name);
    });
  }

  stopClerk(name: string): void {
    this.clerks.get(name)?.kill("SIGKILL");
    this.clerks.delete(name);
  }

  /** The program stops itself in the middle of its next write, until `resumeClerk`. */
  stopClerkBeforeWrite(name: string): void {
    this.clerks.get(name)?.send({ order: "stop before the next write" } satisfies ClerkOrder);
  }

  resumeClerk(name: string): void {
    this.clerks.get(name)?.kill("SIGCONT");
  }

  /** Resolves when no process is left. */
  async end(): Promise<void> {
    this.isOver = true;
    const gone = [...this.children].map((child) => new Promise((resolve) => child.once("exit", resolve)));
    for (const child of this.children) child.kill("SIGKILL");
    await Promise.all(gone);
    const last = new Promise((resolve) => this.warden.once("exit", resolve));
    // When no process is left, the warden removes the folder and ends.
    if (this.warden.connected) this.warden.disconnect();
    if (this.warden.exitCode === null && this.warden.signalCode === null) await last;
    this.io.off("exit", this.killAll);
  }

  private signal(name: string, signal: NodeJS.Signals, state: "running" | "paused"): void {
    const { agent, child } = this.agents.get(name)!;
    if (agent.state === "dead") return;
    child.kill(signal);
    agent.state = state;
    this.listener.changed(agent);
  }

  /** Remembers a process until it ends, here and in the warden. */
  private keep(child: ChildProcess): ChildProcess {
    this.children.add(child);
    const { pid } = child;
    if (pid !== undefined) this.tellWarden({ add: pid });
    child.on("error", () => this.children.delete(child));
    child.once("exit", () => {
      this.children.delete(child);
      if (pid !== undefined) this.tellWarden({ remove: pid });
    });
    return child;
  }

  private tellWarden(order: WardenOrder): void {
    if (this.warden.connected) this.warden.send(order, () => {});
  }

  private readonly killAll = (): void => {
    for (const child of this.children) child.kill("SIGKILL");
  };
}

/** The environment without the settings for the user's own agents. */
function plainEnvironment(io: Io): NodeJS.ProcessEnv {
  const kept = Object.entries(io.env).filter(([name]) => !/^SORTITION_(?!TEST_)/.test(name));
  return { ...Object.fromEntries(kept), NODE_OPTIONS: io.env.NODE_OPTIONS ?? "" };
}

interface Served {
  readonly address: string;
  readonly url: string;
  /** The latest lines that the agent has logged; grows as they come. */
  readonly lines: string[];
}

/** Reads the log of an agent until a line says where it serves. */
function served(name: string, child: ChildProcess, warned: (words: string) => void): Promise<Served> {
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    let address: string | null = null;
    const fail = (why: string) => {
      clearTimeout(limit);
      reject(new InputError(`the agent ${name} of the demo could not start: ${why}`));
    };
    const limit = setTimeout(() => fail(`it was not there after ${START / 1000} s`), START);
    child.once("error", ({ message }) => fail(message));
    // "close" comes after its last line has been read, "exit" may come before.
    child.once("close", () => fail(lines.at(-1) ?? "it ended without a word"));
    createInterface({ input: child.stderr! }).on("line", (line) => {
      const { msg = line, event, level, address: reached, url } = parsed(line);
      // On a busy machine processes pause now and then, without harm.
      if (/^(warn|error)$/.test(String(level)) && event !== "stalled") warned(String(msg));
      lines.push(String(msg));
      if (lines.length > KEPT) lines.shift();
      if (event === "started") address = String(reached);
      if (typeof url !== "string" || address === null) return;
      clearTimeout(limit);
      resolve({ address, url, lines });
    });
  });
}

/** A line of the log of an agent. */
interface LogLine {
  readonly msg?: unknown;
  readonly level?: unknown;
  readonly event?: MemberEventName;
  readonly address?: unknown;
  readonly url?: unknown;
}

function parsed(line: string): LogLine {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

/** Milliseconds that a transaction of a running process may take, on a busy machine. */
const TRANSACTION = 300;

function canWrite(file: string): boolean {
  const database = new DatabaseSync(file, { timeout: TRANSACTION });
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}
