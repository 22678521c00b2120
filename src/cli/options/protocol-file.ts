/** `--protocol-file mine.ts`: a protocol of the user's own, wherever a command takes the name of one. */
import { Option } from "commander";
import { loadProtocol } from "../../campaign/load-protocol.ts";
import { InputError } from "../../errors.ts";
import { type Found, findProtocol, type ModuleSource } from "../../protocols/registry.ts";

export const protocolFileOption = (): Option =>
  new Option("--protocol-file <file>", "a custom protocol: mine.ts, or mine.ts#NAME if it exports several");

/** The one protocol of a command line: by its name, or from the file. */
export async function protocolFrom(name: string | undefined, file: string | undefined): Promise<Found> {
  const [found, ...others] = await protocolsFrom(name, file);
  if (others.length === 0) return found;
  throw new InputError(`"${name}" and --protocol-file ${file} are two protocols: give one of them`);
}

/** Those named, separated by commas, and the one of the file; a name that is the file's own stands for that one. */
export async function protocolsFrom(names: string | undefined, file: string | undefined): Promise<Found[]> {
  const own = file === undefined ? null : await loadProtocol(moduleOf(file));
  const listed = names?.split(",").map((name) => name.trim()) ?? [];
  const found = listed.map((name) => (name === own?.protocol.name ? own : findProtocol(name)));
  if (own !== null && !found.includes(own)) found.push(own);
  if (found.length === 0)
    throw new InputError('which protocol? give its name ("sortition protocols" lists them), or --protocol-file');
  return found;
}

function moduleOf(file: string): ModuleSource {
  const hash = file.lastIndexOf("#");
  return hash < 0 ? { module: file } : { module: file.slice(0, hash), export: file.slice(hash + 1) };
}
