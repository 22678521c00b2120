/** What must survive a crash: the highest term of each office, and nothing else, since each change is a write to disk. */
import type { Office, Turn } from "./state.ts";

export interface Saved {
  readonly name: string;
  readonly terms: Readonly<Record<string, number>>;
}

/** The highest term that was saved of an office. Names hold anything, also those of what every object has. */
export const savedTerm = ({ terms }: Saved, office: string): number =>
  Object.hasOwn(terms, office) ? terms[office] : 0;

/** A higher term, from here on. Hosts save it before anything of this handler leaves. */
export function raiseTerm({ state }: Turn, office: Office, term: number): void {
  office.term = term;
  state.kept = { ...state.kept, terms: { ...state.kept.terms, [office.name]: term } };
  state.touched.add(office.name);
}
