/** Where the address of an engine is read from: it may hold a password. */
import { InputError } from "../../errors.ts";
import { readSecret } from "../keyring.ts";

/** The environment can hold a password: it is not shown to others, as arguments are. */
export const LEASE_VARIABLE = "SORTITION_LEASE";

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
