/** Histories of several clients on a real store of rows, by a clock that the test turns; requests and answers may be late or lost. */
import { RowEngine, type RowStore } from "../../src/live/engines/row-engine.ts";
import { Watched } from "../../src/live/engines/watched.ts";
import { machineNow, realWorld } from "../../src/live/real-world.ts";
import type { LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { HostStream } from "../../src/random/streams.ts";
import { Caller } from "./linear-caller.ts";
import type { Step } from "./linear-checker.ts";
import { FaultyProxy, HONEST, type Manners } from "./linear-proxy.ts";
import { converse } from "./linear-recorder.ts";
import type { Omits } from "./memory-rows.ts";
import type { StoreServer } from "./stores.ts";

export const BEGIN = 1_000_000;

export interface Plan {
  readonly seed: number;
  readonly members: number;
  readonly requests: number;
  readonly manners?: Manners;
  /** Whether the server is killed in the middle, and started again. */
  readonly kills?: boolean;
  /** Rows that the store does not compare. */
  readonly omits?: Omits;
}

let groups = 0;

export async function rowsHistory(server: StoreServer, plan: Plan): Promise<Step[]> {
  const { seed, members, requests, kills = false, omits = () => false } = plan;
  const proxy = await FaultyProxy.to(server.port, new HostStream(seed, 0, "losses"));
  const group = `linear ${process.pid} ${++groups}`;
  const draws = new HostStream(seed, 0, "crashes");
  let [asked, now] = [0, BEGIN];
  /** The clock goes on with the requests, however quick the machine is. */
  const turn = () => {
    if (++asked % 3 === 0) now += 10 * (1 + draws.choose(6));
  };
  const stores: RowStore[] = [];
  const callers = Array.from({ length: members }, (_, index) => {
    // A proxy takes connections also where the server is down: a client that reached nobody would not know it.
    const store = server.open(group, kills ? undefined : proxy.port);
    stores.push(store);
    let reading = now;
    const read = async (image: Awaited<ReturnType<RowStore["read"]>>) => {
      reading = now;
      // The longer a client waits between its read and its commit, the more happens meanwhile.
      await pause(draws.uniform() * 6);
      return { ...image, now: reading, incarnation: "0" };
    };
    const engine = new RowEngine(
      {
        name: store.name,
        read: async (limit, jobs) => read(await store.read(limit, jobs)),
        async commit({ seen, puts }, limit, jobs) {
          const kept = new Map([...seen].filter(([key, text]) => text === null || !omits(key)));
          const { image, revision } = await store.commit({ seen: kept, puts }, limit, jobs);
          return { image: image && (await read(image)), revision };
        },
        close: async () => {},
      },
      new Watched({ name: "the test's", now: () => now, stamp: () => now }),
      { world: realWorld, requestTimeout: plan.manners === undefined ? 5000 : 500 },
    );
    const ask = (request: LeaseRequest) => {
      turn();
      return engine.ask(request).catch(async (error: Error) => {
        // While the server is down it is asked less often. A request that reached nobody has not happened.
        await pause(10);
        return /nothing listens|nobody listens|is starting/.test(error.message) ? undefined : null;
      });
    };
    return converse(new Caller(index + 1, seed), requests, ask, () => reading);
  });
  proxy.manners = plan.manners ?? HONEST;
  let [down, up] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  try {
    if (kills) {
      // In the middle of what is asked, however quick the machine is.
      while (asked < (members * requests) / 4) await pause(1);
      down = machineNow();
      await server.kill();
      await server.start();
      up = machineNow();
    }
    const steps = (await Promise.all(callers)).flat();
    // What a server had begun when it was killed has happened before it was up again, or never. A client of NATS may send it again.
    const isEnded = ({ answer, from }: Step) => answer === null && from < down && !server.name.startsWith("NATS");
    return steps.map((step) => (isEnded(step) ? { ...step, to: Math.min(step.to, up) } : step));
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await proxy.close();
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
