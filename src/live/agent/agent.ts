/** An agent: a member in this process that serves HTTP, counts what happens, and logs it. */
import { InputError } from "../../errors.ts";
import { openMember } from "../join/join.ts";
import type { GroupMember } from "../join/member.ts";
import type { Gate } from "../leading/gate.ts";
import { logEvent } from "./events-log.ts";
import type { Log } from "./log.ts";
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
  const { key, keyFile, insecure, ...rest } = settings;
  const member = await openMember(rest as AgentSettings, {
    keyring: () => keyringOfAgent(settings),
    onEvent: (event) => logEvent(log, event),
    ...(gate && { gate }),
  });
  const reload = () => {
    try {
      member.rekey();
      log.info("keys were read again");
    } catch (error) {
      // A half-written file must not end a running process.
      if (!(error instanceof InputError)) throw error;
      log.error(`${error.message}; the keys stay as they were`);
    }
  };
  let stopping: Promise<void> | null = null;
  const stop = async () => {
    log.info("leaving: offices are handed over first");
    await member.leave();
    log.info("has left");
  };
  return {
    ...{ member, url: null, reload },
    stop() {
      stopping ??= stop();
      return stopping;
    },
    ended: member.ended,
  };
}
