/** The HTTP API of real members on loopback, in this process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as pathOf } from "node:path";
import { onTestFinished } from "vitest";
import { type ApiOptions, type RunningApi, serveApi } from "../../src/live/agent/http/server.ts";
import { join } from "../../src/live/join/join.ts";
import type { GroupMember } from "../../src/live/join/member.ts";
import { realWorld } from "../../src/live/real-world.ts";

/**
 * Milliseconds: no lease ends by itself in the middle of a test, also on a busy machine. A leader that was asked how long it leads waits for half of
 * it before it leaves, so that a longer one makes tests longer.
 */
export const LEASE = 5000;
/** Milliseconds: below the limit of a test, so that a failure says what was waited for. */
const LIMIT = 45_000;

export const TOKEN = "a-token-that-only-tests-know";

export interface Served {
  readonly member: GroupMember;
  readonly api: RunningApi;
  /** What was logged. */
  readonly lines: string[];
}

type Given = Partial<Omit<ApiOptions, "member" | "settings">> & { readonly settings?: Partial<ApiOptions["settings"]> };

export async function served(member: GroupMember, { settings, ...rest }: Given = {}): Promise<Served> {
  const lines: string[] = [];
  const line = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const api = await serveApi({
    member,
    world: realWorld,
    metrics: async () => "# nothing is counted\n",
    isReady: () => ({ ready: true }),
    log: { debug: line, info: line, warn: line, error: line },
    settings: { http: "127.0.0.1:0", httpToken: TOKEN, ...settings },
    ...rest,
  });
  onTestFinished(() => api.close());
  return { member, api, lines };
}

interface GroupGiven {
  readonly strict?: boolean;
  readonly offices?: readonly string[];
  readonly leaseTtl?: number;
}

/** Members that are one group; with leases unless told otherwise. */
export async function membersOf(
  names: readonly string[],
  { strict = true, offices = ["leader"], leaseTtl = LEASE }: GroupGiven = {},
): Promise<GroupMember[]> {
  const folder = mkdtempSync(pathOf(tmpdir(), "sortition-http-"));
  const members: GroupMember[] = [];
  onTestFinished(async () => {
    await Promise.all(members.map((member) => member.leave()));
    rmSync(folder, { recursive: true, force: true });
  });
  for (const name of names) {
    members.push(
      await join({
        name,
        insecure: true,
        profile: "local",
        offices,
        seeds: members.map(({ address }) => address),
        log: false,
        balance: false,
        ...(strict && { lease: `sqlite:${folder}/leases.db`, leaseTtl }),
      }),
    );
  }
  return members;
}

/** Comes true when everybody knows of a leader whom nobody doubts. */
export async function settled(members: readonly GroupMember[], office?: string): Promise<GroupMember> {
  for (const limit = performance.now() + LIMIT; ; ) {
    const leader = members.find((member) => member.office(office).leader?.mine);
    const isKnown = members.every((each) => each.office(office).leader?.name === leader?.name);
    if (leader !== undefined && isKnown) return leader;
    if (performance.now() > limit) {
      const seen = members.map((each) => `${each.name}: ${each.office(office).leader?.name ?? "nobody"}`);
      throw new Error(`no leader of ${office ?? "the office"} that all know: ${seen.join(", ")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
