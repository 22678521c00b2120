/** Five agents as processes, drawn faults, and programs beside them that ask and write; a checker is told everything. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { HostStream } from "../../src/random/streams.ts";
import { freePorts } from "../../test/support/ports.ts";
import { Checker, type Happened } from "./checker.ts";
import type { DrawnStore } from "./drawn-store.ts";

const BIN = fileURLToPath(new URL("../../bin/sortition.js", import.meta.url));
const NAMES = ["a", "b", "c", "d", "e"];
/** Milliseconds. */
const TTL = 2000;
/** A leader is asked more often than others: these promise nothing until they lead, and then for longer than this. */
const POLL = { leader: 150, other: 400 };
const PATIENCE = 2000;
const WRITE_EVERY = 400;
const HISTORY = 180_000;
/** Of time with faults, and then of time without. */
const STORM = 55_000;
const QUIET = 20_000;
const LONGEST_QUIET = 100_000;
/** One leader counts once all have known it for so long. */
const STAYS = 5000;

/** What a fault is drawn from: the number says how often. */
const FAULTS = {
  pause: 6,
  kill: 3,
  term: 2,
  forget: 1,
  transfer: 3,
  resign: 3,
  "hold store": 1,
  "kill store": 1,
} as const;
type Fault = keyof typeof FAULTS;
const DRAWN_FROM = Object.entries(FAULTS).flatMap(([fault, often]) => Array<Fault>(often).fill(fault as Fault));

interface Member {
  readonly name: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly socket: string;
  http: Agent;
  child: ChildProcess | null;
  life: number;
  /** A fault that has not ended yet has it. */
  isBusy: boolean;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the checker reads what it needs, as any program would.
  readonly body: any;
  readonly sent: number;
  readonly got: number;
}

export interface Given {
  readonly name: string;
  readonly folder: string;
  readonly keyFile: string;
  readonly tokenFile: string;
  readonly seed: number;
  readonly store: DrawnStore;
  /** What is wrong, and what has happened lately. */
  readonly onBreach: (group: string, what: string, history: readonly string[]) => void;
}

export class DrawnGroup {
  readonly name: string;
  readonly counts = {
    answers: 0,
    silent: 0,
    promises: 0,
    written: 0,
    refused: 0,
    unknown: 0,
    rows: 0,
    changes: 0,
    starved: 0,
  };
  readonly faults: Partial<Record<Fault | "refused start", number>> = {};
  readonly quiets: number[] = [];
  breaches = 0;
  private readonly given: Given;
  private readonly members: Member[];
  private readonly checker = new Checker();
  private readonly faultDraws: HostStream;
  private readonly writeDraws: HostStream;
  private readonly bearer: string;
  private history: { at: number; text: string }[] = [];
  private hasEnded = false;
  private inFlight = new Set<Promise<unknown>>();
  private leader = "";
  private lastToken = "";
  private lastWrite = 0;
  private writes = 0;
  private isStoreBusy = false;

  private constructor(given: Given, ports: readonly number[]) {
    this.given = given;
    this.name = given.name;
    this.faultDraws = new HostStream(given.seed, 0, "schedule");
    this.writeDraws = new HostStream(given.seed, 0, "delays");
    this.bearer = readFileSync(given.tokenFile, "utf8").trim();
    const addresses = ports.map((port) => `127.0.0.1:${port}`);
    this.members = NAMES.map((name, i) => {
      const socket = join(given.folder, `${name}.sock`);
      const state = join(given.folder, `${name}.state`);
      const text = `--name ${name} --group drawn --bind ${addresses[i]} --seeds ${addresses} --profile local --log json`;
      const files = ["--key-file", given.keyFile, "--http-token-file", given.tokenFile, "--state", state];
      const lease = ["--lease", given.store.lease, "--lease-ttl", String(TTL), "--http", `unix:${socket}`];
      const args = ["agent", ...text.split(" "), ...files, ...lease];
      return { name, args, folder: state, socket, http: connections(), child: null, life: 0, isBusy: false };
    });
  }

  static async create(given: Given): Promise<DrawnGroup> {
    return new DrawnGroup(given, await freePorts(NAMES.length));
  }

  get pids(): number[] {
    return [...this.members.flatMap(({ child }) => child?.pid ?? []), ...this.given.store.pids];
  }

  /** Storms of faults and quiet times in turn, until `end` says so. */
  async run(until: number): Promise<void> {
    for (const member of this.members) this.start(member);
    const polls = this.members.map((member) => this.poll(member));
    await pass(10_000);
    while (performance.now() < until && !this.hasEnded) {
      await this.storm(Math.min(until, performance.now() + STORM));
      if (!this.hasEnded) await this.quiet();
    }
    await this.end();
    await Promise.all([...polls, ...this.inFlight]);
  }

  /** Kills what is left. */
  async end(): Promise<void> {
    this.hasEnded = true;
    await Promise.all(this.members.map((member) => this.kill(member)));
  }

  private start(member: Member): void {
    if (this.hasEnded) return;
    member.life++;
    const { life } = member;
    const env = { ...process.env, ...this.given.store.env };
    const child = spawn(process.execPath, [BIN, ...member.args], { env, stdio: ["ignore", "ignore", "pipe"] });
    appendFileSync(join(this.given.folder, "..", "pids"), `${child.pid}\n`);
    member.child = child;
    createInterface({ input: child.stderr! }).on("line", (line) => this.note(`${member.name}.${life} ${line}`));
    child.on("exit", (status, signal) => {
      this.note(`${member.name}.${life} ended: ${status ?? signal}`);
      if (member.child !== child) return;
      member.child = null;
      member.http.destroy();
      member.http = connections();
      // Nobody asked it to end: it could not start, since the others still know the former one.
      if (!member.isBusy && !this.hasEnded) {
        this.count("refused start");
        this.later(pass(1000).then(() => member.child === null && !member.isBusy && this.start(member)));
      }
    });
  }

  private async kill(member: Member, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const { child } = member;
    if (child === null) return;
    const exit = once(child, "exit");
    child.kill(signal);
    await exit;
  }

  private async storm(until: number): Promise<void> {
    while (performance.now() < until && !this.hasEnded) {
      const fault = DRAWN_FROM[this.faultDraws.choose(DRAWN_FROM.length)];
      // The leader in half of all cases; where that one is busy with a fault, the next.
      const isLeader = this.faultDraws.coin(0.5);
      const drawn = this.faultDraws.choose(NAMES.length);
      const share = this.faultDraws.uniform();
      const gap = 1000 + 4000 * this.faultDraws.uniform();
      const from = isLeader && this.leader !== "" ? NAMES.indexOf(this.leader) : drawn;
      const order = NAMES.map((_, i) => this.members[(from + i) % NAMES.length]);
      const member = order.find(({ isBusy, child }) => !isBusy && child !== null);
      if (member !== undefined) this.later(this.strike(fault, member, share));
      await pass(gap);
    }
    // Faults that go on have their end.
    await Promise.all(this.inFlight);
  }

  private async strike(fault: Fault, member: Member, share: number): Promise<void> {
    const { store } = this.given;
    if (fault === "kill store" && store.kill === null) return;
    if (fault.endsWith("store") && this.isStoreBusy) return;
    this.count(fault);
    this.note(`fault: ${fault} ${member.name} ${share.toFixed(3)}`);
    if (fault === "transfer" || fault === "resign") return this.command(fault, member, share);
    if (fault === "hold store" || fault === "kill store") {
      this.isStoreBusy = true;
      const struck = fault === "hold store" ? store.hold(200 + 3800 * share) : store.kill!(3000 * share);
      return struck.finally(() => {
        this.isStoreBusy = false;
      });
    }
    member.isBusy = true;
    if (fault === "pause") {
      const { child } = member;
      child!.kill("SIGSTOP");
      await pass(200 + 7800 * share);
      child!.kill("SIGCONT");
    } else {
      await this.kill(member, fault === "term" ? "SIGTERM" : "SIGKILL");
      await pass(3000 * share);
      if (fault === "forget") rmSync(member.folder, { recursive: true, force: true });
      this.start(member);
    }
    member.isBusy = false;
    this.note(`the end of ${fault} ${member.name}`);
  }

  /** Of the leader; a member that is asked by mistake says that it does not lead. */
  private async command(which: "transfer" | "resign", { name }: Member, share: number): Promise<void> {
    const leader = this.members.find((one) => one.name === this.leader) ?? this.members[0];
    const others = this.members.filter((one) => one !== leader);
    const to = others[Math.floor(share * others.length)].name;
    const body = which === "transfer" ? { to } : {};
    const answer = await this.ask(leader, "POST", `/v1/${which}`, body);
    this.note(`${which} of ${leader.name}${which === "transfer" ? ` to ${to}` : ""}, drawn ${name}: ${answer?.status}`);
  }

  /**
   * All processes run and nobody disturbs them: then one leads, and all know it. Beside other work a machine may have no processor
   * for them: for a failure, only time counts in which no agent waits long for one.
   */
  private async quiet(): Promise<void> {
    const began = performance.now();
    let left = QUIET;
    let since: number | null = null;
    let last: Happened | null = null;
    const isSettled = () => since !== null && performance.now() > Math.max(since + STAYS, began + QUIET);
    while (left > 0 && !isSettled() && performance.now() < began + LONGEST_QUIET && !this.hasEnded) {
      const from = performance.now();
      const before = this.members.map(waited);
      const seen = await this.look();
      if (new Checker().take(seen).length > 0) since = null;
      else since ??= performance.now();
      await pass(500);
      const took = performance.now() - from;
      if (this.members.some((member, i) => waited(member) - before[i] > took / 5)) continue;
      left -= took;
      last = seen;
    }
    if (this.hasEnded) return;
    if (left > 0 && !isSettled()) this.counts.starved++;
    else if (since !== null) this.quiets.push(since - began);
    else this.happened(last!);
    await this.readRows();
  }

  private async look(): Promise<Happened> {
    const answers = await Promise.all(this.members.map((member) => this.ask(member, "GET", "/v1/leader")));
    const known = answers.map((answer) => answer?.body.leader?.name ?? null);
    const leading = this.members.filter((_, i) => answers[i]?.body.leader?.mine).map(({ name }) => name);
    return { kind: "quiet", at: performance.now(), known, leading };
  }

  /** While nothing disturbs the store. */
  private async readRows(): Promise<void> {
    const sent = performance.now();
    const rows = await this.given.store.rows();
    this.counts.rows += rows.length;
    this.happened({ kind: "rows", sent, rows });
  }

  private async poll(member: Member): Promise<void> {
    let isLeader = false;
    while (!this.hasEnded) {
      await pass(isLeader ? POLL.leader : POLL.other);
      isLeader = false;
      if (member.child === null) continue;
      const { life } = member;
      const answer = await this.ask(member, "GET", "/v1/leader");
      if (answer === null || life !== member.life) {
        this.counts.silent++;
        continue;
      }
      this.counts.answers++;
      isLeader = this.promised(member, answer);
      if (!isLeader) continue;
      if (answer.got > this.lastWrite + WRITE_EVERY) {
        this.lastWrite = answer.got;
        this.later(this.write(member));
      }
    }
  }

  private promised({ name, life }: Member, { status, body, sent, got }: Answer): boolean {
    if (status !== 200 || body.validForMs === 0) return false;
    this.counts.promises++;
    const { token, validForMs } = body;
    if (token !== this.lastToken) {
      this.counts.changes++;
      this.lastToken = token;
      this.leader = name;
    }
    this.happened({ kind: "promise", member: name, life, sent, got, token, validForMs });
    return true;
  }

  /** As the program beside an agent: with its fence, at once, or after a pause of its own that the promise does not survive. */
  private async write(member: Member): Promise<void> {
    const { life } = member;
    const id = `${member.name}.${life}.${++this.writes}`;
    const answer = await this.ask(member, "GET", "/v1/fence");
    if (answer === null || answer.status !== 200 || life !== member.life) return;
    this.promised(member, answer);
    const { fence, validForMs } = answer.body;
    if (this.writeDraws.coin(0.2)) await pass(300 + 5700 * this.writeDraws.uniform());
    const outcome = await this.given.store.write(fence, id);
    this.counts[outcome]++;
    const until = validForMs === 0 ? Number.NEGATIVE_INFINITY : answer.sent + validForMs;
    this.happened({ kind: "write", id, got: performance.now(), until, outcome });
  }

  private async ask(member: Member, method: "GET" | "POST", path: string, body?: object): Promise<Answer | null> {
    const sent = performance.now();
    const headers = {
      host: "localhost",
      authorization: `Bearer ${this.bearer}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    // An action takes a while and has a connection of its own.
    const [agent, timeout] = method === "GET" ? [member.http, PATIENCE] : [false as const, 8000];
    const signal = AbortSignal.timeout(timeout);
    try {
      const asked = request({ socketPath: member.socket, method, path, headers, agent, signal });
      asked.end(body === undefined ? undefined : JSON.stringify(body));
      const [response] = await once(asked, "response");
      let text = "";
      for await (const chunk of response) text += chunk;
      return { status: response.statusCode, body: JSON.parse(text), sent, got: performance.now() };
    } catch {
      return null;
    }
  }

  private happened(event: Happened): void {
    this.note(JSON.stringify(event));
    for (const what of this.checker.take(event)) this.breach(what);
  }

  private breach(what: string): void {
    this.breaches++;
    this.note(`BREACH ${what}`);
    const lines = this.history.map(({ at, text }) => `${at.toFixed(1)} ${text}`);
    this.given.onBreach(this.name, what, lines);
  }

  private note(text: string): void {
    const at = performance.now();
    this.history.push({ at, text });
    if (this.history.length % 1000 === 0) this.history = this.history.filter((line) => line.at > at - HISTORY);
  }

  private count(fault: Fault | "refused start"): void {
    this.faults[fault] = (this.faults[fault] ?? 0) + 1;
  }

  private later(work: Promise<unknown>): void {
    const kept = work
      .catch((error: Error) => this.breach(`this program has failed: ${error.stack}`))
      .finally(() => this.inFlight.delete(kept));
    this.inFlight.add(kept);
  }
}

const connections = (): Agent => new Agent({ keepAlive: true, maxSockets: 2 });

/** Milliseconds that the main thread of a member has waited for a processor; 0 where the system does not say. */
function waited({ child }: Member): number {
  try {
    return Number(readFileSync(`/proc/${child?.pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** Milliseconds of a processor that a process and its ended children have had; 0 where the system does not say. */
export function cpuOf(pid: number): number {
  const file = `/proc/${pid}/stat`;
  try {
    if (!existsSync(file)) return 0;
    const fields = readFileSync(file, "utf8")
      .replace(/^.*\) /, "")
      .split(" ")
      .map(Number);
    // In hundredths of a second: utime, stime, and the same of children that have ended.
    return 10 * (fields[11] + fields[12] + fields[13] + fields[14]);
  } catch {
    return 0;
  }
}
