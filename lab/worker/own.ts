/** Protocols that the catalogue has not: the model of a lesson, and files that somebody has opened in this page. */
import type { AnyProtocol } from "../../src/protocol.ts";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { checkProtocol } from "../../src/protocols/check.ts";
import type { ProtocolChoice } from "../../src/protocols/registry.ts";
import { register } from "../../src/registry/all.ts";
import { fencedWriteEntry } from "../lessons/fenced-write.ts";

register(fencedWriteEntry);

const own = new Map<string, { readonly protocol: AnyProtocol; readonly file: string | null }>([
  [fencedWriteEntry.protocol.name, { protocol: checkProtocol(fencedWriteEntry.protocol), file: null }],
]);

/** What a name stands for: one of these, or whatever the catalogue has under it. */
export const choiceOf = (name: string): ProtocolChoice => own.get(name)?.protocol ?? name;

/** The file that a protocol came from; null for a lesson's model; undefined for the catalogue's. */
export const fileOf = (name: string): string | null | undefined => own.get(name)?.file;

/** Those that came from files. */
export const opened = (): AnyProtocol[] =>
  [...own.values()].flatMap(({ protocol, file }) => (file === null ? [] : [protocol]));

export function addOwn(given: AnyProtocol, file: string): AnyProtocol {
  const protocol = checkProtocol(given);
  const isTaken = catalogue.some(({ name }) => name === protocol.name) || own.get(protocol.name)?.file === null;
  const named = isTaken ? checkProtocol({ ...given, name: `my-${protocol.name}` }) : protocol;
  own.set(named.name, { protocol: named, file });
  return named;
}
