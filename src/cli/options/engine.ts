/** Where leases are kept, as options of commands: an address, a file that holds it, or the environment. */
import { Option } from "commander";
import { InputError } from "../../errors.ts";
import { addressIn, LEASE_VARIABLE, refusePassword } from "../../live/engines/address.ts";
import { flagWithValue } from "./member.ts";

export interface EngineFlags {
  readonly lease?: string;
  readonly leaseFile?: string;
}

export const engineOptions = (about: string): Option[] => [
  new Option(
    flagWithValue("lease"),
    `${about}: sqlite:FILE, postgres://ROLE@HOST/DATABASE, etcd://HOST:2379, redis://HOST:6379, kubernetes: or nats://HOST:4222; without a password`,
  ),
  new Option(
    flagWithValue("leaseFile"),
    `a file that holds that address, with a password, and that only you can read (or ${LEASE_VARIABLE} in the environment)`,
  ),
];

/** Null where none is given. */
export function engineAddress(
  { lease, leaseFile }: EngineFlags,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  if (lease !== undefined && leaseFile !== undefined) {
    throw new InputError("--lease and --lease-file both say where leases are kept: give one of them");
  }
  if (lease !== undefined) {
    refusePassword(lease);
    return lease;
  }
  if (leaseFile !== undefined) return addressIn(leaseFile);
  return env[LEASE_VARIABLE]?.trim() || null;
}
