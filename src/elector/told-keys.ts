/**
 * Which keys a member has, by their ids, as it stands in its record: so whoever replaces the group's keys knows who opens and seals with
 * what, also of members that have failed since. Members of earlier versions say nothing of it, and skip it in the records of others.
 */
import { isCount } from "../protocols/shape.ts";

/** A record has room for 256 bytes, and other things are told too. */
export const MOST_TOLD = 16;

/** As it stands in a record: the one that the member seals with comes first. */
export interface ToldKeys {
  readonly keys?: readonly number[];
}

/** Null where a member says nothing of its keys, or something that makes no sense. */
export function keysIn(meta: unknown): readonly number[] | null {
  const { keys } = (typeof meta === "object" && meta !== null ? meta : {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MOST_TOLD) return null;
  return keys.every((id) => isCount(id) && id < 2 ** 32) ? keys : null;
}
