/** Entries by their protocol: by the object, never by the name, which anybody may give to anything. Those of the catalogue come with all.ts. */
import type { AnyProtocol } from "../protocol.ts";
import { checkProtocol } from "../protocols/check.ts";
import type { Entry } from "./entry.ts";

const entries = new WeakMap<AnyProtocol, Entry>();
let isFilled = false;

/** Makes known what is known of a protocol: its prediction then stands beside every simulation of it. */
export function register(entry: Entry): void {
  entries.set(checkProtocol(entry.protocol), entry);
}

/** The entries of the catalogue, once: formulas and kernels are half of the package, and a member of a group seldom needs them. */
export function fill(catalogued: readonly Entry[]): void {
  for (const entry of catalogued) register(entry);
  isFilled = true;
}

export function entryOf(protocol: AnyProtocol): Entry | undefined {
  if (!isFilled) throw new Error("registry/all.ts has to be loaded before entries are looked up");
  return entries.get(protocol);
}
