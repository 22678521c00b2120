/** Where a member listens, and where others reach it. */
import { lookup } from "node:dns/promises";
import { InputError } from "../../errors.ts";
import { isUnspecified, numeric, parsePlace, placeText, readPlace } from "../net/address.ts";
import { isLoopback } from "../net/udp.ts";
import type { Address } from "../world.ts";

/** An address at which this process can listen or be reached; a name is looked up once. */
export async function resolveAddress(text: string, option: string): Promise<Address> {
  const place = parsePlace(text, option);
  if (!place.isName) return numeric(place.host, place.port);
  try {
    return numeric((await lookup(place.host)).address, place.port);
  } catch {
    throw new InputError((field) => `${field(option)}: nobody knows an address for ${place.host}`);
  }
}

/** An address that nobody could answer to is better refused than wondered about. */
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
        `${placeText(far)} cannot answer to ${placeText(advertised)}, which is that machine itself: give ${field("bind")} or ${field("advertise")} an address that it can reach`,
    );
  }
}
