/** Addresses as people write them, HOST:PORT: "10.0.0.7:7001", "[::1]:7001", "db-1.example:7001". */

export interface WrittenAddress {
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
