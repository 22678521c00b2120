/** Kinds of values that only members of live groups have. */
import { itemsIn, type Kind, readDuration, whole } from "../values.ts";
import { utf8Length } from "../wire/bytes.ts";

/** A text that passes a check, and is not empty. */
const textThat = (wanted: string, passes: (text: string) => boolean = () => true): Kind<string> => ({
  wanted,
  read: (given) => (typeof given === "string" && given !== "" && passes(given) ? given : undefined),
});

export const nonEmpty = (wanted: string): Kind<string> => textThat(wanted);
export const file = nonEmpty("the name of a file");
export const folder = nonEmpty("the name of a folder");

/** As long as names of members, groups and zones may be. */
export const MOST_NAME_BYTES = 64;
export const shortName = textThat(
  `a text of 1 to ${MOST_NAME_BYTES} bytes`,
  (given) => utf8Length(given) <= MOST_NAME_BYTES,
);

const EXAMPLES = "10.0.0.7:7001, [::1]:7001 or db-1.example:7001";
export const address = textThat(
  `an address, HOST:PORT, such as ${EXAMPLES}`,
  (given) => readWrittenAddress(given) !== null,
);

/** In YAML of old, `off` is `false`. */
export const addressOrOff: Kind<string> = {
  wanted: 'an address, HOST:PORT, or "off"',
  read: (given) => (given === false || given === "off" ? "off" : address.read(given)),
};

/** Text is taken apart at its commas. */
export const listOfItems = (item: Kind<string>, wanted: string, least = 0): Kind<readonly string[]> => ({
  wanted,
  item,
  read(given) {
    const items = typeof given === "string" ? itemsIn(given) : given;
    return Array.isArray(items) && items.length >= least && items.every((each) => item.read(each) !== undefined)
      ? items
      : undefined;
  },
});

/** "15m"; its size is checked where it is used. */
export const duration = textThat("a time such as 500ms, 30s, 15m, 1h or 1d", (given) => readDuration(given) !== null);

export const jobKey = textThat("a text of 1 to 200 characters", (given) => given.length <= 200);

const ON_OR_OFF: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, "true", "yes", "on", "1"].map((word) => [word, true] as const),
  ...[false, "false", "no", "off", "0"].map((word) => [word, false] as const),
]);

/** As environments say it, too: yes, on, 1. */
export const onOrOff: Kind<boolean> = {
  wanted: "true or false",
  words: ["true", "false"],
  read: (given) => ON_OR_OFF.get(typeof given === "string" ? given.toLowerCase() : given),
};

/** A duration in milliseconds, as a whole number or as a text such as "2s". */
export const milliseconds = (
  range: string,
  least: number,
  most: number,
  orZero = false,
): Kind<number, number | string> => ({
  wanted: `milliseconds or a time such as 2s or 500ms, ${range}`,
  isWhole: true,
  read(given) {
    const ms = typeof given === "string" ? (readDuration(given) ?? given) : given;
    return whole(least, most).read(ms) ?? (orZero ? whole(0, 0).read(ms) : undefined);
  },
});

// Addresses as people write them, HOST:PORT: "10.0.0.7:7001", "[::1]:7001", "db-1.example:7001".

interface WrittenAddress {
  readonly host: string;
  readonly port: number;
  /** A name has to be looked up. */
  readonly form: "IPv4" | "IPv6" | "name";
}

const HOST_AND_PORT = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:]+)):(\d{1,5})$/;
/** Labels of letters, digits, hyphens and underscores, the last one not of digits alone: that would be a broken number. */
const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*(?!\d+\.?$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i;

/** Null where the text is no address. */
export function readWrittenAddress(text: string): WrittenAddress | null {
  const [, bracketed, bare, digits] = HOST_AND_PORT.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65535) return null;
  // In brackets both kinds are taken, so that one setting such as "[$(POD_IP)]:7001" fits every cluster.
  if (bracketed !== undefined && isIPv4(bracketed)) return { host: bracketed, port, form: "IPv4" };
  if (bracketed !== undefined) return isIPv6(bracketed) ? { host: bracketed, port, form: "IPv6" } : null;
  if (isIPv4(bare)) return { host: bare, port, form: "IPv4" };
  return HOST_NAME.test(bare) ? { host: bare, port, form: "name" } : null;
}

/** As `isIPv4` of Node, which pages do not have; a test compares them. */
export const isIPv4 = (text: string): boolean => {
  const bytes = text.split(".");
  return bytes.length === 4 && bytes.every((byte) => /^(?:0|[1-9]\d{0,2})$/.test(byte) && Number(byte) <= 255);
};

/** As `isIPv6` of Node, without zones: eight groups, the last two as IPv4 if so wished, one run of zeros left out. */
export function isIPv6(text: string): boolean {
  const halves = text.split("::");
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1) ?? "";
  const endsInFour = isIPv4(last) && text.endsWith(last);
  const hex = endsInFour ? groups.slice(0, -1) : groups;
  if (halves.length > 2 || !hex.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  const size = hex.length + (endsInFour ? 2 : 0);
  return halves.length === 2 ? size <= 7 : size === 8;
}
