/** An agent: a member in this process that serves HTTP, counts what happens, and logs it. */
import { InputError } from "../../errors.ts";
import type { MemberEvent } from "../../events/events.ts";
import { DEFAULT_TTL } from "../../protocols/lease/params.ts";
import type { GroupMember } from "../join/member.ts";
import { openMember } from "../join/open.ts";
import type { Gate } from "../leading/gate.ts";
import type { MemberMetrics } from "../metrics.ts";
import { realWorld } from "../real-world.ts";
import type { World } from "../world.ts";
import type { CommandHeld } from "./http/answers.ts";
import type { RunningApi } from "./http/server.ts";
import { checkHttpAddress } from "./listening.ts";
import { type Log, limited, logEvent } from "./log.ts";
import { type AgentSettings, checkAgent, keyringOfAgent } from "./settings.ts";

interface AgentMeans {
  readonly log: Log;
  /** `sortition run`: a guardian holds the work, and has to know each deadline (`MemberBasics.gate`). */
  readonly gate?: Gate;
  /** What holds all processes that the command starts. */
  readonly commandHeld?: CommandHeld;
}

/** Starts an agent. Resolves when it listens. From then on it looks for its group, and is ready once it knows the group. */
export async function startAgent(
  settings: AgentSettings,
  { log, gate, commandHeld }: AgentMeans,
): Promise<RunningAgent> {
  for (const warning of checkAgent(settings)) log.warn(warning);
  const { group, name, http } = settings;
  if (http !== "off") await checkHttpAddress(http);
  const few = limited(log, realWorld);
  const readiness = new Readiness(realWorld, settings.leaseTtl);
  // Loading HTTP takes half of the time of a start, and without HTTP nobody reads metrics.
  const metrics =
    http === "off"
      ? null
      : new (await import("../metrics.ts")).MemberMetrics({
          group,
          name,
          world: realWorld,
          isReady: () => readiness.now().ready,
        });
  const member = await openMember(settings, {
    keyring: () => keyringOfAgent(settings),
    observed: (engine) => metrics?.observed(engine) ?? engine,
    onEvent(event) {
      metrics?.told(event);
      readiness.told(event);
      logEvent(log, few, event);
    },
    ...(gate && { gate }),
  });
  metrics?.watch(member);
  void member.joined().then(
    () => readiness.joined(),
    () => {},
  );
  const api = metrics === null ? null : await serve({ settings, member, metrics, readiness, log, commandHeld });
  return new RunningAgent({ member, api, readiness, log });
}

/** Starts HTTP for a member. If that fails, the member leaves. */
async function serve(parts: {
  readonly settings: AgentSettings;
  readonly member: GroupMember;
  readonly metrics: MemberMetrics;
  readonly readiness: Readiness;
  readonly log: Log;
  readonly commandHeld: CommandHeld | undefined;
}): Promise<RunningApi> {
  const { settings, member, metrics, readiness, log, commandHeld } = parts;
  try {
    const { serveApi } = await import("./http/server.ts");
    const api = await serveApi({
      member,
      settings,
      world: realWorld,
      log: limited(log, realWorld),
      metrics: () => metrics.text(),
      isReady: () => readiness.now(),
      commandHeld,
    });
    log.info("HTTP is served", { url: api.url });
    return api;
  } catch (error) {
    await member.leave();
    throw error;
  }
}

interface AgentParts {
  readonly member: GroupMember;
  readonly api: RunningApi | null;
  readonly readiness: Readiness;
  readonly log: Log;
}

export class RunningAgent {
  readonly member: GroupMember;
  /** The address at which it serves HTTP; null if it does not. */
  readonly url: string | null;
  /** Resolves when the agent has stopped; rejects if it had to. */
  readonly ended: Promise<void>;
  private readonly parts: AgentParts;
  private stopping: Promise<void> | null = null;

  constructor(parts: AgentParts) {
    const { member, api, readiness } = parts;
    this.parts = parts;
    this.member = member;
    this.url = api?.url ?? null;
    this.ended = member.ended.finally(() => {
      readiness.leaving("it has left its group");
      return api?.close();
    });
    // If no caller waits for `ended`, its rejection must not end the process.
    this.ended.catch(() => {});
  }

  /** Reads keys, bearer token and TLS files again. If one cannot be read, the old value stays, and the log says so. */
  reload(): void {
    const { member, api, log } = this.parts;
    again(log, "keys", () => member.rekey());
    if (api !== null) again(log, "token and certificate of HTTP", () => api.reload());
  }

  /** As SIGTERM: the agent is no longer ready, hands its offices over, leaves, and closes HTTP. */
  stop(): Promise<void> {
    this.stopping ??= this.leave();
    return this.stopping;
  }

  private async leave(): Promise<void> {
    const { member, readiness, log } = this.parts;
    readiness.leaving("it is leaving its group");
    log.info("leaving: offices are handed over first");
    await member.leave();
    await this.ended.catch(() => {});
    log.info("has left");
  }
}

function again(log: Log, what: string, read: () => void): void {
  try {
    read();
    log.info(`${what}: read again`);
  } catch (error) {
    // A half-written file must not end a running process.
    if (!(error instanceof InputError)) throw error;
    log.error(`${what}: ${error.message}; they stay as they were`);
  }
}

// Whether an agent is ready: part of its group, and with a lease store that answers, or has answered lately.

interface Ready {
  readonly ready: boolean;
  readonly why?: string;
}

class Readiness {
  private readonly world: Pick<World, "now">;
  /** Milliseconds for which a lease store may be silent: as long as leases last. */
  private readonly patience: number;
  private hasJoined = false;
  private silent: { readonly since: number; readonly why: string } | null = null;
  private ending: string | null = null;

  constructor(world: Pick<World, "now">, leaseTtl: number = DEFAULT_TTL) {
    this.world = world;
    this.patience = leaseTtl;
  }

  joined(): void {
    this.hasJoined = true;
  }

  leaving(why: string): void {
    this.ending ??= why;
  }

  told(event: MemberEvent): void {
    if (event.event !== "engine") return;
    if (event.engine === "answers") this.silent = null;
    else this.silent ??= { since: this.world.now(), why: event.why ?? "it does not answer" };
  }

  now(): Ready {
    if (this.ending !== null) return { ready: false, why: this.ending };
    if (!this.hasJoined) return { ready: false, why: "it does not know its group yet" };
    if (this.silent !== null && this.world.now() - this.silent.since > this.patience) {
      return { ready: false, why: `the lease store grants and renews nothing: ${this.silent.why}` };
    }
    return { ready: true };
  }
}
