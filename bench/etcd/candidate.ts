/**
 * One process that campaigns by etcd's own recipe (client/v3/concurrency, Election): a key under a lease for each candidate, and
 * the candidate whose key was created first leads. It prints who leads whenever it learns that. Over etcd's JSON gateway.
 *
 *   node bench/etcd/candidate.ts URL NAME TTL_SECONDS
 */
const [url, name, ttl] = process.argv.slice(2);
const PREFIX = "bench/";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const text = (coded: string) => Buffer.from(coded, "base64").toString();
const KEY = base64(PREFIX + name);
const RANGE = { key: base64(PREFIX), range_end: base64("bench0") };

async function ask(path: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/v3/${path}`, { method: "POST", body: JSON.stringify(body) });
  return (await response.json()) as Record<string, unknown>;
}

interface Kv {
  readonly key: string;
  readonly create_revision: string;
}

let leader: string | null = null;

async function look(): Promise<void> {
  const { kvs = [] } = (await ask("kv/range", { ...RANGE, sort_target: "CREATE", sort_order: "ASCEND" })) as {
    kvs?: readonly Kv[];
  };
  const first = kvs.length === 0 ? null : text(kvs[0].key).slice(PREFIX.length);
  if (first === leader) return;
  leader = first;
  process.stdout.write(`${JSON.stringify({ at: Date.now(), leader })}\n`);
}

const { ID } = await ask("lease/grant", { TTL: ttl });
setInterval(() => void ask("lease/keepalive", { ID }), (Number(ttl) * 1000) / 3);
const created = { key: KEY, target: "CREATE", result: "EQUAL", create_revision: "0" };
await ask("kv/txn", {
  compare: [created],
  success: [{ request_put: { key: KEY, value: base64(name), lease: ID } }],
});

const watch = await fetch(`${url}/v3/watch`, { method: "POST", body: JSON.stringify({ create_request: RANGE }) });
await look();
// Each chunk of the stream says that some key was written or has gone.
for await (const _ of watch.body!) await look();
