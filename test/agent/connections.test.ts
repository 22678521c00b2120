/** What floods of connections get of the front, turn by turn: who is answered, and how many bytes are read ahead. */
import { once } from "node:events";
import { createServer, type ServerOptions, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Connections } from "../../src/live/agent/http/connections.ts";
import { realWorld } from "../../src/live/real-world.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** A front whose requests are answered by `answer`, in turns that the test gives. */
async function frontOf(limit: number, answer: (outgoing: ServerResponse) => void, options: ServerOptions = {}) {
  const waiting: (() => void)[] = [];
  const world = { ...realWorld, soon: (callback: () => void) => void waiting.push(callback) };
  const server = createServer(options);
  const raws: Socket[] = [];
  server.on("connection", (raw) => raws.push(raw));
  const connections = new Connections(server, limit, world, (_, outgoing) => answer(outgoing));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    for (const raw of raws) raw.destroy();
  });
  return {
    server,
    connections,
    raws,
    /** All that is scheduled now. */
    give: () => {
      for (const callback of waiting.splice(0)) callback();
    },
    /** Resolves when the front has read what a new client says. */
    async open(said: string): Promise<{ readonly socket: Socket; text: string }> {
      const count = raws.length;
      const client = { socket: connect((server.address() as AddressInfo).port, "127.0.0.1"), text: "" };
      client.socket.setEncoding("latin1").on("data", (text) => {
        client.text += text;
      });
      client.socket.on("error", () => {});
      client.socket.write(said);
      while (raws.length === count || (raws[count].bytesRead === 0 && !raws[count].destroyed)) await turn();
      return client;
    },
  };
}

test("if more clients come than there are places, each new one is answered in the turn after it has come", async () => {
  const places = 8;
  const front = await frontOf(places, (outgoing) => void outgoing.end("here"));
  // Before anybody has a turn, all places are taken by clients who wait for theirs.
  for (let i = 0; i < places; i++) await front.open(REQUEST);
  for (let i = 0; i < 3 * places; i++) {
    const client = await front.open(REQUEST);
    front.give();
    while (client.text === "" && !client.socket.closed) await turn();
    expect(client.text).toContain("here");
  }
});

test("as long as there are places, a client that has come is answered before those who come later", async () => {
  const front = await frontOf(64, (outgoing) => void outgoing.end("here"));
  const eldest = await front.open(REQUEST);
  for (let i = 0; i < 10; i++) {
    // Two come for each that is answered.
    for (let j = 0; j < 2; j++) await front.open(REQUEST);
    front.give();
  }
  for (let i = 0; i < 1000 && eldest.text === ""; i++) await turn();
  expect(eldest.text).toContain("here");
});

test("what is read ahead of answers is bounded over all connections, and small requests are not cut off for it", async () => {
  const front = await frontOf(1024, () => {});
  const long = `${REQUEST}GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(120_000)}`;
  let largest = 0;
  const measured = () => {
    let bytes = 0;
    for (const raw of front.raws) if (!raw.destroyed) bytes += raw.bytesRead;
    largest = Math.max(largest, bytes);
  };
  const small = await front.open(REQUEST);
  for (let i = 0; i < 160; i++) {
    await front.open(long);
    front.give();
    for (let j = 0; j < 10; j++) await turn();
    measured();
  }
  const late = await front.open(REQUEST);
  expect(largest).toBeGreaterThan(1e6);
  expect(largest).toBeLessThan(9 * 1024 * 1024);
  expect([small, late].map(({ socket }) => socket.destroyed)).toEqual([false, false]);
});

test("what the clients of event streams send takes no room from requests: who sends more than a piece is cut off", async () => {
  const streams = 64;
  const front = await frontOf(1024, (outgoing) => {
    front.connections.keep(outgoing.socket!);
    outgoing.flushHeaders();
  });
  const long = `${REQUEST}${"x".repeat(60_000)}`;
  const clients = [];
  for (let i = 0; i < streams; i++) {
    clients.push(await front.open(i === 0 ? REQUEST : long));
    for (let j = 0; j < 10; j++) {
      front.give();
      await turn();
    }
  }
  for (let i = 0; i < 1000 && front.raws.slice(1).some(({ destroyed }) => !destroyed); i++) await turn();
  clients[0].socket.write("x".repeat(1000));
  const [quiet] = front.raws;
  for (const { bytesRead } = quiet; quiet.bytesRead === bytesRead; ) await turn();
  expect(front.raws.map(({ destroyed }) => destroyed)).toEqual([false, ...Array(streams - 1).fill(true)]);
});

test("a request whose body has not come in time, behind one that is not answered yet, gets one response", async () => {
  const under: ServerResponse[] = [];
  const front = await frontOf(8, (outgoing) => void under.push(outgoing), { connectionsCheckingInterval: 10 });
  let heard = 0;
  front.server.on("request", () => {
    heard++;
  });
  const head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n";
  let isLate = false;
  front.server.on("clientError", () => {
    isLate = true;
  });
  const client = await front.open(`${head}{}${head}`);
  const untilSo = async (isSo: () => boolean) => {
    while (!isSo()) {
      front.give();
      await turn();
    }
  };
  await untilSo(() => under.length === 1);
  under[0].req.resume();
  await untilSo(() => heard === 2);
  Object.assign(front.server, { headersTimeout: 1, requestTimeout: 1 });
  await untilSo(() => isLate);
  under[0].end("here");
  await untilSo(() => client.socket.closed);
  expect(client.text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 408"]);
});

const BODY = REQUEST.replace("\r\n\r\n", "\r\nContent-Length: 1\r\n\r\nx");

test("behind an event stream whose request has a body nothing is heard, and a client that sends much is cut off", async () => {
  const front = await frontOf(8, (outgoing) => {
    front.connections.keep(outgoing.socket!);
    outgoing.flushHeaders();
  });
  let heard = 0;
  front.server.on("request", () => {
    heard++;
  });
  const client = await front.open(BODY);
  const [raw] = front.raws;
  for (let i = 0; i < 200 && !raw.destroyed; i++) {
    const { bytesRead } = raw;
    client.socket.write(REQUEST);
    while (raw.bytesRead === bytesRead && !raw.destroyed) await turn();
    for (let j = 0; j < 6; j++) {
      front.give();
      await turn();
    }
  }
  expect([heard, raw.destroyed]).toEqual([1, true]);
});

test("an event stream ends as soon as its client does, whatever that one has said besides", async () => {
  const front = await frontOf(8, (outgoing) => {
    front.connections.keep(outgoing.socket!);
    outgoing.flushHeaders();
  });
  const client = await front.open(REQUEST);
  const [raw] = front.raws;
  const goOn = async (isSo: () => boolean) => {
    for (let i = 0; i < 1000 && !isSo(); i++) {
      front.give();
      await turn();
    }
  };
  await goOn(() => client.text !== "");
  for (const said of ["a", "b", "c"]) {
    const { bytesRead } = raw;
    client.socket.write(said);
    await goOn(() => raw.bytesRead > bytesRead);
  }
  client.socket.end();
  await goOn(() => raw.destroyed);
  expect(raw.destroyed).toBe(true);
});

test.each([
  ["its client says no more", "", ["HTTP/1.1 200"]],
  ["what is no HTTP follows", "NO\r\n\r\nNO\r\n\r\n", ["HTTP/1.1 200", "HTTP/1.1 400"]],
])("a request whose body nobody reads is answered, also if %s", async (_, said, statuses) => {
  const under: ServerResponse[] = [];
  const front = await frontOf(8, (outgoing) => void under.push(outgoing));
  const client = await front.open(BODY);
  const [raw] = front.raws;
  client.socket.end(said);
  for (let i = 0; i < 20 || raw.bytesRead < BODY.length + said.length; i++) {
    front.give();
    await turn();
  }
  under[0].end("here");
  while (!client.socket.closed) {
    front.give();
    await turn();
  }
  expect(client.text.match(/HTTP\/1\.1 \d+/g)).toEqual(statuses);
});
