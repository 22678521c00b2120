/** A campaign over NATS in the course of which workers, server and submitter are killed and stopped at drawn moments. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostStream } from "../../src/random/streams.ts";
import { sortition } from "../cli/run.ts";
import { NatsServer } from "../support/nats-server.ts";
import { leftAt, Told, takeAway, untimed } from "./queue.ts";

/** Some seconds each on one machine, without a kernel; `ROWS` stands for a file. */
const ROWS = "ROWS";
const RING = ["chang-roberts", "--kernel", "off", "--delay", "exp:1"];
export const LINES = [
  ["simulate", ...RING, "--n", "1000", "--trials", "1200", "--seed", "7", "--json"],
  ["simulate", ...RING, "--n", "300", "--trials", "3000", "--seed", "8", "--json", "--force", "--out", ROWS],
  ["sweep", ...RING, "--vary", "n=200,400,600", "--trials", "600", "--seed", "9", "--json"],
  ["simulate", ...RING, "--n", "400", "--precision", "0.4%", "--seed", "10", "--json"],
  ["reproduce", "raz", "--claim", "naive-p", "--quick", "--json"],
];

export interface Chaos {
  readonly seed: number;
  /** How many times something is done to somebody, and how long (in milliseconds) a server is away at most. */
  readonly blows: number;
  readonly away: number;
  /** Whether streams are deleted too. */
  readonly deletes: boolean;
}

/** Milliseconds after the last blow within which everything has come to its end. */
const END_WITHIN = 150_000;

export const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

const known = new Map<string, Promise<{ report: unknown; rows: string | null }>>();

function onOneMachine(line: readonly string[], file: string) {
  const key = line.join(" ");
  const found =
    known.get(key) ??
    sortition(...line.map((word) => (word === ROWS ? file : word)), "--threads", "1").then(({ stdout }) => ({
      report: untimed(stdout),
      rows: line.includes(ROWS) ? readFileSync(file, "utf8") : null,
    }));
  known.set(key, found);
  return found;
}

/** What went wrong, in lines; nothing where the result is that of one machine and nothing is left. */
export async function chaos({ seed, blows, away, deletes }: Chaos): Promise<{ faults: string[]; history: string[] }> {
  const stream = new HostStream(seed, 0, "plan");
  const draw = (n: number) => stream.choose(n);
  const folder = mkdtempSync(join(tmpdir(), "sortition-chaos-"));
  const line = LINES[draw(LINES.length)];
  const alone = await onOneMachine(line, join(folder, "alone.csv"));
  const rows = join(folder, "rows.csv");
  const server = await NatsServer.start(draw(2) === 0 ? "" : "max_payload: 8192");
  const url = `nats://${server.place}`;
  const history: string[] = [];
  const faults: string[] = [];
  const began = performance.now();
  const note = (what: string) => history.push(`${((performance.now() - began) / 1000).toFixed(2)} s: ${what}`);
  const all: Told[] = [];
  const told = (args: readonly string[]) => {
    const one = new Told([...args, "--nats", url]);
    all.push(one);
    return one;
  };
  const hire = () => told(["worker", "--threads", String(1 + draw(2))]);
  const submit = (...more: string[]) => told([...line.map((word) => (word === ROWS ? rows : word)), ...more]);

  const workers = Array.from({ length: 2 + draw(3) }, hire);
  for (const one of workers) await one.says("waits for campaigns");
  note(`${line.join(" ")}, ${workers.length} workers`);
  let submitted = submit();
  await submitted.says("takes part");
  const stopped = new Set<Told>();
  const acts: (() => Promise<void>)[] = [
    async () => {
      const at = draw(workers.length);
      note(`kills worker ${at}`);
      await workers[at].kill();
      workers[at] = hire();
      await workers[at].says("waits for campaigns");
    },
    async () => {
      const one = workers[draw(workers.length)];
      const time = 500 + draw(9000);
      note(`stops worker ${workers.indexOf(one)} for ${time} ms`);
      one.child.kill("SIGSTOP");
      stopped.add(one);
      setTimeout(() => {
        one.child.kill("SIGCONT");
        stopped.delete(one);
      }, time);
    },
    async () => {
      const signal = draw(2) === 0 ? "SIGKILL" : "SIGTERM";
      const time = 100 + draw(away);
      const forgets = draw(4) === 0;
      note(`ends the server with ${signal} for ${time} ms${forgets ? ", and its disk" : ""}`);
      await server.kill(signal);
      if (forgets) server.forget();
      await sleep(time);
      await server.again();
    },
    async () => {
      const time = 100 + draw(away);
      note(`stops the server for ${time} ms`);
      await server.freeze(time);
    },
    async () => {
      note("kills whoever submitted");
      await submitted.kill();
      submitted = submit("--resume");
    },
    async () => {
      const at = draw(workers.length);
      note(`tells worker ${at} to end`);
      workers[at].child.kill("SIGTERM");
      workers[at] = hire();
      await workers[at].says("waits for campaigns");
    },
  ];
  if (deletes) {
    acts.push(async () => {
      note("deletes consumers and streams");
      await takeAway(url).catch(() => {});
    });
  }
  server.supervise();
  try {
    for (let blow = 0; blow < blows; blow++) {
      await sleep(100 + draw(1400));
      if (submitted.child.exitCode !== null) break;
      await acts[draw(acts.length)]();
    }
    note("leaves them alone");
    const status = await Promise.race([submitted.ended, sleep(END_WITHIN).then(() => "none: it stands still")]);
    if (status !== 0) faults.push(`exit status ${status}`);
    else {
      if (JSON.stringify(untimed(submitted.stdout)) !== JSON.stringify(alone.report)) faults.push("another result");
      if (alone.rows !== null && readFileSync(rows, "utf8") !== alone.rows) faults.push("other rows");
    }
    for (let wait = 0; wait < 100 && stopped.size > 0; wait++) await sleep(100);
    for (const one of workers) one.child.kill("SIGTERM");
    for (const [at, one] of workers.entries()) {
      const end = await Promise.race([one.ended, sleep(40_000).then(() => "none")]);
      if (end !== 0) faults.push(`worker ${at} ended with status ${end}`);
    }
    const left = await leftAt(url);
    if (left.length > 0) faults.push(`left at the server: ${left.join(", ")}`);
  } catch (error) {
    faults.push(String(error));
  } finally {
    if (server.deaths > 0) note(`the server has died by itself, ${server.deaths} times`);
    for (const { child, stderr } of all) {
      child.kill("SIGKILL");
      history.push(`--- ${child.spawnargs.slice(2, 4).join(" ")}, status ${child.exitCode}`, stderr);
    }
    await server.close();
    rmSync(folder, { recursive: true });
  }
  return { faults, history };
}
