/**
 * What must survive a crash: the highest term of each office and, in strict mode, the highest token; and nothing else, since
 * each change is a write to disk.
 */
import type { Token } from "../protocols/lease/messages.ts";
import type { Office, Turn } from "./state.ts";

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
const savedToken = ({ tokens = {} }: Saved, office: string): Token =>
  Object.hasOwn(tokens, office) ? tokens[office] : 0;

/** A token has been seen. Hosts save it before anything of this handler leaves. */
export function raiseToken({ state }: Turn, office: string, token: Token): void {
  if (token <= savedToken(state.kept, office)) return;
  state.kept = { ...state.kept, tokens: { ...state.kept.tokens, [office]: token } };
}

/** A higher term, from here on. Hosts save it before anything of this handler leaves. */
export function raiseTerm({ state }: Turn, office: Office, term: number): void {
  office.term = term;
  state.kept = { ...state.kept, terms: { ...state.kept.terms, [office.name]: term } };
  state.touched.add(office.name);
}
