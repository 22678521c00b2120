/**
 * Datagrams over TCP, for networks that block UDP: each is a frame of two bytes of length and itself, sealed as over UDP. A member
 * keeps one connection to each member that it sends to. What does not fit into the buffer of a connection is dropped, as UDP would.
 */
import { createSocket } from "node:dgram";
import { connect, createServer, isIPv6, type Socket } from "node:net";
import { InputError } from "../../errors.ts";
import type { Address, Transport } from "../world.ts";
import { addressText, listenReason, SPEAKS_TCP } from "./udp.ts";

/** Bytes that wait in a connection; more is dropped. */
const MOST_WAITING = 256 * 1024;
/** A frame is no longer than a datagram (datagram.ts): a longer one is no member's. */
const LONGEST_FRAME = 2048;
/** Milliseconds. */
const IDLE = 60_000;
const CONNECT = 1000;
const KEEP_ALIVE = 10_000;
const MOST_CONNECTIONS = 4096;
/** Addresses of which it was told that nobody answers: once each. */
const MOST_TOLD = 100;

export async function openTcp({ host, port }: Address): Promise<Transport> {
  let receive: (datagram: Uint8Array, from: Address | null) => void = () => {};
  let note: (why: string) => void = () => {};
  const told = new Set<string>();
  const tell = (about: string, why: string) => {
    if (told.has(about) || told.size >= MOST_TOLD) return;
    told.add(about);
    note(why);
  };
  const sockets = new Set<Socket>();
  const out = new Map<string, Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE);
    socket.setTimeout(IDLE, () => socket.destroy());
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    keep(socket);
    framesOf(socket, (datagram) => receive(datagram, null));
  });
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const words = `cannot listen at ${addressText({ host, port })}: ${listenReason(error)}`;
      reject(new InputError(words, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
  const address = { host, port: (server.address() as { port: number }).port };
  const porch = await porchAt(address, (from) =>
    tell(from, `a process at ${from} speaks UDP, but this group speaks TCP: start all members with one transport`),
  );

  function connectionTo(to: Address): Socket {
    const place = addressText(to);
    const known = out.get(place);
    if (known !== undefined && !known.destroyed) return known;
    const made = connect({ host: to.host, port: to.port });
    keep(made);
    made.setTimeout(CONNECT, () => made.destroy());
    made.once("connect", () => made.setTimeout(IDLE, () => made.destroy()));
    made.once("error", ({ code }: NodeJS.ErrnoException) => {
      if (code === "ECONNREFUSED")
        tell(
          `to ${place}`,
          `nothing at ${place} speaks TCP now: if that group speaks UDP, start all members with one transport`,
        );
    });
    made.once("close", () => out.get(place) === made && out.delete(place));
    // Nothing is said on it: members answer on connections of their own.
    made.resume();
    out.set(place, made);
    return made;
  }

  let isOpen = true;
  return {
    address,
    send(datagram, to, failed) {
      if (!isOpen) return;
      const connection = connectionTo(to);
      if (connection.writableLength > MOST_WAITING) return failed();
      const frame = Buffer.alloc(2 + datagram.length);
      frame.writeUInt16BE(datagram.length);
      frame.set(datagram, 2);
      connection.write(frame);
    },
    listen(next, noted) {
      receive = next;
      note = noted ?? note;
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      porch.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // What was sent leaves first: a member says good-bye before it closes.
      await Promise.all([...out.values()].map(ended));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Every whole frame that arrives. */
function framesOf(socket: Socket, found: (datagram: Uint8Array) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 2) {
      const end = 2 + rest.readUInt16BE();
      if (end > LONGEST_FRAME) return void socket.destroy();
      if (rest.length < end) return;
      found(rest.subarray(2, end));
      rest = rest.subarray(end);
    }
  });
}

/** Until what was written has been taken, or the connection has failed. */
const ended = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed || socket.connecting) return resolve();
    socket.once("close", () => resolve());
    socket.end(() => resolve());
  });

/** Hears members that speak UDP, and tells them. Where the port is taken, nobody is told. */
async function porchAt({ host, port }: Address, heard: (from: string) => void): Promise<{ close(): void }> {
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  let isOpen = true;
  socket.on("message", (_, { address, port: from }) => {
    heard(addressText({ host: address, port: from }));
    if (isOpen) socket.send(SPEAKS_TCP, from, address, () => {});
  });
  await new Promise<void>((resolve) => {
    socket.on("error", () => resolve());
    socket.bind({ port, address: host }, resolve);
  });
  return {
    close() {
      isOpen = false;
      socket.close();
    },
  };
}
