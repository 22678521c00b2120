/** Where the address of an engine is read from: it may hold a password. */
import { InputError } from "../../errors.ts";
import { variableOf } from "../../settings/member.ts";
import { readSecret } from "../net/keyring.ts";

/** The environment can hold a password: it is not shown to others, as arguments are. */
export const LEASE_VARIABLE = variableOf("lease");

/** The first line that is neither empty nor a comment. */
export function addressIn(file: string): string {
  const example = "postgres://role:password@host/database";
  const lines = readSecret(file, "file", `write a line into it, such as ${example}`).split("\n");
  const address = lines.map((line) => line.trim()).find((line) => line !== "" && !line.startsWith("#"));
  if (address === undefined) {
    throw new InputError(`${file} holds no address: write one line, such as ${example}`);
  }
  return address;
}

/** Of an address that may be shown, or not. */
export const hasPassword = (address: string): boolean =>
  /^[a-z]+:\/\/[^/?#]*:[^/?#]*@/i.test(address) || /[?&]password=/i.test(address);

/** Arguments can be read by everybody on the machine. */
export function refusePassword(address: string): void {
  if (!hasPassword(address)) return;
  throw new InputError(
    "--lease has a password in it, which everybody on this machine can read: write the address into a file for --lease-file, or set PGPASSWORD",
  );
}
