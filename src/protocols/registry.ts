/** Wherever a protocol is wanted: its name in the catalogue, the object itself, or the module that exports it. */
import { InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import { catalogue, protocolNamed } from "./catalogue.ts";
import { type AnyGivenProtocol, checkProtocol, textOf, trust } from "./check.ts";

/** A module and the name under which it exports a protocol; the only one that it exports, where the name is missing. */
export interface ModuleSource {
  /** An URL, or in Node a path. */
  readonly module: string;
  readonly export?: string;
}

/** What stands wherever a protocol is wanted: its name, the object itself, or the module that exports it. */
export type ProtocolChoice = string | AnyGivenProtocol | ModuleSource;

/** Where a protocol can be found again, in another thread or from a file; null for an object that came from nowhere. */
export type ProtocolSource = string | Required<ModuleSource> | null;

/** A protocol, and where it can be found again. */
export interface Found {
  readonly protocol: AnyProtocol;
  readonly source: ProtocolSource;
}

for (const protocol of catalogue) trust(protocol);

export const isModule = (choice: unknown): choice is ModuleSource =>
  typeof choice === "object" && choice !== null && "module" in choice && !("receive" in choice);

const loaded = new Map<string, Found>();
const keyOf = (source: ModuleSource): string => JSON.stringify([source.module, source.export ?? null]);

const origins = new WeakMap<AnyProtocol, { readonly source: ProtocolSource; readonly code: string }>();

/** Modules are loaded apart (campaign/load-protocol.ts), since that takes time; what was loaded is found here. */
export function keepLoaded(asked: ModuleSource, found: Found, code: string): void {
  loaded.set(keyOf(asked), found);
  if (!catalogue.includes(found.protocol)) origins.set(found.protocol, { source: found.source, code });
}

/** What tells a protocol from an earlier state of it; null for ours, which change with the version. */
export function codeOf(protocol: AnyProtocol): string | null {
  if (catalogue.includes(protocol)) return null;
  return origins.get(protocol)?.code ?? textOf(protocol);
}

export function findProtocol(choice: ProtocolChoice): Found {
  if (typeof choice === "string") return { protocol: protocolNamed(choice), source: choice };
  if (isModule(choice)) {
    const found = loaded.get(keyOf(choice));
    if (found !== undefined) return found;
    throw new InputError(
      `the module ${choice.module} is not loaded yet: wait for loadProtocol({ module, export }) first`,
    );
  }
  const protocol = checkProtocol(choice);
  const source = catalogue.includes(protocol) ? protocol.name : (origins.get(protocol)?.source ?? null);
  return { protocol, source };
}
