/**
 * Members in processes of their own, started and stopped from here: what demonstrations, tests and benchmarks elect with.
 * Whatever ends this process ends the others: each of them leaves when its channel to us closes.
 */
import { type ChildProcess, fork } from "node:child_process";
import { programFile } from "../../package-files.ts";
import type { Id, Verdict } from "../../protocol.ts";
import type { Params } from "../../protocols/parameters.ts";
import type { ProtocolSource } from "../../protocols/registry.ts";
import type { Impairment } from "../net/impaired.ts";
import type { Member } from "./members.ts";
import type { ElectOptions, MemberOutcome } from "./part.ts";

export interface GroupResult {
  /** Of those that lived to tell. */
  readonly outcomes: readonly MemberOutcome[];
  /** Everybody that has ever said that it leads, the dead included. */
  readonly leaders: readonly Id[];
  /** Two leaders of one term, in words; null where there never were. */
  readonly unsafe: string | null;
}

interface GroupWatch {
  /** The first member has started. */
  begun?(): void;
}

export class ProcessGroup {
  private readonly children: readonly ChildProcess[];
  private readonly homes = new Map<Id, ChildProcess>();
  private listed: readonly Member[] = [];

  /** Starts the processes; they have no members yet. */
  constructor(processes: number, program = programFile("process-member")) {
    this.children = Array.from({ length: processes }, () =>
      fork(program, [], { stdio: ["ignore", "ignore", "inherit", "ipc"] }),
    );
    for (const child of this.children) {
      child.setMaxListeners(0);
      // A message to a process that has just been killed is lost, as any other would be.
      child.on("error", () => {});
    }
    process.on("exit", this.killAll);
  }

  get members(): readonly Member[] {
    return this.listed;
  }

  /** Opens sockets for the ids, spread over the processes, and lets them all become members. */
  async join(
    ids: readonly Id[],
    { impairment = null, host = "127.0.0.1", key = null }: Partial<GroupJoin> = {},
  ): Promise<readonly Member[]> {
    const alive = this.children.filter((child) => child.connected);
    const shares = alive.map((child, i) => ({ child, ids: ids.filter((_, at) => at % alive.length === i) }));
    const opened = await Promise.all(
      shares.map(({ child, ids }) => this.ask(child, { order: "open", ids, host }, "opened")),
    );
    this.homes.clear();
    for (const { child, ids } of shares) for (const id of ids) this.homes.set(id, child);
    this.listed = opened.flatMap(({ members }) => members).sort((a, b) => a.id - b.id);
    const order: ProcessOrder = { order: "join", members: this.listed, key, impairment };
    await Promise.all(alive.map((child) => this.ask(child, order, "joined")));
    return this.listed;
  }

  async leave(): Promise<void> {
    const alive = this.children.filter((child) => child.connected);
    await Promise.all(alive.map((child) => this.ask(child, { order: "leave" }, "left")));
  }

  /** Resolves when every member of the election has told its outcome, or its process has died. */
  elect(election: GroupElection, watch: GroupWatch = {}): Promise<GroupResult> {
    const outcomes = new Map<Id, MemberOutcome>();
    const leaders = new Map<number, Set<Id>>();
    let begun = false;
    return new Promise((resolve, reject) => {
      const missing = new Set(election.members.map(({ id }) => id));
      const homes = [...new Set(election.members.map(({ id }) => this.homes.get(id)!))];
      const finish = () => {
        if (missing.size > 0) return;
        for (const child of homes) child.off("message", hear).off("exit", mourn);
        const rivals = [...leaders].find(([, ids]) => ids.size > 1);
        resolve({
          outcomes: [...outcomes.values()].sort((a, b) => a.self - b.self),
          leaders: [...leaders.values()].flatMap((ids) => [...ids]),
          unsafe: rivals === undefined ? null : `${[...rivals[1]].join(" and ")} both led term ${rivals[0]}`,
        });
      };
      const hear = (news: ProcessNews) => {
        if (news.news === "failed") reject(new Error(news.message));
        if (!("name" in news) || news.name !== election.name) return;
        if (news.news === "begun" && !begun) {
          begun = true;
          watch.begun?.();
        }
        if (news.news === "verdict" && news.verdict.status === "elected") {
          const { term } = news.verdict;
          leaders.set(term, (leaders.get(term) ?? new Set()).add(news.self));
        }
        if (news.news !== "outcome") return;
        outcomes.set(news.self, news.outcome);
        missing.delete(news.self);
        finish();
      };
      const mourn = () => {
        for (const id of missing) if (!this.isAlive(id)) missing.delete(id);
        finish();
      };
      for (const child of homes) {
        child.on("message", hear).on("exit", mourn);
        if (child.connected) child.send({ order: "elect", election } satisfies ProcessOrder);
      }
      mourn();
    });
  }

  isAlive(id: Id): boolean {
    const child = this.homes.get(id);
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** A signal to the process of a member; SIGSTOP pauses it, SIGCONT lets it go on. */
  signal(id: Id, signal: NodeJS.Signals): void {
    this.homes.get(id)?.kill(signal);
  }

  /** Resolves when no process is left. */
  async stop(): Promise<void> {
    const gone = this.children
      .filter((child) => child.exitCode === null && child.signalCode === null)
      .map((child) => new Promise((resolve) => child.once("exit", resolve)));
    this.killAll();
    await Promise.all(gone);
    process.off("exit", this.killAll);
  }

  private readonly killAll = (): void => {
    for (const child of this.children) child.kill("SIGKILL");
  };

  private ask<K extends ProcessNews["news"]>(
    child: ChildProcess,
    order: ProcessOrder,
    wanted: K,
  ): Promise<ProcessNews & { news: K }> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        child.off("message", hear).off("exit", gone);
        act();
      };
      const hear = (news: ProcessNews) => {
        if (news.news === wanted) end(() => resolve(news as ProcessNews & { news: K }));
        else if (news.news === "failed") end(() => reject(new Error(news.message)));
      };
      const gone = () => end(() => reject(new Error("a process of the group has died")));
      child.on("message", hear).on("exit", gone);
      child.send(order);
    });
  }
}

interface GroupJoin {
  readonly impairment: Omit<Impairment, "member"> | null;
  readonly host: string;
  readonly key: string | null;
}

// What a process group and its processes tell each other, as JSON over their channel.

/** An election among members that have joined; each process runs those of them that are its own. */
export interface GroupElection
  extends Pick<ElectOptions, "name" | "tau" | "gather" | "timeout" | "linger" | "multicast" | "stallLimit"> {
  /** Its name, or the module that exports it. */
  readonly protocol: NonNullable<ProtocolSource>;
  /** Those that are not left to their defaults. */
  readonly params: Params;
  readonly members: readonly Member[];
}

export type ProcessOrder =
  /** Open sockets on free ports of loopback, one for each id. */
  | { readonly order: "open"; readonly ids: readonly Id[]; readonly host: string }
  /** Become members of this group, with the sockets opened before. */
  | {
      readonly order: "join";
      readonly members: readonly Member[];
      /** In base64url; null takes the one that everybody knows. */
      readonly key: string | null;
      readonly impairment: Omit<Impairment, "member"> | null;
    }
  | { readonly order: "elect"; readonly election: GroupElection }
  /** Close all sockets. */
  | { readonly order: "leave" };

/** Of one member's part in the election of that name. */
type Part =
  | { readonly news: "begun" }
  | { readonly news: "verdict"; readonly verdict: Verdict }
  | { readonly news: "outcome"; readonly outcome: MemberOutcome };

export type ProcessNews =
  | { readonly news: "opened"; readonly members: readonly Member[] }
  | { readonly news: "joined" }
  | ({ readonly self: Id; readonly name: string } & Part)
  | { readonly news: "left" }
  | { readonly news: "failed"; readonly message: string };
