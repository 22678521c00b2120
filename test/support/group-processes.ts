/** A whole group of `sortition group` processes on this machine: started, signalled, and asked what all of them believe. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { sortition } from "../cli/run.ts";
import { GroupProcess, type Line } from "./group-process.ts";

/** Milliseconds: machines that run tests can be very busy. Less than the limit of a test, so that the failure says what was awaited. */
const LIMIT = 45_000;

export interface GroupProcessOptions {
  readonly profile: "local" | "lan" | "wan";
  /** Further options of each member. */
  readonly extra?: readonly string[];
  /** What a member is started through, such as `ip netns exec`, and where it listens. */
  readonly place?: (name: string) => { readonly through: readonly string[]; readonly bind: string };
}

/** Who leads, as all members say, and when the last of them said so. */
export interface Agreement {
  readonly leader: string;
  readonly term: number;
  readonly at: number;
}

export class GroupProcesses {
  readonly members = new Map<string, GroupProcess>();
  /** Those that have ended, for what they said. */
  readonly gone: GroupProcess[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), "sortition-group-"));
  private readonly options: GroupProcessOptions;
  private seeds: readonly string[] = [];

  constructor(options: GroupProcessOptions) {
    this.options = options;
  }

  /** Starts members that join by the first three of them, and waits until all agree. */
  async start(names: readonly string[]): Promise<Agreement> {
    await sortition("keygen", "--out", join(this.folder, "key"));
    await this.join(names[0]);
    this.seeds = [await addressOf(this.members.get(names[0])!)];
    await Promise.all(names.slice(1).map((name) => this.join(name)));
    this.seeds = await Promise.all(names.slice(0, 3).map((name) => addressOf(this.members.get(name)!)));
    return this.agree();
  }

  async join(name: string): Promise<GroupProcess> {
    const { profile, extra = [], place } = this.options;
    const { through, bind } = place?.(name) ?? { through: [], bind: "127.0.0.1:0" };
    const files = ["--key-file", join(this.folder, "key"), "--state", join(this.folder, "state")];
    const asked = this.seeds.length === 0 ? [] : ["--seeds", this.seeds.join(",")];
    const args = ["--bind", bind, "--profile", profile, ...asked, ...files, ...extra];
    const member = new GroupProcess(name, args, through);
    this.members.set(name, member);
    await addressOf(member);
    return member;
  }

  /** Sends a signal that ends a member. */
  async end(name: string, signal: "SIGKILL" | "SIGTERM" | "SIGINT"): Promise<number | null> {
    const member = this.members.get(name)!;
    this.members.delete(name);
    this.gone.push(member);
    return member.kill(signal);
  }

  /**
   * Waits until `some` (all, where nothing is said) follow the same leader, `but` not that one, and see as many members as `size`
   * says (all of them, null: no matter).
   */
  async agree({
    but = null,
    some = this.all,
    size = this.members.size,
  }: {
    readonly but?: string | null;
    readonly some?: readonly GroupProcess[];
    readonly size?: number | null;
  } = {}): Promise<Agreement> {
    const until = Date.now() + LIMIT;
    for (;;) {
      const words = some.map(lastWord);
      const [first] = words;
      const isShared = words.every((word) => word?.leader === first?.leader && word?.term === first?.term);
      const areSeen = size === null || some.every(({ lines }) => viewOf(lines) === size);
      if (isShared && areSeen && first?.leader != null && first.leader !== but) {
        return { leader: first.leader, term: first.term!, at: Math.max(...words.map((word) => word!.at)) };
      }
      if (Date.now() > until) throw new Error(`no agreement within ${LIMIT} ms:\n${some.map(inShort).join("\n")}`);
      await pass(5);
    }
  }

  get all(): GroupProcess[] {
    return [...this.members.values()];
  }

  /** Everything that was ever said, in the order of time. */
  get lines(): Line[] {
    return [...this.all, ...this.gone].flatMap(({ lines }) => lines).sort((a, b) => a.at - b.at);
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((member) => member.kill("SIGKILL")));
    rmSync(this.folder, { recursive: true });
  }
}

export const lastWord = ({ lines }: GroupProcess): Line | undefined =>
  lines.findLast(({ event }) => event === "leader" || event === "leaderless");

const addressOf = async (member: GroupProcess) => (await member.line(({ event }) => event === "started")).address!;
const viewOf = (lines: readonly Line[]) => lines.findLast(({ members }) => members !== undefined)?.members;
const inShort = (member: GroupProcess) => {
  const word = lastWord(member);
  return `${member.name}: ${word?.leader} in term ${word?.term}, sees ${viewOf(member.lines)}${member.errors}`;
};
