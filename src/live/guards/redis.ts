/** A guard inside Redis or Valkey: for what is written there by a script. The check and the write are one script, which nothing interrupts. */
import { type Fence, fenceRefusal, type Guarding, verifyFence } from "./fence.ts";

/** What a guard needs of a client: `createClient` of `@redis/client` and `redis` has it. */
export interface RedisScripts {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** What the work is given, as `KEYS` and `ARGV` of its script. */
export interface RedisWork {
  readonly keys?: readonly string[];
  readonly arguments?: readonly string[];
}

/** Lets only the newest leader write to a Redis database. */
export interface RedisGuard {
  /**
   * Runs the Lua script `work` if the fence is the newest leader's, and gives its result back; throws `FenceRefused`. Redis does not
   * undo what a script wrote before it failed.
   */
  guarded(client: RedisScripts, fence: string | null | undefined, work: string, given?: RedisWork): Promise<unknown>;
}

/** Settings of a guard in Redis. */
export interface RedisGuardOptions extends Guarding {
  /** What the keys of guards begin with; `sortition:guard:` by default. With Redis Cluster it must have the hash tag of the keys that are written. */
  readonly prefix?: string;
}

/** Tokens are compared as text, the longer one first: numbers of Lua are exact up to 2^53 alone. */
const ADMIT = `
local kept = redis.call('HMGET', KEYS[1], 'token', 'lease')
local token, lease = ARGV[1], ARGV[2]
if kept[1] and (#kept[1] > #token or (#kept[1] == #token and kept[1] > token) or (kept[1] == token and kept[2] ~= lease)) then
  return {0, kept[1], kept[2]}
end
redis.call('HSET', KEYS[1], 'token', token, 'lease', lease)
local function rest(list, from)
  local found = {}
  for i = from, #list do found[i - from + 1] = list[i] end
  return found
end
local work = function(KEYS, ARGV)`;

/** A guard whose key lies in the Redis that it guards. */
export function redisGuard(options: RedisGuardOptions): RedisGuard {
  const { prefix = "sortition:guard:" } = options;
  return {
    async guarded(client, text, work, given = {}) {
      const fence: Fence = verifyFence(options, text);
      const { group, seat, token, lease } = fence;
      const [admitted, result, newest] = (await client.eval(
        `${ADMIT}\n${work}\nend\nreturn {1, work(rest(KEYS, 2), rest(ARGV, 3))}`,
        {
          keys: [`${prefix}${encodeURIComponent(group)}:${encodeURIComponent(seat)}`, ...(given.keys ?? [])],
          arguments: [String(token), lease, ...(given.arguments ?? [])],
        },
      )) as [number, unknown, string];
      if (admitted !== 1) throw fenceRefusal({ token: BigInt(result as string), lease: newest }, fence);
      return result ?? null;
    },
  };
}
