/**
 * What must survive a crash: the highest term of each office and, in strict mode, the highest token; and nothing else, since
 * each change is a write to disk.
 */
import type { Token } from "../protocols/lease/messages.ts";

export interface Saved {
  readonly name: string;
  readonly terms: Readonly<Record<string, number>>;
  /** Missing where the group has no leases, and in files of versions that had none. */
  readonly tokens?: Readonly<Record<string, Token>>;
}

/** The highest term that was saved of an office. Names hold anything, also those of what every object has. */
export const savedTerm = ({ terms }: Saved, office: string): number =>
  Object.hasOwn(terms, office) ? terms[office] : 0;

/** The highest token that was saved of an office; 0: none. */
export const savedToken = ({ tokens = {} }: Saved, office: string): Token =>
  Object.hasOwn(tokens, office) ? tokens[office] : 0;
