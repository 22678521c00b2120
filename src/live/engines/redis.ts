/**
 * Leases in Redis or Valkey 7. The rows of a group are the fields of one hash; one script compares, writes, and tells the server's
 * time and run. Without an append-only file a restart loses everything, and an old primary that nobody told goes on taking writes:
 * then the token protects.
 */
import type { RedisClientType } from "@redis/client";
import { InputError, notInstalled } from "../../errors.ts";
import type { EngineOptions, LeaseEngine, Limit } from "./engine.ts";
import { parametersOf, type Tls, tlsIn } from "./http.ts";
import { type Image, MOST_OTHERS, type RowStore, rowEngine, type WantedJobs } from "./row-engine.ts";
import { type Change, RECORD_ROWS } from "./rows.ts";

interface RedisAddress {
  /** Without the password. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly user: string | null;
  readonly password: string | null;
  readonly database: number;
  /** Null: not encrypted. */
  readonly tls: Tls | null;
}

export function redisAddress(text: string): RedisAddress {
  // The text is not shown: it may contain a password.
  if (!URL.canParse(text)) throw new InputError("the address of Redis must be a URL, such as redis://db.example:6379");
  const { protocol, hostname, port, username, password, pathname, search } = new URL(text);
  const isTls = protocol === "rediss:";
  const given = parametersOf(search, ["ca", "cert", "key"], "Redis");
  if (given.size > 0 && !isTls) throw new InputError("certificates are for rediss://, which is Redis over TLS");
  const database = Number(pathname.slice(1) || 0);
  if (!Number.isSafeInteger(database) || database < 0)
    throw new InputError(`"${pathname.slice(1)}" is no number of a Redis database: write redis://HOST:PORT/0`);
  const host = hostname.replace(/^\[(.*)\]$/, "$1") || "localhost";
  return {
    name: `${protocol}//${hostname || "localhost"}:${port || 6379}/${database}`,
    host,
    port: Number(port || 6379),
    user: username === "" ? null : decodeURIComponent(username),
    password: password === "" ? null : decodeURIComponent(password),
    database,
    tls: isTls ? tlsIn(given) : null,
  };
}

export async function openRedis(address: string, options: EngineOptions): Promise<LeaseEngine> {
  return rowEngine(new RedisRows(redisAddress(address), options.group, await loadRedis()), options);
}

type Redis = typeof import("@redis/client");

export async function loadRedis(): Promise<Redis> {
  try {
    return await import("@redis/client");
  } catch (error) {
    throw notInstalled(error, 'leases in Redis need the package "@redis/client": npm install @redis/client');
  }
}

/**
 * ARGV: the record of a job that is wanted ("": none), how many rows were seen (-1: only read), the name and text of each, then the
 * name and text of each row to write; "" stands for no row. The field "#" counts commits: where it is lower than before, the hash is
 * an older one. Records of jobs have a hash of their own; of the others any few are read.
 */
const SCRIPT = `
local now = redis.call('TIME')
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local aof = string.match(redis.call('INFO', 'persistence'), 'aof_enabled:(%d)')
local count = tonumber(ARGV[2])
local same = count >= 0
local function hash(row) return string.sub(row, 1, ${RECORD_ROWS[0].length}) == '${RECORD_ROWS[0]}' and KEYS[2] or KEYS[1] end
for i = 3, 2 * count + 1, 2 do
  if (redis.call('HGET', hash(ARGV[i]), ARGV[i]) or '') ~= ARGV[i + 1] then same = false break end
end
if not same then
  local all = redis.call('HGETALL', KEYS[1])
  if ARGV[1] == '' then return {0, now[1], now[2], run, aof, all, {}} end
  local others = redis.call('HRANDFIELD', KEYS[2], ${MOST_OTHERS}, 'WITHVALUES')
  local wanted = redis.call('HGET', KEYS[2], ARGV[1])
  if wanted then others[#others + 1] = ARGV[1] others[#others + 1] = wanted end
  return {0, now[1], now[2], run, aof, all, others}
end
for i = 2 * count + 3, #ARGV, 2 do
  if ARGV[i + 1] == '' then redis.call('HDEL', hash(ARGV[i]), ARGV[i])
  else redis.call('HSET', hash(ARGV[i]), ARGV[i], ARGV[i + 1]) end
end
return {redis.call('HINCRBY', KEYS[1], '#', 1)}`;

type Reply = [
  passed: number,
  seconds: string,
  micros: string,
  run: string,
  aof: string | null,
  all: string[],
  records: string[],
];

export class RedisRows implements RowStore {
  readonly name: string;
  private readonly address: RedisAddress;
  private readonly key: string;
  private readonly redis: Redis;
  private client: Promise<RedisClientType> | null = null;
  private waiting = 0;

  constructor(address: RedisAddress, group: string, redis: Redis) {
    this.name = address.name;
    this.address = address;
    this.key = `sortition:{${group}}`;
    this.redis = redis;
  }

  async read(limit: Limit, jobs?: WantedJobs): Promise<Image> {
    return imageOf(await this.run([jobs?.row ?? "", "-1"], limit));
  }

  async commit({ seen, puts }: Change, limit: Limit, jobs?: WantedJobs): ReturnType<RowStore["commit"]> {
    const pairs = (rows: ReadonlyMap<string, string | null>) => [...rows].flatMap(([key, text]) => [key, text ?? ""]);
    const reply = await this.run([jobs?.row ?? "", String(seen.size), ...pairs(seen), ...pairs(puts)], limit);
    if (reply[0] > 0) return { image: null, revision: reply[0] };
    const image = imageOf(reply);
    return { image, revision: image.revision };
  }

  async close(): Promise<void> {
    this.drop(this.client);
  }

  private async run(args: string[], limit: Limit): Promise<Reply> {
    this.client ??= this.connected(limit);
    const { client } = this;
    // A connection that does not answer in time may be dead: the next request makes a new one.
    const late = () => this.drop(client);
    limit.signal.addEventListener("abort", late, { once: true });
    try {
      const connection = await client;
      if (this.waiting++ === 0) connection.ref();
      try {
        return (await connection.eval(SCRIPT, {
          keys: [this.key, `${this.key}:jobs`],
          arguments: args,
        })) as unknown as Reply;
      } finally {
        // An open engine keeps no process alive.
        if (--this.waiting === 0) connection.unref();
      }
    } catch (error) {
      if (!(error instanceof this.redis.ErrorReply)) this.drop(client);
      throw inWords(error as Error, this.address);
    } finally {
      limit.signal.removeEventListener("abort", late);
    }
  }

  private async connected(limit: Limit): Promise<RedisClientType> {
    const { host, port, user, password, database, tls } = this.address;
    const client = this.redis.createClient({
      database,
      ...(user !== null && { username: user }),
      ...(password !== null && { password }),
      name: "sortition",
      disableOfflineQueue: true,
      socket: {
        host,
        port,
        connectTimeout: Math.ceil(limit.left()),
        reconnectStrategy: false,
        ...(tls !== null && { tls: true as const, ...defined(tls) }),
      },
    }) as unknown as RedisClientType;
    // What breaks between requests is found by the next one.
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  private drop(client: Promise<RedisClientType> | null): void {
    if (this.client === client) this.client = null;
    void client?.then((made) => made.isOpen && made.destroy()).catch(() => {});
  }
}

const defined = (tls: Tls): object => Object.fromEntries(Object.entries(tls).filter(([, text]) => text !== undefined));

function imageOf([, seconds, micros, run, aof, all, records]: Reply): Image {
  const fields = new Map<string, string>();
  const pairs = [...all, ...records];
  for (let at = 0; at < pairs.length; at += 2) fields.set(pairs[at], pairs[at + 1]);
  const revision = Number(fields.get("#") ?? 0);
  fields.delete("#");
  const now = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  return { texts: fields, incarnation: run, revision, now, forgets: aof !== "1" };
}

function inWords(error: Error, { host, port, user }: RedisAddress): Error {
  const { message } = error;
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code === "ECONNREFUSED" || /ECONNREFUSED/.test(message))
    return new Error(`nothing listens at ${host}:${port}: start the server, or fix the address`);
  if (/^WRONGPASS|invalid username-password/.test(message))
    return new Error(`Redis does not accept the password of ${user === null ? "the default user" : `user "${user}"`}`);
  if (/^NOAUTH/.test(message)) return new Error("Redis asks for a password: put an address with one into a lease file");
  if (/^NOPERM/.test(message))
    return new Error(
      `Redis lacks a right for this user (${message}); it needs +eval +info +time and the keys sortition:*`,
    );
  if (/^READONLY/.test(message)) return new Error("this Redis is a replica: give the address of the primary");
  return new Error(message === "" ? `${host}:${port} closed the connection` : `Redis: ${message}`);
}
