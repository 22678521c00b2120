/**
 * Datagrams over TCP, for networks that block UDP: each is a frame of two bytes of length and itself, sealed as over UDP. A member
 * keeps one connection to each member that it sends to. What does not fit into the buffer of a connection is dropped, as UDP would.
 *
 * A member that speaks UDP is heard on the same port, and is sent datagrams where nothing takes connections. So both learn that they
 * do not fit together, and which of them has to change (elector/fit.ts).
 */
import { createSocket } from "node:dgram";
import { connect, createServer, isIPv6, type Socket } from "node:net";
import { InputError } from "../../errors.ts";
import { realWorld } from "../real-world.ts";
import type { Address, Transport } from "../world.ts";
import { addressText, listenReason } from "./udp.ts";

/** Bytes that wait in a connection; more is dropped. */
const MOST_WAITING = 256 * 1024;
/** A frame is no longer than a datagram (datagram.ts): a longer one is no member's. */
const LONGEST_FRAME = 2048;
/** Milliseconds. */
const IDLE = 60_000;
const CONNECT = 1000;
const KEEP_ALIVE = 10_000;
const MOST_CONNECTIONS = 4096;
/** Milliseconds for which an address that refused a connection is sent datagrams instead. */
const REFUSED_FOR = 5000;
/** Datagrams that are kept until a connection is made, should it be refused. */
const MOST_KEPT = 8;

export async function openTcp({ host, port }: Address): Promise<Transport> {
  let receive: (datagram: Uint8Array, from: Address | null) => void = () => {};
  const sockets = new Set<Socket>();
  const out = new Map<string, Connection>();
  /** Where nothing took connections lately, and until when that counts. */
  const refused = new Map<string, number>();
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
  const beside = await besideTcp(address, (datagram, from) => receive(datagram, from));

  function connectionTo(to: Address): Connection {
    const place = addressText(to);
    const known = out.get(place);
    if (known !== undefined && !known.socket.destroyed) return known;
    const socket = connect({ host: to.host, port: to.port });
    const made: Connection = { socket, kept: [] };
    keep(socket);
    socket.setTimeout(CONNECT, () => socket.destroy());
    socket.once("connect", () => {
      made.kept = null;
      refused.delete(place);
      socket.setTimeout(IDLE, () => socket.destroy());
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => {
      if (code !== "ECONNREFUSED" || !isOpen) return;
      if (refused.size >= MOST_CONNECTIONS) refused.clear();
      refused.set(place, realWorld.now() + REFUSED_FOR);
      for (const datagram of made.kept ?? []) beside.send(datagram, to);
    });
    socket.once("close", () => out.get(place) === made && out.delete(place));
    // Nothing is said on it: members answer on connections of their own.
    socket.resume();
    out.set(place, made);
    return made;
  }

  let isOpen = true;
  return {
    address,
    send(datagram, to, failed) {
      if (!isOpen) return;
      if ((refused.get(addressText(to)) ?? 0) > realWorld.now()) return beside.send(datagram, to);
      const { socket, kept } = connectionTo(to);
      if (socket.writableLength > MOST_WAITING) return failed();
      if (kept !== null && kept.length < MOST_KEPT) kept.push(Uint8Array.from(datagram));
      const frame = Buffer.alloc(2 + datagram.length);
      frame.writeUInt16BE(datagram.length);
      frame.set(datagram, 2);
      socket.write(frame);
    },
    listen(next) {
      receive = next;
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      beside.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // What was sent leaves first: a member says good-bye before it closes.
      await Promise.all([...out.values()].map(({ socket }) => ended(socket)));
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

interface Connection {
  readonly socket: Socket;
  /** What was sent before it was made; null once it is. */
  kept: Uint8Array[] | null;
}

interface BesideTcp {
  send(datagram: Uint8Array, to: Address): void;
  close(): void;
}

/** Datagrams of members that speak UDP, on the same port. Where that port is taken, they are not heard. */
async function besideTcp(
  { host, port }: Address,
  receive: (datagram: Uint8Array, from: Address) => void,
): Promise<BesideTcp> {
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  let isOpen = true;
  socket.on("message", (datagram, { address, port: from }) => receive(datagram, { host: address, port: from }));
  await new Promise<void>((resolve) => {
    socket.on("error", () => resolve());
    socket.bind({ port, address: host }, resolve);
  });
  return {
    send(datagram, to) {
      if (isOpen) socket.send(datagram, to.port, to.host, () => {});
    },
    close() {
      isOpen = false;
      socket.close();
    },
  };
}
