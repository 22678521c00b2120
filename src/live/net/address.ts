/** Addresses of members as text ("10.0.0.7:7001", "[::1]:7001", "db-1.example:7001") and, if they are numeric, as bytes. */
import { lookup } from "node:dns";
import { lookup as lookUpName } from "node:dns/promises";
import { isIPv6 } from "node:net";
import { InputError } from "../../errors.ts";
import { readWrittenAddress } from "../../settings/member-kinds.ts";
import { type ByteReader, type ByteWriter, Malformed } from "../../wire/bytes.ts";
import type { Address } from "../world.ts";
import { Recent } from "./recent.ts";
import { addressText, isLoopback, isSix } from "./udp.ts";

/** A numeric address, or one with a name that has to be looked up. */
interface Place extends Address {
  readonly isName: boolean;
}

/** The address that a text has; null if it has none. Port 0 is only for listening. */
export function readPlace(text: string): Place | null {
  const written = readWrittenAddress(text);
  if (written === null) return null;
  const { host, port, form } = written;
  if (form === "IPv6") return { ...numeric(host, port), isName: false };
  return form === "name" ? { host: host.toLowerCase(), port, isName: true } : { host, port, isName: false };
}

/** The members of a process hear of the same addresses in datagrams and in records, so each is parsed once. */
const placesRead = new Recent<string, Place>(8192);

/** As `readPlace`, but cached: one object for each text, which also has the address's canonical text. */
export function placeOf(text: string): Place | null {
  const known = placesRead.get(text);
  if (known !== undefined) return known;
  const place = readPlace(text);
  if (place === null) return null;
  const kept = { ...place, text: addressText(place) };
  placesRead.set(text, kept);
  return kept;
}

/** As `readPlace`; throws an error that says what an address looks like. */
export function parsePlace(text: string, name: string): Place {
  const place = readPlace(text);
  if (place !== null) return place;
  throw new InputError(
    (field) =>
      `${field(name)}: "${text}" is not an address: write HOST:PORT, such as 10.0.0.7:7001, [::1]:7001 or db-1.example:7001`,
  );
}

/** A numeric address in its canonical form; an IPv4 address that is mapped to IPv6 becomes IPv4. */
export function numeric(host: string, port: number): Address {
  if (!isIPv6(host)) return { host, port };
  const canonical = new URL(`http://[${host}]/`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(canonical);
  if (mapped === null) return { host: canonical, port };
  const bytes = mapped.slice(1).flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
  return { host: bytes.join("."), port };
}

/** Whether an address is that of all interfaces, to which others cannot send. */
export const isUnspecified = ({ host }: Address): boolean => host === "0.0.0.0" || host === "::";

export const FOUR_BYTES = 4 + 2;
export const SIX_BYTES = 16 + 2;

/** Writes a numeric address, as `numeric` returns it. */
export function writeAddress(writer: ByteWriter, { host, port }: Address): void {
  if (isSix(host)) {
    const [head, tail] = host.split("::").map((part) => (part === "" ? [] : part.split(":")));
    const zeros = Array<string>(8 - head.length - (tail?.length ?? 0)).fill("0");
    for (const group of [...head, ...zeros, ...(tail ?? [])]) writer.unsigned(Number.parseInt(group, 16), 2);
  } else for (const byte of host.split(".")) writer.byte(Number(byte));
  writer.unsigned(port, 2);
}

/** The address in a datagram, in its canonical form, if it can be sent to. */
export function readAddress(reader: ByteReader, six: boolean): Address {
  const host = six ? `[${readSix(reader)}]` : `${reader.byte()}.${reader.byte()}.${reader.byte()}.${reader.byte()}`;
  const place = placeOf(`${host}:${reader.unsigned(2)}`);
  if (place === null || place.port === 0 || isUnspecified(place) || six !== isSix(place.host)) {
    throw new Malformed("it is from nowhere");
  }
  return place;
}

function readSix(reader: ByteReader): string {
  let text = reader.unsigned(2).toString(16);
  for (let group = 1; group < 8; group++) text += `:${reader.unsigned(2).toString(16)}`;
  return text;
}

/** Looks a name up: calls back with its numeric addresses, or with none and the reason. */
export type Resolve = (host: string, done: (hosts: readonly string[], why: string) => void) => void;

/** Asks the operating system: what its hosts file and its name servers say now. */
export const systemResolve: Resolve = (host, done) => {
  lookup(host, { all: true }, (error, found) => {
    if (error === null)
      done(
        found.map(({ address }) => address),
        "",
      );
    else done([], error.code === "ENOTFOUND" ? "nobody knows that name" : error.message);
  });
};

// The address at which a member listens, and the address at which others reach it.

/** An address at which this process can listen or be reached; a name is looked up once. */
export async function resolveAddress(text: string, option: string): Promise<Address> {
  const place = parsePlace(text, option);
  if (!place.isName) return numeric(place.host, place.port);
  try {
    return numeric((await lookUpName(place.host)).address, place.port);
  } catch {
    throw new InputError((field) => `${field(option)}: nobody knows an address for ${place.host}`);
  }
}

/** Refuses an address that other members could not answer to. */
export function checkReach(advertised: Address, bind: string, seeds: readonly string[]): void {
  if (isUnspecified(advertised)) {
    throw new InputError(
      (field) =>
        `${bind} is every address of this machine, but others need one to answer to: add ${field("advertise")} HOST:PORT`,
    );
  }
  const far = seeds.map((seed) => readPlace(seed)!).find((place) => !place.isName && !isLoopback(place));
  if (isLoopback(advertised) && far !== undefined) {
    throw new InputError(
      (field) =>
        `${addressText(far)} cannot answer to ${addressText(advertised)}, which is that machine itself: give ${field("bind")} or ${field("advertise")} an address that it can reach`,
    );
  }
}
