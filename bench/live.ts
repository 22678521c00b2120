/**
 * `npm run bench:live`: what elections take between real processes on loopback, against theory and against the round trip
 * of the same sockets; and what sealing a datagram costs.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Counters } from "../src/live/net/counters.ts";
import { markOf, openDatagram, sealDatagram } from "../src/live/net/datagram.ts";
import { Endpoint } from "../src/live/net/endpoint.ts";
import { insecureKeyring } from "../src/live/net/keyring.ts";
import { aesGcm } from "../src/live/net/sealing.ts";
import { openUdp } from "../src/live/net/udp.ts";
import { ProcessGroup } from "../src/live/once/process-group.ts";
import { realWorld } from "../src/live/real-world.ts";
import type { Address } from "../src/live/world.ts";

import { announcement, changRobertsBest } from "../src/theory/rings/rings.ts";
import { encode } from "../src/wire/codec.ts";

const SIZES = [8, 64, 512];
const PROCESSES = 4;
const REPEATS = 5;
const print = (line: string) => process.stdout.write(`${line}\n`);
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

function sealing(bytes: number): { seal: number; open: number; derive: number } {
  const { sealing: key } = insecureKeyring();
  const salt = Buffer.alloc(8, 1);
  const lifeKey = aesGcm.lifeKey(key, "bench", salt);
  const body = {
    address: { host: "127.0.0.1", port: 7001 },
    token: null,
    echo: null,
    messages: Buffer.alloc(bytes, 7),
  };
  const sealed = (counter: number) => sealDatagram(aesGcm, lifeKey, { mark: markOf(key), salt, counter }, body);
  const datagram = sealed(1);
  const time = (count: number, act: (i: number) => unknown) => {
    for (let i = 0; i < count / 10; i++) act(i);
    const before = process.cpuUsage();
    for (let i = 0; i < count; i++) act(i);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  };
  return {
    seal: time(50_000, sealed),
    open: time(50_000, () => openDatagram(aesGcm, lifeKey, 1, datagram)),
    derive: time(5000, (i) => aesGcm.lifeKey(key, `bench ${i}`, salt)),
  };
}

/** Milliseconds there and back between sockets of two processes, bare. */
async function bareRoundTrip(): Promise<number> {
  const echo = fork(fileURLToPath(import.meta.url), ["echo"]);
  const [address] = (await once(echo, "message")) as [Address];
  const socket = await openUdp({ host: "127.0.0.1", port: 0 });
  // An echo needs to know where to answer: its own message names us.
  echo.send(socket.address);
  await once(echo, "message");
  const body = Buffer.alloc(80);
  const time = await pingPong(
    () => socket.send(body, address, () => {}),
    (next) => socket.listen(next),
  );
  echo.disconnect();
  await socket.close();
  return time;
}

async function echo(): Promise<void> {
  const socket = await openUdp({ host: "127.0.0.1", port: 0 });
  process.send!(socket.address);
  const [from] = (await once(process, "message")) as [Address];
  socket.listen((datagram) => socket.send(datagram, from, () => {}));
  process.send!("ready");
  await once(process, "disconnect");
  await socket.close();
}

/** Milliseconds there and back between two members of this process that know each other, sealed. */
async function sealedRoundTrip(): Promise<number> {
  const transports = await Promise.all([1, 2].map(() => openUdp({ host: "127.0.0.1", port: 0 })));
  let heard = () => {};
  const [a, b] = transports.map(
    (transport, i) =>
      new Endpoint({
        group: "bench",
        keyring: insecureKeyring(),
        advertised: transport.address,
        listed: transports.map(({ address }) => address),
        world: realWorld,
        transport,
        counters: new Counters(),
        sealing: aesGcm,
        receive: (from) => (i === 0 ? heard() : b.send(from, [message])),
        refused() {},
      }),
  );
  const message = encode(Buffer.alloc(14).toString("hex"));
  for (const endpoint of [a, b]) endpoint.listen();
  const time = await pingPong(
    () => a.send(transports[1].address, [message]),
    (next) => {
      heard = next;
    },
  );
  await Promise.all([a.close(), b.close()]);
  return time;
}

function pingPong(send: () => void, listen: (next: () => void) => void): Promise<number> {
  const times: number[] = [];
  return new Promise((resolve) => {
    let sent = performance.now();
    listen(() => {
      times.push(performance.now() - sent);
      if (times.length === 2000) resolve(median(times.slice(500)));
      sent = performance.now();
      if (times.length < 2000) send();
    });
    send();
  });
}

async function elections(n: number, roundTrip: number): Promise<void> {
  const group = new ProcessGroup(Math.min(n, PROCESSES));
  try {
    const ids = Array.from({ length: n }, (_, i) => i + 1);
    await group.join(ids);
    const times: number[] = [];
    let messages = 0;
    let datagrams = 0;
    for (let repeat = 0; repeat <= REPEATS; repeat++) {
      const { outcomes, leaders } = await group.elect({
        protocol: "chang-roberts",
        params: {},
        members: group.members,
        name: String(repeat),
        tau: 50,
        gather: 60_000,
        timeout: 120_000,
        linger: 500,
        multicast: "auto",
        stallLimit: 200,
      });
      if (leaders.length !== 1) throw new Error(`n = ${n}: ${leaders.length} leaders`);
      times.push(Math.max(...outcomes.map(({ seconds }) => seconds ?? Infinity)) * 1000);
      messages = outcomes.reduce((sum, outcome) => sum + outcome.messages, 0);
      datagrams = outcomes.reduce((sum, { datagrams: { received: _, ...sent } }) => {
        return sum + Object.values(sent).reduce((a, b) => a + b, 0);
      }, 0);
    }
    const [first, ...later] = times;
    const theory = changRobertsBest(n) + announcement(n);
    const hops = 2 * n - 1;
    const again = median(later);
    print(
      [
        String(n).padStart(6),
        `${first.toFixed(0)} ms`.padStart(12),
        `${again.toFixed(0)} ms`.padStart(12),
        `${((again / hops) * 1000).toFixed(0)} µs`.padStart(12),
        (again / hops / (roundTrip / 2)).toFixed(1).padStart(12),
        String(messages).padStart(10),
        String(theory).padStart(8),
        String(datagrams).padStart(11),
      ].join(""),
    );
  } finally {
    await group.stop();
  }
}

const micro = (ms: number) => `${(ms * 1000).toFixed(0)} µs`;

async function bench(): Promise<void> {
  print(`${availableParallelism()} cores, ${PROCESSES} processes, loopback\n`);
  print(
    "Sealing one datagram (AES-256-GCM), and deriving the key of a life (HKDF-SHA256), microseconds of processor time:",
  );
  for (const bytes of [30, 300, 1300]) {
    const cost = sealing(bytes);
    print(
      `  body of ${String(bytes).padStart(4)} bytes: seal ${cost.seal.toFixed(1)}, open ${cost.open.toFixed(1)}, derive ${cost.derive.toFixed(1)}`,
    );
  }
  const bare = await bareRoundTrip();
  const sealed = await sealedRoundTrip();
  print(`\nRound trip, median: bare between two processes ${micro(bare)}, sealed within one ${micro(sealed)}`);
  print("\nchang-roberts, ids ascending: the longest chain is 2n-1 messages one after another");
  print("     n       first       again     per hop  half trips  messages  theory  datagrams");
  for (const n of SIZES) await elections(n, bare);
  print("\nfirst: in a fresh group. again: median of 5. half trips: time of a hop in halves of the bare round trip.");
}

await (process.argv[2] === "echo" ? echo() : bench());
