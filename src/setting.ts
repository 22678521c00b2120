/** A setting described once, and tables of them: requests, options, axes of sweeps, completion and docs are made from these. */
import { type Kind, readAs } from "./values.ts";

export interface Details {
  /** For help and docs; the default is added. */
  readonly about: string;
  /** What help calls the value; missing where the flag alone says it. */
  readonly value?: string;
  /** As it would be typed. */
  readonly default?: string;
  /** In words, where the default follows from other things, or a command has one of its own; said instead of it. */
  readonly otherwise?: string;
  /** For the axis of a figure. */
  readonly unit?: string;
  /** Sweeps can vary it. */
  readonly varies?: true;
  /** Such values are compared with the first only where all else can be the same: not so for sizes and networks. */
  readonly incomparable?: true;
  /** Theory's answers depend on it. */
  readonly inTheory?: true;
  /** What the Tab key offers. */
  readonly offers?: readonly string[];
}

/** How one setting is read, and all that is said of it. */
export type Setting<T = unknown, Given = T> = Kind<T, Given> & Details;

/** `D` keeps the type of the details: whether there is a default decides whether a value can be missing. */
export const setting = <T, G, const D extends Details>(kind: Kind<T, G>, details: D): Kind<T, G> & D => ({
  ...kind,
  ...details,
});

/** A table of settings, and what can be given for each, or has been read. */
export type Table = Readonly<Record<string, Setting<unknown, unknown>>>;
type ValueOf<S extends Setting> = NonNullable<ReturnType<S["read"]>>;

export type Given<S extends Table> = { readonly [F in keyof S]?: S[F]["given"] | null | undefined };
export type Values<S extends Table> = {
  readonly [F in keyof S]: S[F] extends { default: string } ? ValueOf<S[F]> : ValueOf<S[F]> | undefined;
};

/**
 * Reads what is given, as text or as values; whatever is missing or null has its default. `read` throws for a value that is wrong,
 * in the words of the caller.
 */
export function readAll<S extends Table>(
  table: S,
  given: Given<S>,
  read: (setting: S[keyof S], value: unknown, name: keyof S & string) => unknown = readAs,
): Values<S> {
  const values = Object.entries(table).map(([name, setting]) => {
    const value = given[name] ?? setting.default;
    return [name, value === undefined ? undefined : read(setting as S[keyof S], value, name)];
  });
  return Object.fromEntries(values);
}

/** The part of an object that a table describes. */
export function pick<S extends Table, V extends { readonly [F in keyof S]?: unknown }>(
  table: S,
  from: V,
): Pick<V, keyof S & keyof V> {
  const names = Object.keys(table).filter((name) => name in from);
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<V, keyof S & keyof V>;
}
