/** How a flight record begins. */

/** The first bytes of every record; the number is the version of the format. */
export const MAGIC = "sortition flight record 1\n";

/** Whether it begins like one, of any version. */
export const isRecord = (bytes: Uint8Array): boolean =>
  bytes.length >= MAGIC.length && [...MAGIC.slice(0, -2)].every((sign, i) => bytes[i] === sign.charCodeAt(0));
