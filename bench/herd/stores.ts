/** The stores of the herd benchmark: private servers that say how many requests they have answered and what processor time they took. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { GO_ETCD, versionOf } from "../../test/support/go-program.ts";
import { KubernetesServer, kubernetesVersion } from "../../test/support/kubernetes-server.ts";
import { PostgresServer } from "../../test/support/postgres-server.ts";
import { etcdServer } from "../../test/support/private-server.ts";

export interface MeasuredStore {
  /** With its version. */
  readonly name: string;
  /** For `join()`: as `--lease` has it. */
  readonly lease: string;
  /** For programs in Go: where the store is. */
  readonly place: string;
  /** Requests that it has answered since its start, by kind. */
  requests(): Promise<Readonly<Record<string, number>>>;
  /** Milliseconds of processor time that its processes have taken. */
  cpu(): number;
  close(): Promise<void>;
}

export async function etcdStore(): Promise<MeasuredStore> {
  const server = await etcdServer([], "http", GO_ETCD);
  return {
    name: `etcd ${versionOf(GO_ETCD)}`,
    lease: `etcd://${server.place}`,
    place: server.place,
    // Each message of a stream counts: a renewal of a lease is one.
    requests: async () =>
      counted(
        await (await fetch(`http://${server.place}/metrics`)).text(),
        "grpc_server_msg_received_total",
        "grpc_method",
      ),
    cpu: () => cpuOf(server.pid),
    close: () => server.close(),
  };
}

/** Its processor time is that of the API server and of the etcd behind it. */
export async function kubernetesStore(): Promise<MeasuredStore> {
  const server = await KubernetesServer.create();
  const leases = /resource="leases"/;
  return {
    name: `Kubernetes ${kubernetesVersion()}`,
    lease: `kubernetes:?kubeconfig=${server.kubeconfig()}`,
    place: server.kubeconfig(),
    requests: async () => counted((await server.get("/metrics")).text, "apiserver_request_total", "verb", leases),
    cpu: () => cpuOf(server.api.pid) + cpuOf(server.etcd.pid),
    close: () => server.close(),
  };
}

export async function postgresStore(n: number): Promise<MeasuredStore> {
  // Each member looks at the store once when it starts, and gives its connection back after ten seconds.
  const server = await PostgresServer.create([`max_connections=${n + 100}`, "log_statement=all"]);
  const [{ server_version }] = await server.sql("SHOW server_version");
  return {
    name: `PostgreSQL ${server_version}`,
    lease: `postgres://${server.user}:${encodeURIComponent(server.password)}@127.0.0.1:${server.port}/postgres`,
    place: "",
    // Its own counters of transactions are up to ten seconds late.
    requests: async () => ({ messages: server.log.match(/LOG: {2}(statement|execute)/g)?.length ?? 0 }),
    cpu: () => {
      const [first, ...others] = server.pids;
      return cpuOf(first, true) + others.reduce((sum, pid) => sum + cpuOf(pid), 0);
    },
    close: () => server.remove(),
  };
}

/** The sum of a counter in Prometheus' format, by one of its labels. */
function counted(text: string, metric: string, label: string, of = /./): Record<string, number> {
  const found: Record<string, number> = {};
  for (const line of text.split("\n")) {
    if (!line.startsWith(`${metric}{`) || !of.test(line)) continue;
    const kind = new RegExp(`${label}="([^"]*)"`).exec(line)?.[1] ?? "";
    found[kind] = (found[kind] ?? 0) + Number(line.slice(line.lastIndexOf(" ")));
  }
  return found;
}

let tick = 0;

/** Milliseconds of a process, from /proc; with those of its children that have ended, if it is `withEnded`. */
export function cpuOf(pid: number, withEnded = false): number {
  tick ||= 1000 / Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program may have spaces in it.
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [user, system, ended, endedSystem] = fields.slice(11, 15);
    return tick * (user + system + (withEnded ? ended + endedSystem : 0));
  } catch {
    return 0;
  }
}
