/**
 * Members of a Sortition group in strict mode, many in one process. Arguments: address of the lease store, TTL in milliseconds.
 * Orders on standard input: `start NAME,NAME SEED,SEED`, `look`, `crash NAME`.
 */
import { createInterface } from "node:readline";
import { openEngine } from "../../src/live/engines/open.ts";
import { onThisMachine, type RunningMember, startMember } from "../../src/live/group/member.ts";
import { keyringOf } from "../../src/live/net/keyring.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { leaseTimes } from "../../src/protocols/lease/params.ts";
import { readAll } from "../../src/setting.ts";
import { MEMBER } from "../../src/settings/member.ts";
import type { News } from "./candidates.ts";

const [lease, ttlText] = process.argv.slice(2);
const ttl = Number(ttlText);
const keyring = keyringOf([new Uint8Array(32).fill(1)]);
const running = new Map<string, RunningMember>();
/** Members that send and hear nothing any more, as if their processes had been killed. */
const crashed = new Set<string>();

const tell = (news: Omit<News, "at">) => process.stdout.write(`${JSON.stringify({ ...news, at: Date.now() })}\n`);

async function start(names: readonly string[], seeds: readonly string[]): Promise<void> {
  for (const name of names) {
    const { requestTimeout } = leaseTimes(ttl);
    const engine = await openEngine(lease, { group: "herd", requestTimeout, migrate: true, world: realWorld });
    const ask = engine.ask.bind(engine);
    engine.ask = (request) => (crashed.has(name) ? new Promise<never>(() => {}) : ask(request));
    const options = {
      ...readAll(MEMBER, { group: "herd", seeds, leaseTtl: ttl, stallMs: 0 }),
      name,
      keyring,
      engine,
      onEvent: ({ event }: { readonly event: string }) => {
        if (event === "leads" && !crashed.has(name)) tell({ event: "leads", name });
      },
    };
    const member = await onThisMachine(options, ({ transport, ...means }) =>
      startMember(options, {
        ...means,
        transport: {
          address: transport.address,
          send: (datagram, to, failed) => crashed.has(name) || transport.send(datagram, to, failed),
          listen: (receive) => transport.listen((datagram, from) => crashed.has(name) || receive(datagram, from)),
          close: () => transport.close(),
        },
      }),
    );
    running.set(name, member);
  }
  tell({ event: "joined", addresses: [...running.values()].slice(0, 3).map(({ address }) => address) });
}

function look(): void {
  const beliefs: Record<string, number> = {};
  for (const [name, member] of running) {
    if (crashed.has(name)) continue;
    const { offices, members } = member.report();
    const belief = `${offices.leader.leader} of ${members}`;
    beliefs[belief] = (beliefs[belief] ?? 0) + 1;
  }
  tell({ event: "beliefs", beliefs });
}

const list = (text = ""): string[] => text.split(",").filter((each) => each !== "");

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [order, first, second] = line.split(" ");
    if (order === "look") look();
    else if (order === "crash") crashed.add(first);
    else
      start(list(first), list(second)).catch((error: Error) => {
        process.stderr.write(`${error.message}\n`);
        process.exit(1);
      });
  })
  .on("close", () => process.exit());
