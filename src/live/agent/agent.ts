/** An agent: a member in this process that serves HTTP, counts what happens, and logs it. */
import { InputError } from "../../errors.ts";
import { openMember } from "../join/join.ts";
import type { GroupMember } from "../join/member.ts";
import type { Gate } from "../leading/gate.ts";
import { realWorld } from "../real-world.ts";
import { logEvent } from "./events-log.ts";
import { serveApi } from "./http/server.ts";
import { checkHttpAddress } from "./listening.ts";
import { type Log, limited } from "./log.ts";
import { AgentMetrics } from "./metrics.ts";
import { Readiness } from "./readiness.ts";
import { type AgentSettings, checkAgent, keyringOfAgent } from "./settings.ts";

export interface RunningAgent {
  readonly member: GroupMember;
  /** Where it serves HTTP; null where it does not. */
  readonly url: string | null;
  /** Reads keys, bearer token and TLS files again; what cannot be read stays as it was, and the log says so. */
  reload(): void;
  /** As SIGTERM: it is not ready any more, hands its offices over, leaves, and closes HTTP. */
  stop(): Promise<void>;
  /** Comes true when it has stopped; rejects where it had to. */
  readonly ended: Promise<void>;
}

export interface AgentMeans {
  readonly log: Log;
  /** `sortition run`: a guardian holds the work, and has to know each deadline (`LeaseOptions.gate`). */
  readonly gate?: Gate;
}

/** Comes true when it listens; it asks for its group from then on, and is ready once it knows it. */
export async function startAgent(settings: AgentSettings, { log, gate }: AgentMeans): Promise<RunningAgent> {
  for (const warning of checkAgent(settings)) log.warn(warning);
  if (settings.http !== "off") await checkHttpAddress(settings.http);
  const few = limited(log, realWorld);
  const readiness = new Readiness(realWorld, settings.leaseTtl);
  const { group, name } = settings;
  const metrics = new AgentMetrics({ group, name, world: realWorld, isReady: () => readiness.now().ready });
  const { key: _, keyFile: __, insecure: ___, ...rest } = settings;
  const member = await openMember(
    { ...rest, insecure: false },
    {
      keyring: () => keyringOfAgent(settings),
      observed: (engine) => metrics.observed(engine),
      onEvent(event) {
        metrics.told(event);
        readiness.told(event);
        logEvent(log, few, event);
      },
      ...(gate && { gate }),
    },
  );
  metrics.watch(member);
  void member.joined().then(
    () => readiness.joined(),
    () => {},
  );
  const serve = () =>
    serveApi({
      ...{ member, settings, world: realWorld, log: limited(log, realWorld) },
      ...{ metrics: () => metrics.text(), isReady: () => readiness.now() },
    });
  const api =
    settings.http === "off"
      ? null
      : await serve().catch(async (error: unknown) => {
          await member.leave();
          throw error;
        });
  if (api !== null) log.info("HTTP is served", { url: api.url });
  const ended = member.ended.finally(() => {
    readiness.leaving("it has left its group");
    return api?.close();
  });
  // Whoever waits for the end is told of a failure; where nobody does, it must not end the process.
  ended.catch(() => {});
  let stopping: Promise<void> | null = null;
  const stop = async () => {
    readiness.leaving("it is leaving its group");
    log.info("leaving: offices are handed over first");
    await member.leave();
    await ended.catch(() => {});
    log.info("has left");
  };
  return {
    ...{ member, url: api?.url ?? null, ended },
    reload() {
      again(log, "keys", () => member.rekey());
      if (api !== null) again(log, "token and certificate of HTTP", () => api.reload());
    },
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
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
