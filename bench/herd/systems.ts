/** What is compared: how candidates of each kind are started on their store, and when they count as joined. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { goBuild, goFolder } from "../../test/support/go-program.ts";
import { NAMESPACE } from "../../test/support/kubernetes-server.ts";
import { Candidates } from "./candidates.ts";
import { etcdStore, kubernetesStore, type MeasuredStore, postgresStore } from "./stores.ts";

export interface Setting {
  readonly n: number;
  /** Seconds. */
  readonly ttl: number;
  /** How many processes the members of Sortition are in. Candidates in Go are threads of one process. */
  readonly processes: number;
}

export interface System {
  readonly name: string;
  /** What takes time before anything is measured. */
  prepare?(): void;
  open(setting: Setting): Promise<MeasuredStore>;
  /** Until all have joined and one of them leads. */
  join(store: MeasuredStore, setting: Setting): Promise<Candidates>;
}

/** Milliseconds for a thousand to join and agree. */
const PATIENCE = 420_000;
const SOURCES = fileURLToPath(new URL(".", import.meta.url));
const MEMBERS = fileURLToPath(new URL("members.ts", import.meta.url));

const fileOf = (program: string): string => join(goFolder(), `bench-${program}`);

/** Go builds only what has changed. */
function build(program: string): void {
  mkdirSync(goFolder(), { recursive: true });
  const why = goBuild(SOURCES, `./${program}`, fileOf(program));
  if (why !== null) throw new Error(`${program} cannot be built: ${why}`);
}

const go =
  (program: string, more: readonly string[] = []) =>
  async (store: MeasuredStore, { n, ttl }: Setting): Promise<Candidates> => {
    const file = fileOf(program);
    const candidates = new Candidates([[file, store.place, String(n), String(ttl), ...more]]);
    await candidates.hear(({ event }) => event === "joined", 0, PATIENCE, "joining");
    await candidates.hear(({ event }) => event === "leads", 0, PATIENCE, "the first election");
    return candidates;
  };

async function members(store: MeasuredStore, { n, ttl, processes }: Setting): Promise<Candidates> {
  const command = [process.execPath, MEMBERS, store.lease, String(1000 * ttl)];
  const candidates = new Candidates(Array.from({ length: Math.min(n, processes) }, () => command));
  const [first, ...names] = Array.from({ length: n }, (_, index) => `m${String(index).padStart(4, "0")}`);
  const [{ addresses }] = await candidates.ask([`start ${first} `], "joined", PATIENCE);
  const share = (of: number) => names.filter((_, index) => index % candidates.size === of);
  const orders = Array.from({ length: candidates.size }, (_, of) => `start ${share(of)} ${addresses}`);
  await candidates.ask(orders, "joined", PATIENCE);
  await agreement(candidates, n);
  return candidates;
}

/** Until all of them see all of them, and follow one leader. */
async function agreement(candidates: Candidates, n: number): Promise<void> {
  const from = Date.now();
  for (;;) {
    const said = await candidates.ask(Array(candidates.size).fill("look"), "beliefs", PATIENCE);
    const beliefs = [...new Set(said.flatMap(({ beliefs: found }) => Object.keys(found!)))];
    if (beliefs.length === 1 && !beliefs[0].startsWith("null") && beliefs[0].endsWith(` of ${n}`)) return;
    if (Date.now() - from > PATIENCE)
      throw new Error(`${n} members do not agree within ${PATIENCE / 1000} s: ${beliefs.slice(0, 5).join("; ")}`);
    await pass(500);
  }
}

export const SYSTEMS: readonly System[] = [
  {
    name: "client-go",
    prepare: () => build("client-go"),
    open: kubernetesStore,
    join: go("client-go", [NAMESPACE]),
  },
  { name: "Sortition on Kubernetes", open: kubernetesStore, join: members },
  { name: "etcd's recipe", prepare: () => build("etcd-election"), open: etcdStore, join: go("etcd-election") },
  { name: "Sortition on etcd", open: etcdStore, join: members },
  { name: "Sortition on PostgreSQL", open: ({ n }) => postgresStore(n), join: members },
];
