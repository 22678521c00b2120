/** Every store of rows that leases can be kept in, with a real server of its own: conformance, histories and whole members run over this list. */
import pg from "pg";
import { describe } from "vitest";
import { EtcdRows, etcdAddress } from "../../src/live/engines/etcd.ts";
import { kubernetesAddress, kubernetesRows } from "../../src/live/engines/kubernetes.ts";
import { natsRows } from "../../src/live/engines/nats.ts";
import { PostgresRows } from "../../src/live/engines/postgres.ts";
import { postgresAddress } from "../../src/live/engines/postgres-address.ts";
import { loadRedis, RedisRows, redisAddress } from "../../src/live/engines/redis.ts";
import type { RowStore } from "../../src/live/engines/row-engine.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { kubernetesStub } from "../support/kubernetes-stub.ts";
import { NATS } from "../support/nats-server.ts";
import { ETCD, etcdServer, natsServer, REDIS, redisServer, withServer } from "../support/private-server.ts";
import { withPostgres } from "../support/with-postgres.ts";

export interface StoreServer {
  readonly name: string;
  readonly port: number;
  /** For people; `port`: of a proxy in front of the server. */
  address(port?: number): string;
  open(group: string, port?: number): RowStore;
  kill(): Promise<unknown>;
  start(): Promise<unknown>;
  pause(): void;
  resume(): void;
}

type Tests = (server: StoreServer) => void | Promise<void>;

const PASSWORD = "not a secret";

const STORES: Readonly<Record<string, (what: string, tests: Tests) => Promise<void>>> = {
  PostgreSQL: (what, tests) =>
    withPostgres(`${what} in PostgreSQL`, (server) => {
      const address = (port = server.port) => `postgres://${server.user}@127.0.0.1:${port}/postgres`;
      const open = (group: string, port?: number) =>
        new PostgresRows(
          {
            address: postgresAddress(address(port), { PGPASSWORD: server.password }),
            group,
            requestTimeout: 10_000,
            migrate: true,
            world: realWorld,
          },
          pg as never,
        );
      return tests(bound("PostgreSQL", server, address, open));
    }),
  etcd: (what, tests) =>
    withServer(`${what} in etcd`, ETCD, etcdServer, (server) => {
      const address = (port = server.port) => `etcd://127.0.0.1:${port}`;
      return tests(bound("etcd", server, address, (group, port) => new EtcdRows(etcdAddress(address(port)), group)));
    }),
  Redis: (what, tests) =>
    withServer(
      `${what} in Redis`,
      REDIS,
      () => redisServer(["--appendonly", "yes", "--requirepass", PASSWORD]),
      async (server) => {
        const redis = await loadRedis();
        const address = (port = server.port) => `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
        const open = (group: string, port?: number) => new RedisRows(redisAddress(address(port)), group, redis);
        return tests(bound("Redis", server, address, open));
      },
    ),
  NATS: (what, tests) =>
    withServer(`${what} in NATS`, NATS, natsServer, (server) => {
      const address = (port = server.port) => `nats://127.0.0.1:${port}`;
      return tests(bound("NATS", server, address, (group, port) => natsRows(address(port), { group, migrate: true })));
    }),
  Kubernetes: (what, tests) =>
    kubernetesStub(`${what} in Kubernetes`, (server) => {
      const address = (port = server.port) => `kubernetes:?kubeconfig=${server.kubeconfig(port)}`;
      const open = (group: string, port?: number) =>
        kubernetesRows(kubernetesAddress(address(port), {}), { group, world: realWorld });
      return tests(bound("Kubernetes (a stub of its API)", server, address, open));
    }),
};

function bound(
  name: string,
  server: Pick<StoreServer, "port" | "kill" | "start" | "pause" | "resume">,
  address: StoreServer["address"],
  open: StoreServer["open"],
): StoreServer {
  return {
    name,
    address,
    open,
    port: server.port,
    kill: () => server.kill(),
    start: () => server.start(),
    pause: () => server.pause(),
    resume: () => server.resume(),
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
