/** Members over TCP: as over UDP, with buffers that fill up, frames that are none, and members that use another transport. */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { join } from "../../src/live/join/join.ts";
import { newKeyText } from "../../src/live/net/keyring.ts";
import { openTcp } from "../../src/live/net/tcp.ts";
import { openUdp } from "../../src/live/net/udp.ts";
import type { Transport } from "../../src/live/world.ts";
import { GroupProcesses } from "../support/group-processes.ts";

const open: Transport[] = [];
afterAll(() => Promise.all(open.map((transport) => transport.close())));

async function transport(make: typeof openTcp) {
  const made = await make({ host: "127.0.0.1", port: 0 });
  open.push(made);
  const heard: string[] = [];
  made.listen((datagram) => heard.push(Buffer.from(datagram).toString()));
  return { made, heard };
}
const failed = () => {};
const bytes = (text: string) => Buffer.from(text);

describe("datagrams over TCP", () => {
  test("arrive whole and in order, however they are cut on their way; what no member sends ends the connection", async () => {
    const [a, b] = [await transport(openTcp), await transport(openTcp)];
    const sent = Array.from({ length: 50 }, (_, number) => `${number} ${"x".repeat(number * 20)}`);
    for (const text of sent) a.made.send(bytes(text), b.made.address, failed);
    await expect.poll(() => b.heard).toEqual(sent);
    const socket = connect(b.made.address.port, "127.0.0.1");
    socket.write(Buffer.from([0]));
    await new Promise((resolve) => setTimeout(resolve, 10));
    socket.write(Buffer.from([2, 104, 105, 255, 255]));
    await once(socket, "close");
    expect(b.heard.at(-1)).toBe("hi");
  });

  test("what does not fit into a connection's buffer is dropped, and told", async () => {
    const deaf = createServer((socket) => socket.pause());
    deaf.listen(0, "127.0.0.1");
    await once(deaf, "listening");
    const { made } = await transport(openTcp);
    const to = { host: "127.0.0.1", port: (deaf.address() as { port: number }).port };
    let dropped = 0;
    for (let number = 0; number < 500; number++) made.send(Buffer.alloc(1400), to, () => dropped++);
    expect(dropped).toBeGreaterThan(100);
    await made.close();
    deaf.close();
  });

  test("reach a member that speaks UDP where nothing takes connections, and come from it", async () => {
    const [tcp, udp] = [await transport(openTcp), await transport(openUdp)];
    udp.made.send(bytes("hello"), tcp.made.address, failed);
    await expect.poll(() => tcp.heard).toEqual(["hello"]);
    tcp.made.send(bytes("one"), udp.made.address, failed);
    tcp.made.send(bytes("two"), udp.made.address, failed);
    await expect.poll(() => udp.heard).toEqual(["one", "two"]);
    tcp.made.send(bytes("three"), udp.made.address, failed);
    await expect.poll(() => udp.heard.at(-1)).toBe("three");
  });
});

test.each([
  ["udp", "tcp"],
  ["tcp", "udp"],
] as const)("a group over %s refuses a member over %s, in words that name both", async (of, other) => {
  const key = newKeyText();
  const start = (name: string, carrier: "udp" | "tcp", seeds: readonly string[]) =>
    join({ name, key, seeds: [...seeds], bind: "127.0.0.1:0", profile: "local", transport: carrier, log: false });
  const a = await start("a", of, []);
  const seed = a.address;
  const b = await start("b", of, [seed]);
  try {
    await expect.poll(() => b.members.length, { timeout: 20_000 }).toBe(2);
    await expect(start("c", other, [seed])).rejects.toMatchObject({
      code: "MISFIT",
      message: expect.stringContaining(`this member has the transport "${other}", but a, b have the transport "${of}"`),
    });
    await expect.poll(() => a.members.length, { timeout: 20_000 }).toBe(2);
  } finally {
    await Promise.all([a.leave(), b.leave()]);
  }
});

describe("a group over TCP", () => {
  const group = new GroupProcesses({ profile: "local", extra: ["--transport", "tcp"] });
  afterAll(() => group.stop());

  test("the leader is killed and another leads; it returns", async () => {
    const first = await group.start(["a", "b", "c"]);
    await group.end(first.leader, "SIGKILL");
    expect((await group.agree({ but: first.leader })).term).toBeGreaterThan(first.term);
    await group.join(first.leader);
    await group.agree();
  });
});
