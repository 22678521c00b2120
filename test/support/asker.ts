/**
 * A process that asks an agent who leads, again and again, for a while: `node asker.ts URL MS`. It prints an empty line when it has been
 * answered for the first time, and at the end what it was answered, and how long that took. A process of its own, so that it waits for
 * nobody but the agent.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, get } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export interface Asked {
  readonly answered: number;
  /** Tries that got no answer. The next try follows 10 ms later. */
  readonly failed: number;
  /** Milliseconds from the first try of a question to its answer; without an answer, to the end. */
  readonly longest: number;
  /** How many connections have brought answers. */
  readonly connections: number;
  /** What was answered, each once: the token, and whether the agent itself leads. */
  readonly said: readonly string[];
}

export interface Report {
  /** With a connection for each question. */
  readonly fresh: Asked;
  /** With a connection that is kept. */
  readonly kept: Asked;
  /** Milliseconds by which a timer of this process was late at most: the machine was busy. */
  readonly late: number;
}

/** Resolves when the agent has answered. */
export async function askFor(url: string, ms: number): Promise<{ readonly report: Promise<Report> }> {
  const args = [fileURLToPath(import.meta.url), url, String(ms)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (text) => {
    said += text;
  });
  const report = new Promise<Report>((resolve, reject) => {
    child.on("close", (status) =>
      status === 0 ? resolve(JSON.parse(said)) : reject(new Error(`asker: status ${status}`)),
    );
  });
  await Promise.race([once(child.stdout, "data"), report]);
  return { report };
}

const PAUSE = 10;
/** Milliseconds for an answer: a busy machine is no fault of the agent. */
const PATIENCE = 30_000;

interface Told {
  readonly text: string;
  readonly socket: Socket;
}

function ask(url: string, agent: Agent): Promise<Told | null> {
  return new Promise((resolve) => {
    const request = get(`${url}/v1/leader`, { agent, timeout: PATIENCE }, (response) => {
      const { socket } = response;
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece) => {
        text += piece;
      });
      response.on("error", () => resolve(null));
      response.on("end", () => resolve(response.statusCode === 200 ? { text, socket } : null));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(null));
  });
}

async function askAgain(url: string, until: number, agent: Agent): Promise<Asked> {
  const said = new Set<string>();
  const sockets = new Set<Socket>();
  let answered = 0;
  let failed = 0;
  let longest = 0;
  for (let began = performance.now(); began < until; ) {
    const told = await ask(url, agent);
    // What is asked at the end may be answered after it.
    const now = performance.now();
    longest = Math.max(longest, now - began);
    if (told === null) failed++;
    else {
      const { token, leader } = JSON.parse(told.text);
      said.add(`${token} ${leader?.mine}`);
      sockets.add(told.socket);
      answered++;
    }
    await pass(PAUSE);
    if (told !== null) began = performance.now();
    else if (now > until + PATIENCE) break;
  }
  return { answered, failed, longest, connections: sockets.size, said: [...said] };
}

async function run(url: string, ms: number): Promise<void> {
  const agents = [new Agent(), new Agent({ keepAlive: true })];
  for (const agent of agents) while ((await ask(url, agent)) === null) await pass(PAUSE);
  process.stdout.write("\n");
  let late = 0;
  let last = performance.now();
  const until = last + ms;
  const timer = setInterval(() => {
    const now = performance.now();
    late = Math.max(late, now - last - PAUSE);
    last = now;
  }, PAUSE);
  const [fresh, kept] = await Promise.all(agents.map((agent) => askAgain(url, until, agent)));
  clearInterval(timer);
  for (const agent of agents) agent.destroy();
  process.stdout.write(JSON.stringify({ fresh, kept, late } satisfies Report));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await run(process.argv[2], Number(process.argv[3]));
