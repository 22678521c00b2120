/** `join`: this process becomes a member of a group. */

import type { MemberEvent } from "../../events/events.ts";
import { gatedTimes, leaseTimes } from "../../protocols/lease/params.ts";
import { pick } from "../../setting.ts";
import { ELECTIONS } from "../../settings/member.ts";
import type { LeaseEngine } from "../engines/engine.ts";
import { addressIn, LEASE_VARIABLE } from "../engines/engine.ts";
import { openEngine } from "../engines/open.ts";
import { onThisMachine } from "../group/member.ts";
import type { LeaseOptions, MemberBasics } from "../group/setup.ts";
import type { Gate } from "../leading/gate.ts";
import type { Keyring } from "../net/keyring.ts";
import { realWorld } from "../real-world.ts";
import { GroupError, groupError, startError } from "./errors.ts";
import { GroupMember } from "./member.ts";
import { type Environment, type JoinOptions, keyringFrom, type MemberSettings, readOptions } from "./options.ts";

/**
 * Makes this process a member of a group, and comes true when it is one: it knows who is there, and soon who leads.
 * Members in processes of their own find each other by `seeds`; whoever has the key can join.
 *
 * @example
 * ```ts
 * import { join } from "sortition";
 *
 * await using member = await join({ name: "a", insecure: true, profile: "local" });
 * const { done } = member.lead(async ({ term, signal, check }) => {
 *   check(); // throws once this process does not lead any more
 *   if (term < 1 || signal.aborted) throw new Error("cannot be");
 * });
 * await done; // the work has returned, so the office was given up
 * ```
 */
export async function join(options: JoinOptions): Promise<GroupMember> {
  const settings = readOptions(options);
  const { signal, onEvent } = settings;
  if (signal?.aborted) throw aborted();
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

/** What a member is opened with besides its settings. */
export interface OpenMeans {
  readonly onEvent?: ((event: MemberEvent) => void) | undefined;
  /** Reads the keys, anew each time (default: what the settings or the environment say). */
  readonly keyring?: () => Keyring;
  /** What stands before the engine, such as a clock. */
  readonly observed?: (engine: LeaseEngine) => LeaseEngine;
  /** Somebody outside this process holds the work (`LeaseOptions.gate`). */
  readonly gate?: Gate;
}

/** A member that listens and asks for its group; `joined()` comes true when it knows it. */
export async function openMember(settings: MemberSettings, means: OpenMeans): Promise<GroupMember> {
  const { onEvent, keyring = () => keyringFrom(settings, process.env) } = means;
  const given = memberOptions(settings, keyring());
  const lease = await leasesOf(settings, process.env, means.gate);
  const observed = lease && { ...lease, engine: means.observed?.(lease.engine) ?? lease.engine };
  const options = { ...given, lease: observed };
  try {
    return await onThisMachine(options, (given) =>
      GroupMember.start({ world: realWorld, keyring, onEvent, options }, given),
    );
  } catch (error) {
    throw startError(error);
  }
}

const aborted = () => new GroupError("LEFT", "join was told by its signal to stop", "give one that has not fired");

/** As the parts below take them. */
export function memberOptions(settings: MemberSettings, keyring: Keyring): Omit<MemberBasics, "lease"> {
  const { name, group, bind, advertise, transport, seeds, state = null, stallMs } = settings;
  const elections = pick(ELECTIONS, settings);
  const { expected = null, preferZone = null, priority, weight, zone = "", ...rest } = elections;
  return {
    name,
    group,
    bind,
    advertise,
    transport,
    seeds,
    state,
    keyring,
    ...(stallMs > 0 && { stallLimit: stallMs }),
    params: { ...rest, expected, preferredZone: preferZone, attributes: { priority, weight, zone } },
  };
}

export async function leasesOf(
  settings: MemberSettings,
  env: Environment,
  gate?: Gate,
): Promise<LeaseOptions | undefined> {
  const { lease, leaseFile, leaseTtl: ttl, preemptible, migrate, group } = settings;
  try {
    const address = lease ?? (leaseFile === undefined ? env[LEASE_VARIABLE]?.trim() || null : addressIn(leaseFile));
    if (address === null) {
      const [stray] = [ttl !== undefined && "leaseTtl", preemptible && "preemptible", !migrate && "migrate"].filter(
        Boolean,
      );
      if (stray === undefined) return undefined;
      throw new GroupError("BAD_OPTION", `"${stray}" is for leases`, 'give "lease" too, or leave it out');
    }
    const { requestTimeout } = gate === undefined ? leaseTimes(ttl) : gatedTimes(ttl);
    return {
      engine: await openEngine(address, { group, requestTimeout, migrate, world: realWorld }),
      ttl,
      preemptible,
      gate,
    };
  } catch (error) {
    throw groupError("BAD_LEASE", error);
  }
}
