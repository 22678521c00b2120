/** Opens members: for `join`, and for the agent, which gives them more. */

import { InputError } from "../../errors.ts";
import { eventInWords, isFrequent, levelOf, type MemberEvent } from "../../events/events.ts";
import { gatedTimes, leaseTimes } from "../../protocols/lease/params.ts";
import type { MemberSettings } from "../../settings/member.ts";
import { callUser } from "../call-user.ts";
import type { LeaseEngine } from "../engines/engine.ts";
import { addressIn, LEASE_VARIABLE, leaseSettingIn } from "../engines/engine.ts";
import { openEngine } from "../engines/open.ts";
import { onThisMachine } from "../group/member.ts";
import type { Gate } from "../leading/gate.ts";
import type { Keyring } from "../net/keyring.ts";
import { realWorld } from "../real-world.ts";
import { GroupError, groupError, startError } from "./errors.ts";
import { GroupMember } from "./member.ts";
import { type Environment, type JoinOptions, keyringFrom, readOptions } from "./options.ts";

/** As `join`, which loads this. */
export async function joinGroup(options: JoinOptions): Promise<GroupMember> {
  const settings = readOptions(options);
  const { signal, name, log = toStandardError } = settings;
  if (signal?.aborted) throw aborted();
  const onEvent = (event: MemberEvent) => {
    const line = log === false ? null : lineOf(name, event);
    if (line !== null) callUser(() => (log as (line: string) => void)(line));
    settings.onEvent?.(event);
  };
  const member = await openMember(settings, { onEvent });
  const leave = () => void member.leave().catch(() => {});
  signal?.addEventListener("abort", leave, { once: true });
  void member.ended.catch(() => {}).finally(() => signal?.removeEventListener("abort", leave));
  if (signal?.aborted) {
    await member.leave();
    throw aborted();
  }
  return member.joined();
}

/** What opens a member besides its settings. */
interface OpenMeans {
  readonly onEvent?: ((event: MemberEvent) => void) | undefined;
  /** Reads the keys, anew each time (default: from the settings or the environment). */
  readonly keyring?: () => Keyring;
  /** Wraps the engine, for example with a clock for metrics. */
  readonly observed?: (engine: LeaseEngine) => LeaseEngine;
  /** Another process holds the work (`MemberBasics.gate`). */
  readonly gate?: Gate;
}

/** Opens a member, which then looks for its group; `joined()` resolves when the member knows its group. */
export async function openMember(settings: MemberSettings, means: OpenMeans): Promise<GroupMember> {
  const { onEvent, keyring = () => keyringFrom(settings, process.env) } = means;
  const keys = keyring();
  const opened = await openLeaseStore(settings, process.env, means.gate);
  const engine = opened && (means.observed?.(opened) ?? opened);
  const options = { ...settings, keyring: keys, engine, gate: engine && means.gate };
  try {
    return await onThisMachine(options, (given) =>
      GroupMember.start({ world: realWorld, keyring, onEvent, options }, given),
    );
  } catch (error) {
    throw startError(error);
  }
}

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`);

/** The line for a change of leader or a trouble; null for other events. */
function lineOf(name: string, event: MemberEvent): string | null {
  const level = levelOf(event);
  const isNews = level === "error" || level === "warn" || event.event === "leader" || event.event === "leaderless";
  if (!isNews || isFrequent(event.event)) return null;
  return `${new Date(realWorld.wall()).toISOString()} sortition ${name}: ${eventInWords(event)}`;
}

const aborted = () => new GroupError("LEFT", "join was told by its signal to stop", "give one that has not fired");

/** The lease store of the settings; undefined if they name none. */
export async function openLeaseStore(
  settings: MemberSettings,
  env: Environment,
  gate?: Gate,
): Promise<LeaseEngine | undefined> {
  const { lease, leaseFile, leaseTtl: ttl, leaseWait = 0, migrate, group } = settings;
  try {
    const address = lease ?? (leaseFile === undefined ? env[LEASE_VARIABLE]?.trim() || null : addressIn(leaseFile));
    if (address === null) {
      const stray = leaseSettingIn(settings);
      if (stray === null) return undefined;
      throw new GroupError("BAD_OPTION", `"${stray}" is for leases`, 'give "lease" too, or leave it out');
    }
    const { requestTimeout } = gate === undefined ? leaseTimes(ttl) : gatedTimes(ttl);
    return await answering(leaseWait, () => openEngine(address, { group, requestTimeout, migrate, world: realWorld }));
  } catch (error) {
    throw groupError("BAD_LEASE", error);
  }
}

/** Milliseconds between tries to reach a lease store. */
const TRY_EVERY = 500;

/** Opens an engine, and again until it answers or `ms` milliseconds have passed. With 0, one try is enough, also without an answer. */
async function answering(ms: number, open: () => Promise<LeaseEngine>): Promise<LeaseEngine> {
  for (const end = realWorld.now() + ms; ; ) {
    const engine = await open();
    const { trouble } = engine;
    if (trouble === undefined || ms === 0) return engine;
    await engine.close();
    if (realWorld.now() >= end) {
      throw new InputError(
        `the lease store has not answered within ${ms} ms (${trouble}): start it, or wait for longer`,
      );
    }
    await new Promise<void>((resolve) => realWorld.set(TRY_EVERY, resolve));
  }
}
