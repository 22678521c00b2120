/** Real processes on loopback: leaders are killed and asked to leave, again and again, and it is measured until all others know the next one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { sortition } from "../../test/cli/run.ts";
import { GroupProcess, type Line } from "../../test/support/group-process.ts";

export interface FailOvers {
  /** Milliseconds from the signal until the last survivor has said who leads now, one for each. */
  readonly kills: number[];
  readonly handOvers: number[];
  /** Members said to have failed, or leaders replaced, that nobody had touched. */
  readonly falseAlarms: string[];
}

/** How long a group is left alone before the next signal, so that alarms without a reason have time to come. */
const CALM = 2000;
const LIMIT = 60_000;

export class Processes {
  readonly members = new Map<string, GroupProcess>();
  private readonly folder = mkdtempSync(join(tmpdir(), "sortition-bench-"));
  private readonly profile: string;

  constructor(profile: string) {
    this.profile = profile;
  }

  /** Starts n members; all that follow the first one join by it. */
  async start(n: number): Promise<void> {
    await sortition("keygen", "--out", join(this.folder, "key"));
    const names = Array.from({ length: n }, (_, i) => `m${String(i + 1).padStart(2, "0")}`);
    await this.join(names[0]);
    await Promise.all(names.slice(1).map((name) => this.join(name)));
    await this.agree();
  }

  async join(name: string): Promise<void> {
    const seeds = await Promise.all(this.all.slice(0, 3).map(addressOf));
    const files = ["--key-file", join(this.folder, "key"), "--state", join(this.folder, "state")];
    const asked = seeds.length === 0 ? [] : ["--join", seeds.join(",")];
    const member = new GroupProcess(name, ["--bind", "127.0.0.1:0", "--profile", this.profile, ...asked, ...files]);
    this.members.set(name, member);
    await addressOf(member);
  }

  /** Waits until all see all and follow the same leader, which is not `but`; answers who, and when the last one knew. */
  async agree(but: string | null = null, counted = true): Promise<{ leader: string; at: number }> {
    const until = Date.now() + LIMIT;
    for (;;) {
      const words = this.all.map(({ lines }) => lines.findLast(isAboutLeader));
      const [first] = words;
      const isShared = words.every((word) => word?.leader === first?.leader && word?.term === first?.term);
      const areAllSeen = !counted || this.all.every(({ lines }) => viewOf(lines) === this.members.size);
      if (isShared && first?.leader != null && first.leader !== but && areAllSeen) {
        return { leader: first.leader, at: Math.max(...words.map((word) => word!.at)) };
      }
      if (Date.now() > until) throw new Error(`no agreement: ${JSON.stringify(words.map((word) => word?.leader))}`);
      await pass(5);
    }
  }

  get all(): GroupProcess[] {
    return [...this.members.values()];
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((member) => member.kill("SIGKILL")));
    rmSync(this.folder, { recursive: true });
  }
}

const addressOf = async (member: GroupProcess) => (await member.line(({ event }) => event === "started")).address!;
const isAboutLeader = ({ event }: Line) => event === "leader" || event === "none";
const viewOf = (lines: readonly Line[]) => lines.findLast(({ members }) => members !== undefined)?.members;

export async function failOvers(n: number, kills: number, handOvers: number): Promise<FailOvers> {
  const group = new Processes("lan");
  const found: FailOvers = { kills: [], handOvers: [], falseAlarms: [] };
  const touched = new Set<string>();
  const signs = ["SIGKILL", "SIGTERM"] as const;
  try {
    await group.start(n);
    for (const [i, count] of [kills, handOvers].entries()) {
      for (let turn = 0; turn < count; turn++) {
        await pass(CALM);
        const { leader } = await group.agree();
        const seen = new Map(group.all.map(({ name, lines }) => [name, lines.length]));
        const victim = group.members.get(leader)!;
        group.members.delete(leader);
        touched.add(leader);
        const began = Date.now();
        victim.child.kill(signs[i]);
        const next = await group.agree(leader, false);
        (i === 0 ? found.kills : found.handOvers).push(next.at - began);
        await victim.exit;
        await group.join(leader);
        await group.agree();
        found.falseAlarms.push(...alarms(group.all, seen, leader));
      }
    }
    return found;
  } finally {
    await group.stop();
  }
}

/** What was said since, of anybody but the one that really went. */
function alarms(all: readonly GroupProcess[], seen: ReadonlyMap<string, number>, gone: string): string[] {
  return all.flatMap(({ name, lines }) =>
    lines
      .slice(seen.get(name) ?? lines.length)
      .filter(({ event, member }) => event === "failed" && member !== gone)
      .map(({ member }) => `${name} took ${member} for dead`),
  );
}
