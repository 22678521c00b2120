/** A group of real `sortition agent` processes for the Live page, each with its own HTTP address and all with one bearer token. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../cli/run.ts";

export const TOKEN = "token-of-the-live-page-tests";

/** Milliseconds that a lease lasts: long enough that a leader on a busy machine renews in time. */
export const LEASE = 6000;

export interface Agent {
  readonly name: string;
  readonly url: string;
  readonly address: string;
  readonly process: ChildProcess;
}

export interface Agents {
  readonly all: readonly Agent[];
  agent(name: string): Agent;
  /** Who leads, by the word of one that lives. */
  leader(): Promise<Agent>;
  close(): Promise<void>;
}

/** Strict on SQLite, so that the page has tokens and leases to show. */
export async function startAgents(names: readonly string[]): Promise<Agents> {
  const folder = mkdtempSync(join(tmpdir(), "sortition-live-"));
  writeFileSync(join(folder, "token"), TOKEN, { mode: 0o600 });
  const children: ChildProcess[] = [];
  const start = (name: string, seed: string | null): Promise<Agent> => {
    const options = [
      ...["--name", name, "--group", "lab", "--profile", "local", "--zone", "here", "--log", "json"],
      ...["--http", "127.0.0.1:0", "--http-token-file", join(folder, "token")],
      ...["--lease", `sqlite:${join(folder, "leases.db")}`, "--lease-ttl", String(LEASE)],
      ...(seed === null ? [] : ["--seeds", seed]),
    ];
    const child = spawn(process.execPath, [join(root, "bin/sortition.js"), "agent", ...options], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    children.push(child);
    return new Promise((resolve, reject) => {
      const said: string[] = [];
      let address = "";
      child.once("exit", () => reject(new Error(`${name} has ended: ${said.join("\n")}`)));
      createInterface({ input: child.stderr! }).on("line", (line) => {
        said.push(line);
        if (!line.startsWith("{")) return;
        const { event, address: at, url } = JSON.parse(line) as Record<string, string | undefined>;
        if (event === "started" && at !== undefined) address = at;
        if (url !== undefined) resolve({ name, url, address, process: child });
      });
    });
  };
  const first = await start(names[0], null);
  const all = [first, ...(await Promise.all(names.slice(1).map((name) => start(name, first.address))))];
  const agent = (name: string) => all.find((one) => one.name === name)!;
  const lives = ({ process: { exitCode, signalCode } }: Agent) => exitCode === null && signalCode === null;
  return {
    all,
    agent,
    async leader() {
      for (let i = 0; i < 600; i++) {
        const { url } = all.findLast(lives)!;
        const { offices, members } = (await (await fetch(`${url}/v1/status`)).json()) as {
          offices: { leader: { name: string; state: string } | null }[];
          members: { members: unknown[] };
        };
        const { leader } = offices[0];
        if (leader?.state === "live" && members.members.length === all.filter(lives).length) return agent(leader.name);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error("nobody leads");
    },
    async close() {
      const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
      await Promise.all(
        running.map((child) => {
          child.kill("SIGKILL");
          return once(child, "exit");
        }),
      );
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
