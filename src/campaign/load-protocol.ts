/** Protocols from modules of the user's own. */
import { pathToFileURL } from "node:url";
import { InputError } from "../errors.ts";
import { checkProtocol } from "../protocols/check.ts";
import {
  type Found,
  findProtocol,
  isModule,
  keepLoaded,
  type ModuleSource,
  type ProtocolChoice,
} from "../protocols/registry.ts";

/** As `findProtocol`, and modules are imported: a path is relative to the working directory. */
export async function loadProtocol(choice: ProtocolChoice): Promise<Found> {
  if (!isModule(choice)) return findProtocol(choice);
  const { module, export: name } = choice;
  const url = URL.canParse(module) ? module : pathToFileURL(module).href;
  const exports: Record<string, unknown> = await import(url);
  const exported = name ?? onlyProtocol(exports, module);
  if (!(exported in exports)) {
    throw new InputError(
      `${module} exports no "${exported}": it has ${Object.keys(exports).join(", ") || "no exports"}`,
    );
  }
  const found: Found = { protocol: checkProtocol(exports[exported]), source: { module: url, export: exported } };
  keepLoaded(choice, found);
  keepLoaded(found.source as ModuleSource, found);
  return found;
}

const looksLikeOne = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "name" in value && ("receive" in value || "init" in value);

function onlyProtocol(exports: Readonly<Record<string, unknown>>, module: string): string {
  const names = Object.keys(exports).filter((name) => looksLikeOne(exports[name]));
  const distinct = new Set(names.map((name) => exports[name]));
  if (distinct.size === 1) return names[0];
  if (distinct.size === 0)
    throw new InputError(`${module} exports no protocol: export an object with init and receive`);
  throw new InputError(
    `${module} exports several protocols (${names.join(", ")}): say which, as ${module}#${names[0]}`,
  );
}
