/** Candidates in other processes, which say in lines of JSON what happens and are told in lines what to do. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { cpuOf } from "./stores.ts";

export interface News {
  readonly event: "joined" | "leads" | "beliefs";
  readonly name?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly addresses?: readonly string[];
  /** Whom members follow, and how many members they see: how many of them say so. */
  readonly beliefs?: Readonly<Record<string, number>>;
}

export class Candidates {
  private readonly children: readonly ChildProcess[];
  private readonly news: { readonly child: number; readonly said: News }[] = [];
  private waiting: (() => void)[] = [];
  private errors = "";

  constructor(commands: readonly (readonly string[])[]) {
    this.children = commands.map(([program, ...args], index) => {
      const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
      createInterface({ input: child.stdout! }).on("line", (line) => {
        this.news.push({ child: index, said: JSON.parse(line) });
        for (const look of this.waiting) look();
      });
      child.stderr!.setEncoding("utf8").on("data", (text) => {
        this.errors = (this.errors + text).slice(-2000);
      });
      return child;
    });
  }

  /** The first news after so many of which that is true. */
  hear(isIt: (said: News, child: number) => boolean, from: number, limit: number, what: string): Promise<News> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        clearTimeout(timer);
        this.waiting = this.waiting.filter((each) => each !== look);
        act();
      };
      const timer = setTimeout(
        () => end(() => reject(new Error(`${what} did not happen within ${limit / 1000} s; ${this.errors}`))),
        limit,
      );
      const look = () => {
        const found = this.news.slice(from).find(({ said, child }) => isIt(said, child));
        if (found !== undefined) end(() => resolve(found.said));
      };
      this.waiting.push(look);
      look();
    });
  }

  get count(): number {
    return this.news.length;
  }

  get size(): number {
    return this.children.length;
  }

  tell(child: number, order: string): void {
    this.children[child].stdin!.write(`${order}\n`);
  }

  /** Orders each of them, and gives what each says in answer. */
  ask(orders: readonly string[], event: News["event"], limit: number): Promise<News[]> {
    const from = this.count;
    const answers = orders.map((_, index) =>
      this.hear((said, child) => child === index && said.event === event, from, limit, `"${event}"`),
    );
    for (const [index, order] of orders.entries()) this.tell(index, order);
    return Promise.all(answers);
  }

  /** The candidate ends without a word to anybody, and the time until another one leads is measured. */
  async failOver(limit: number): Promise<number> {
    const leader = this.news.findLast(({ said }) => said.event === "leads")!;
    const from = this.count;
    const crashed = Date.now();
    this.tell(leader.child, `crash ${leader.said.name}`);
    const next = await this.hear(
      ({ event, name }) => event === "leads" && name !== leader.said.name,
      from,
      limit,
      "a fail-over",
    );
    return next.at - crashed;
  }

  /** Milliseconds of processor time. */
  cpu(): number {
    return this.children.reduce((sum, { pid }) => sum + cpuOf(pid!), 0);
  }

  async close(): Promise<void> {
    await Promise.all(
      this.children.map(async (child) => {
        if ((child.exitCode ?? child.signalCode) !== null) return;
        const exit = once(child, "exit");
        child.kill("SIGKILL");
        await exit;
      }),
    );
  }
}
