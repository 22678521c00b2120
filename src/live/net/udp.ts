/** Datagrams over the network. */
import { createSocket, type Socket } from "node:dgram";
import { InputError } from "../../errors.ts";
import type { Address, Transport } from "../world.ts";

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process uses it",
  EEXIST: "another process uses it",
  EADDRNOTAVAIL: "this machine has no such address",
  EACCES: "that takes rights that this process has not; ports from 1024 on do not",
};

/** Why a process cannot listen there. */
export const listenReason = (error: NodeJS.ErrnoException): string => REASONS[error.code ?? ""] ?? error.message;

/** A burst from a large group must wait somewhere; the operating system may grant less. */
const RECEIVE_BUFFER = 4 * 1024 * 1024;

/**
 * Port 0 takes a free one. Members at addresses of the other family are spoken to through a second socket, on a free port:
 * where a datagram comes from does not matter, answers go to the address in the list.
 */
export async function openUdp({ host, port }: Address): Promise<Transport> {
  const socket = newSocket(isSix(host));
  await new Promise<void>((resolve, reject) => {
    socket.once("error", (error: NodeJS.ErrnoException) => {
      const words = `cannot listen at ${addressText({ host, port })}: ${listenReason(error)}`;
      reject(new InputError(words, { cause: error }));
    });
    socket.bind({ port, address: host }, resolve);
  });
  socket.removeAllListeners("error");
  // An unconnected socket reports here what belongs to no call of ours; there is nothing to do about it.
  socket.on("error", () => {});
  let other: Socket | null = null;
  const socketFor = (to: Address): Socket => {
    if (isSix(to.host) === isSix(host)) return socket;
    other ??= newSocket(isSix(to.host)).on("error", () => {});
    return other;
  };
  let open = true;
  return {
    address: { host, port: socket.address().port },
    send(datagram, to, failed) {
      if (!open) return;
      socketFor(to).send(datagram, to.port, to.host, (error) => {
        if (error !== null) failed();
      });
    },
    listen(receive) {
      socket.on("message", (datagram, { address, port }) => receive(datagram, { host: address, port }));
    },
    async close() {
      if (!open) return;
      open = false;
      await Promise.all(
        [socket, other].map((each) => each && new Promise<void>((resolve) => each.close(() => resolve()))),
      );
    },
  };
}

const newSocket = (six: boolean): Socket =>
  createSocket({ type: six ? "udp6" : "udp4", recvBufferSize: RECEIVE_BUFFER, lookup: numbersOnly });

/** Addresses are in numbers: they are used at once, so that what was sent has left when the socket closes. */
const numbersOnly = (host: string, _options: unknown, found: (error: null, address: string, family: number) => void) =>
  found(null, host, isSix(host) ? 6 : 4);

/** One text for each address: what links are told apart by. */
export const addressText = ({ host, port, text }: Address): string =>
  text ?? (isSix(host) ? `[${host}]:${port}` : `${host}:${port}`);

/** Of a host that is a name or an address in numbers, for each datagram: of those only IPv6 has colons. */
export const isSix = (host: string): boolean => host.includes(":");

export const isLoopback = ({ host }: Address): boolean => host === "::1" || /^127\./.test(host);
