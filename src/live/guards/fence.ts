/**
 * A fence: what a leader shows to a resource, and what the resource can verify without asking anybody. In text
 *
 *     s1~TOKEN~GROUP~SEAT~LEASE~MAC
 *
 * with the MAC over all before it (HMAC-SHA256, 16 bytes, base64url). Without it anybody could show a token of 2^62, and no leader
 * would be newer ever again. A fence is a secret while its lease lasts: who copies it can write as the leader.
 */
import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { InputError } from "../../errors.ts";
import { type GuardKeys, isName, joinParts, readName, splitParts, writeName } from "./keys.ts";

/** What a fence says: who leads what, by which lease. */
export interface Fence {
  readonly group: string;
  /** The office, or one seat of it: "leader", "shards#2". */
  readonly seat: string;
  /** Larger for each new lease of the seat. */
  readonly token: bigint;
  /** Tells this lease from every other one, should two have the same token. */
  readonly lease: string;
}

/** The header that carries a fence to resources behind HTTP. */
export const FENCE_HEADER = "sortition-fence";

const VERSION = "s1";
const MAC_BYTES = 16;
const LONGEST_TEXT = 1024;
/** What databases keep as an integer. */
const HIGHEST = 2n ** 63n - 1n;

const macOf = (key: KeyObject, body: string): Buffer =>
  createHmac("sha256", key).update(body).digest().subarray(0, MAC_BYTES);

/** A lease as its holder knows it: what `lead()` tells the work has these fields. */
export interface HeldLease {
  readonly seat: string;
  /** Null without an engine: then there is no fence. */
  readonly token: bigint | number | null;
  readonly lease: string | null;
}

/** The fence of a lease as text, signed: for a header, a column or an environment. */
export function fenceOf({ group, sealing }: GuardKeys, { seat, token, lease }: HeldLease): string {
  if (token === null || lease === null)
    throw new InputError(`"${seat}" is led without a lease, so nothing can be fenced: run the group with --lease`);
  const number = BigInt(token);
  if (!isName(seat) || !isName(lease) || number < 1n || number > HIGHEST)
    throw new InputError(`no fence has seat "${seat}", token ${token} and lease "${lease}"`);
  const body = joinParts([VERSION, String(number), writeName(group), writeName(seat), writeName(lease)]);
  return joinParts([body, macOf(sealing, body).toString("base64url")]);
}

/** Verifies a fence that somebody shows as leader of this seat; throws `FenceRefused`. */
export function readFence({ group, opening }: GuardKeys, seat: string, text: string | null | undefined): Fence {
  if (text === null || text === undefined || text === "")
    throw new FenceRefused("missing", `only the leader "${seat}" of the group "${group}" may do this: send its fence`);
  const fence = parse(text);
  const end = text.lastIndexOf("~");
  const mac = Buffer.from(text.slice(end + 1), "base64url");
  const body = text.slice(0, end);
  // All keys are tried, whichever fits: how long it takes says nothing.
  const fits = opening.map((key) => timingSafeEqual(macOf(key, body), mac));
  if (!fits.includes(true) || fence.group !== group)
    throw new FenceRefused("forged", `no key of the guards of the group "${group}" has signed this fence`);
  if (fence.seat !== seat) throw new FenceRefused("foreign", `this fence is one of "${fence.seat}", not of "${seat}"`);
  return fence;
}

function parse(text: string): Fence {
  const bad = (why: string) => new FenceRefused("malformed", `this is no fence: ${why}`);
  if (text.length > LONGEST_TEXT) throw bad(`it has more than ${LONGEST_TEXT} characters`);
  const [version, digits, ...words] = splitParts(text);
  if (!/^s\d{1,3}$/.test(version)) throw bad(`it does not begin with "${VERSION}"`);
  if (version !== VERSION) throw bad(`it has version ${version}, and this guard knows ${VERSION}`);
  if (words.length !== 4) throw bad("it does not have six parts");
  const token = /^[1-9]\d{0,18}$/.test(digits) ? BigInt(digits) : 0n;
  if (token === 0n || token > HIGHEST) throw bad("its token is no number from 1 to 2^63 - 1");
  const [group, seat, lease] = words.slice(0, 3).map(readName);
  if (group === null || seat === null || lease === null) throw bad("its names are not written as they should be");
  const mac = Buffer.from(words[3], "base64url");
  if (mac.length !== MAC_BYTES || mac.toString("base64url") !== words[3]) throw bad("its MAC is not one of 16 bytes");
  return { group, seat, token, lease };
}

// Why a guard did not let somebody write.

/**
 * `missing`: no fence came along. `malformed`: it is none. `forged`: none of the guard's keys has signed it. `foreign`: it was given
 * to another seat. `old`: a newer leader has been here. `rival`: another lease with the same token has been here, which takes an
 * engine that was restored from an old copy.
 */
export type Refusal = "missing" | "malformed" | "forged" | "foreign" | "old" | "rival";

/** What a guard throws instead of letting somebody write; nothing was written, and nothing remembered. */
export class FenceRefused extends Error {
  override readonly name = "FenceRefused";
  readonly code: Refusal;
  /**
   * The newest token that the guard has seen; null where it did not come to that. A leader who is refused as `old` or `rival` takes
   * it as a floor, gives its lease back and asks again: the engine then grants a larger one.
   */
  readonly newest: bigint | null;

  constructor(code: Refusal, message: string, newest: bigint | null = null) {
    super(message);
    this.code = code;
    this.newest = newest;
  }
}

// The rule of every guard: a fence that its key has not signed counts as none; an older token than the newest is refused, and so is
// the newest one with another lease; what was accepted is remembered with the resource, and locked or compared until the write has
// been committed. guards/sql.ts says the same in SQL; tests hold the two together.

/** The writer that a guard admits: the holder of one seat. */
export interface Guarding {
  /** A function where keys are replaced while the guard runs. */
  readonly keys: GuardKeys | (() => GuardKeys);
  /** The office, or one seat of it: "leader", "shards#2". */
  readonly seat: string;
}

/** The newest lease that a guard has let in. */
export interface Newest {
  readonly token: bigint;
  readonly lease: string;
}

/** Who shows this fence; throws `FenceRefused`. */
export const verifyFence = ({ keys, seat }: Guarding, text: string | null | undefined): Fence =>
  readFence(typeof keys === "function" ? keys() : keys, seat, text);

/** Throws `FenceRefused`; true where the guard has to remember this fence before anything is written. */
export function isNews(newest: Newest | null, fence: Fence): boolean {
  if (newest === null || newest.token < fence.token) return true;
  if (newest.token === fence.token && newest.lease === fence.lease) return false;
  throw fenceRefusal(newest, fence);
}

/** Why a fence is refused that is not the newest. */
export function fenceRefusal(newest: Newest, { token, seat }: Fence): FenceRefused {
  return newest.token === token
    ? new FenceRefused("rival", `another lease of "${seat}" with token ${token} has been here`, newest.token)
    : new FenceRefused(
        "old",
        `"${seat}" with token ${newest.token} has been here, and ${token} is older`,
        newest.token,
      );
}
