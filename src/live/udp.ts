/** Datagrams over the network. What carries them is an interface, so that tests and demos can put faults in between. */
import { createSocket } from "node:dgram";
import { isIPv6 } from "node:net";
import { InputError } from "../errors.ts";

/** Where a process listens. */
export interface Address {
  /** A numeric address, IPv4 or IPv6. */
  readonly host: string;
  readonly port: number;
}

/** What carries datagrams. */
export interface Transport {
  readonly address: Address;
  /** `failed` is called where the operating system refuses the datagram. */
  send(datagram: Uint8Array, to: Address, failed: () => void): void;
  listen(receive: (datagram: Uint8Array) => void): void;
  close(): Promise<void>;
}

/** A burst from a large group must wait somewhere; the operating system may grant less. */
const RECEIVE_BUFFER = 4 * 1024 * 1024;

/** Port 0 takes a free one. */
export async function openUdp({ host, port }: Address): Promise<Transport> {
  const socket = createSocket({ type: isIPv6(host) ? "udp6" : "udp4", recvBufferSize: RECEIVE_BUFFER });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "another process uses it" : error.message;
      reject(new InputError(`cannot listen at ${addressText({ host, port })}: ${why}`));
    });
    socket.bind({ port, address: host }, resolve);
  });
  socket.removeAllListeners("error");
  // An unconnected socket reports here what belongs to no call of ours; there is nothing to do about it.
  socket.on("error", () => {});
  let open = true;
  return {
    address: { host, port: socket.address().port },
    send(datagram, to, failed) {
      if (!open) return;
      socket.send(datagram, to.port, to.host, (error) => {
        if (error !== null) failed();
      });
    },
    listen(receive) {
      socket.on("message", receive);
    },
    close() {
      if (!open) return Promise.resolve();
      open = false;
      return new Promise((resolve) => socket.close(() => resolve()));
    },
  };
}

export const addressText = ({ host, port }: Address): string =>
  isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;

export const isLoopback = ({ host }: Address): boolean => host === "::1" || /^127\./.test(host);
