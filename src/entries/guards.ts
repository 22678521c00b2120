/**
 * Guards: what a resource does so that only the newest leader can write to it. Needs Node; databases and web servers are yours, and
 * are passed in.
 *
 * @module sortition/guards
 */
export { InputError } from "../errors.ts";
export { EtcdClient } from "../live/engines/etcd.ts";
export { type EtcdGuard, type EtcdGuardOptions, type EtcdWork, etcdGuard } from "../live/guards/etcd.ts";
export type { Guarding, Newest } from "../live/guards/fence.ts";
export {
  FENCE_HEADER,
  type Fence,
  FenceRefused,
  fenceOf,
  type HeldLease,
  type Refusal,
  readFence,
} from "../live/guards/fence.ts";
export {
  type ExpressResponse,
  expressGuard,
  type FastifyReply,
  fastifyGuard,
  type HttpGuard,
  type HttpGuardOptions,
  httpGuard,
  type IncomingRequest,
  refusedBy,
} from "../live/guards/http.ts";
export { type GuardKeys, guardKeys, guardKeyText, loadGuardKeys, parseGuardKeys } from "../live/guards/keys.ts";
export {
  type PostgresClient,
  type PostgresGuard,
  type PostgresGuardOptions,
  type PostgresPool,
  type PostgresResult,
  postgresGuard,
} from "../live/guards/postgres.ts";
export {
  type RedisGuard,
  type RedisGuardOptions,
  type RedisScripts,
  type RedisWork,
  redisGuard,
} from "../live/guards/redis.ts";
export { type GuardSql, guardSql, type TableOptions } from "../live/guards/sql.ts";
export { postgresStore, sqliteStore } from "../live/guards/sql-stores.ts";
export { type SqliteDatabase, type SqliteGuard, sqliteGuard } from "../live/guards/sqlite.ts";
export {
  admit,
  type GuardedCell,
  type GuardedValue,
  type GuardStore,
  guardedUpdate,
  type SeatOfGroup,
} from "../live/guards/store.ts";
export { insecureKeyring, type Key, type Keyring, loadKeyring, parseKeyring } from "../live/net/keyring.ts";
