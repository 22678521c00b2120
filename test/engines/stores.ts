/** Every store of rows that leases can be kept in, with a real server of its own: conformance, histories and whole members run over this list. */
import pg from "pg";
import { describe } from "vitest";
import { EtcdClient, EtcdRows, etcdAddress } from "../../src/live/engines/etcd.ts";
import { kubernetesRows } from "../../src/live/engines/kubernetes.ts";
import { kubernetesAddress } from "../../src/live/engines/kubernetes-address.ts";
import { natsRows } from "../../src/live/engines/nats.ts";
import { PostgresRows } from "../../src/live/engines/postgres.ts";
import { postgresAddress } from "../../src/live/engines/postgres-address.ts";
import { loadRedis, RedisRows, redisAddress } from "../../src/live/engines/redis.ts";
import type { RowStore } from "../../src/live/engines/row-engine.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { isLong } from "../support/effort.ts";
import { GO_ETCD, GO_NATS, versionOf } from "../support/go-program.ts";
import { kubernetesVersion, withKubernetes } from "../support/kubernetes-server.ts";
import { kubernetesStub } from "../support/kubernetes-stub.ts";
import { NATS } from "../support/nats-server.ts";
import type { Copy, PostgresServer } from "../support/postgres-server.ts";
import {
  ETCD,
  etcdCluster,
  etcdServer,
  natsServer,
  type PrivateServer,
  REDIS,
  redisServer,
  withServer,
  withServers,
} from "../support/private-server.ts";
import type { Program } from "../support/program.ts";
import { withPostgres } from "../support/with-postgres.ts";

export interface StoreServer extends Held {
  readonly name: string;
  /** For people; `port`: of a proxy in front of the server. */
  address(port?: number): string;
  open(group: string, port?: number): RowStore;
}

/** What can be done to a server. */
interface Held {
  readonly port: number;
  kill(): Promise<unknown>;
  start(): Promise<unknown>;
  pause(): void;
  resume(): void;
  /** Keeps what it has written so far. */
  copy(): Promise<unknown>;
  /** Makes it go back to what it had at the last copy, and run. */
  restore(): Promise<unknown>;
  /** Makes it lose all leases, and run. */
  empty(): Promise<unknown>;
}

type Tests = (server: StoreServer) => void | Promise<void>;
type Store = (what: string, tests: Tests) => Promise<void>;

const PASSWORD = "not a secret";

const postgres: Store = (what, tests) =>
  withPostgres(`${what} in PostgreSQL`, (server) => {
    const login = `${server.user}:${encodeURIComponent(server.password)}`;
    const address = (port = server.port) => `postgres://${login}@127.0.0.1:${port}/postgres`;
    const open = (group: string, port?: number) =>
      new PostgresRows(
        {
          address: postgresAddress(address(port), {}),
          group,
          requestTimeout: 10_000,
          migrate: true,
          world: realWorld,
        },
        pg as never,
      );
    return tests({ ...heldPostgres(server), name: "PostgreSQL", address, open });
  });

const etcd =
  (name: string, program: Program): Store =>
  (what, tests) =>
    withServer(
      `${what} in ${name}`,
      program,
      () => etcdServer([], "http", program),
      (server) => tests(inEtcd(name, heldServer(server), [server])),
    );

/** The leader among them is the one that is killed or paused. */
const etcdTrio: Store = (what, tests) =>
  withServers(
    `${what} in three etcd servers`,
    GO_ETCD,
    () => etcdCluster(3, GO_ETCD),
    (servers) => tests(inEtcd("etcd, three servers", heldTrio(servers), servers)),
  );

const redis: Store = (what, tests) =>
  withServer(
    `${what} in Redis`,
    REDIS,
    () => redisServer(["--appendonly", "yes", "--requirepass", PASSWORD]),
    async (server) => {
      const loaded = await loadRedis();
      const address = (port = server.port) => `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
      const open = (group: string, port?: number) => new RedisRows(redisAddress(address(port)), group, loaded);
      return tests({ ...heldServer(server), name: "Redis", address, open });
    },
  );

const nats =
  (name: string, program: Program): Store =>
  (what, tests) =>
    withServer(
      `${what} in ${name}`,
      program,
      () => natsServer([], program),
      (server) => {
        const address = (port = server.port) => `nats://127.0.0.1:${port}`;
        const open = (group: string, port?: number) => natsRows(address(port), { group, migrate: true });
        return tests({ ...heldServer(server), name, address, open });
      },
    );

const stub: Store = (what, tests) =>
  kubernetesStub(`${what} in Kubernetes`, (server) => tests(inKubernetes("Kubernetes (a stub of its API)", server)));

const kubernetes: Store = (what, tests) =>
  withKubernetes(`${what} in Kubernetes`, (server) =>
    tests(
      inKubernetes(`Kubernetes ${kubernetesVersion()}`, {
        ...heldServer(server),
        kubeconfig: (port) => server.kubeconfig(port),
        empty: () => server.kubectl("delete", "lease", "--all"),
      }),
    ),
  );

/** By name. Those that Go builds take part in `npm run test:long`. */
export const STORES: Readonly<Record<string, Store>> = {
  PostgreSQL: postgres,
  etcd: etcd("etcd", ETCD),
  Redis: redis,
  NATS: nats("NATS", NATS),
  "Kubernetes stub": stub,
  ...(isLong && {
    "present etcd": etcd(`etcd ${versionOf(GO_ETCD)}`, GO_ETCD),
    "three etcd": etcdTrio,
    "present NATS": nats(`NATS ${versionOf(GO_NATS)}`, GO_NATS),
    Kubernetes: kubernetes,
  }),
};

function inEtcd(name: string, held: Held, servers: readonly PrivateServer[]): StoreServer {
  const all = servers.map(({ place }) => place).join();
  const address = (port?: number) => `etcd://${port === undefined ? all : `127.0.0.1:${port}`}`;
  return { ...held, name, address, open: (group, port) => new EtcdRows(etcdAddress(address(port)), group) };
}

function inKubernetes(name: string, server: Held & { kubeconfig(port?: number): string }): StoreServer {
  const address = (port?: number) => `kubernetes:?kubeconfig=${server.kubeconfig(port)}`;
  const open = (group: string, port?: number) =>
    kubernetesRows(kubernetesAddress(address(port), {}), { group, world: realWorld, migrate: true });
  return { ...heldAs(server), name, address, open };
}

const heldAs = (server: Held): Held => ({
  port: server.port,
  kill: () => server.kill(),
  start: () => server.start(),
  pause: () => server.pause(),
  resume: () => server.resume(),
  copy: () => server.copy(),
  restore: () => server.restore(),
  empty: () => server.empty(),
});

/** A server whose data are copied while it is down. */
interface Plain {
  readonly port: number;
  kill(signal?: NodeJS.Signals): Promise<unknown>;
  start(): Promise<unknown>;
  pause(): void;
  resume(): void;
  copy(): void;
  restore(): void;
  forget?(): void;
}

const heldServer = (server: Plain): Held => ({
  port: server.port,
  kill: () => server.kill(),
  start: () => server.start(),
  pause: () => server.pause(),
  resume: () => server.resume(),
  copy: () => whileDown(server, () => server.copy()),
  restore: () => whileDown(server, () => server.restore()),
  empty: () => whileDown(server, () => server.forget?.()),
});

async function whileDown(server: Plain, act: () => void): Promise<void> {
  await server.kill("SIGTERM");
  act();
  await server.start();
}

function heldPostgres(server: PostgresServer): Held {
  let kept: Copy | null = null;
  return {
    port: server.port,
    kill: () => server.kill(),
    start: () => server.start(),
    pause: () => server.pause(),
    resume: () => server.resume(),
    copy: async () => {
      kept = server.copy();
    },
    restore: () => server.restore(kept!),
    empty: () => server.sql("DELETE FROM sortition.sortition_rows"),
  };
}

function heldTrio(servers: readonly PrivateServer[]): Held {
  let victim = servers[0];
  const clients = servers.map(({ place }) => new EtcdClient(`etcd://${place}`));
  const leader = async (): Promise<PrivateServer | null> => {
    for (const [index, client] of clients.entries()) {
      const status = await client.post("/v3/maintenance/status", {}).catch(() => null);
      if (status !== null && status.leader === status.header.member_id) return servers[index];
    }
    return null;
  };
  const isLed = async () => {
    while ((await leader()) === null) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  const each = (act: (server: PrivateServer) => unknown) => Promise.all(servers.map(act));
  const allDown = async (act: (server: PrivateServer) => void) => {
    await each((server) => server.kill("SIGTERM"));
    for (const server of servers) act(server);
    await each((server) => server.start());
    await isLed();
  };
  return {
    port: servers[0].port,
    async kill() {
      victim = (await leader()) ?? victim;
      await victim.kill();
    },
    async start() {
      await victim.start();
      await isLed();
    },
    // All of them: the others would elect another leader, and nobody would notice.
    pause() {
      for (const server of servers) server.pause();
    },
    resume() {
      for (const server of servers) server.resume();
    },
    copy: () => allDown((server) => server.copy()),
    restore: () => allDown((server) => server.restore()),
    empty: () => allDown((server) => server.forget()),
  };
}

/** Defines the same tests for each store, or for those of `names`, to be awaited at the top level of a file. */
export async function forEachStore(
  what: string,
  tests: (server: StoreServer) => void,
  names = Object.keys(STORES),
): Promise<void> {
  for (const name of names)
    await STORES[name](what, (server) => {
      describe(server.name, () => tests(server));
    });
}
