/** Checks that a protocol uses only what it assumes. No host grants more, so a protocol runs alike on every host. */
import { type AnyProtocol, type Port, SELF } from "../protocol.ts";

type Asking = Pick<AnyProtocol, "name" | "assumes">;

export function checkMulticast({ name, assumes }: Asking): void {
  if (!assumes.multicast) throw new Error(`${name} multicasts, but does not assume that it can: set assumes.multicast`);
}

/** For protocols whose links are given: they cannot add or remove links. */
export function refuseLinks({ name, assumes }: Asking): never {
  throw new Error(
    `${name} handles links by address, but its links are given: it assumes a ${assumes.topology} topology`,
  );
}

/** The labels of given links: 0 .. degree-1. */
export function givenPorts(degree: number): Port[] {
  // Protocols ask for them at every message, and Array.from with a function takes ten times as long.
  const ports: Port[] = [];
  for (let port = 0; port < degree; port++) ports.push(port);
  return ports;
}

export const isGiven = (port: Port, degree: number): boolean =>
  port === SELF || (Number.isInteger(port) && port >= 0 && port < degree);
