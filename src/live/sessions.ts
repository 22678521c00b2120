/**
 * The sessions of other members, as a receiver knows them. A session is one life of a sender's key; it is admitted only
 * once its owner has returned a cookie of ours, which a recording cannot: so a receiver that has restarted, and remembers
 * no counters, still rejects replays. Memory depends on the list of members alone, never on traffic.
 */
import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";
import type { Id } from "../protocol.ts";
import type { Keyring } from "./keyring.ts";
import { ReplayWindow } from "./replay-window.ts";

export const COOKIE_BYTES = 16;

/** The one in use and the one before it, of which datagrams may still be on their way when a key is replaced. */
const KEPT = 2;

export interface Session {
  readonly member: Id;
  readonly keyId: number;
  readonly direction: KeyObject;
  readonly window: ReplayWindow;
  /** A number that the sender drew when it started: another one means that it has restarted. */
  readonly life: number;
}

interface History {
  /** Sessions admitted so far. A cookie holds this number, so each admission makes all earlier cookies worthless. */
  admitted: number;
  /** Newest first. */
  salts: string[];
  /** Of the session admitted last. */
  life: number | null;
}

export class Sessions {
  private readonly secret = randomBytes(32);
  private readonly bySalt = new Map<string, Session>();
  private readonly histories = new Map<Id, History>();

  constructor(members: readonly Id[]) {
    for (const id of members) this.histories.set(id, { admitted: 0, salts: [], life: null });
  }

  get size(): number {
    return this.bySalt.size;
  }

  find(salt: string): Session | undefined {
    return this.bySalt.get(salt);
  }

  isNewest(salt: string, member: Id): boolean {
    return this.histories.get(member)?.salts[0] === salt;
  }

  lifeOf(member: Id): number | null {
    return this.histories.get(member)?.life ?? null;
  }

  /** What the owner of the session must return. Nothing is stored for it. */
  cookie(member: Id, salt: string): Buffer {
    const admitted = this.histories.get(member)?.admitted ?? 0;
    return createHmac("sha256", this.secret).update(`${member} ${salt} ${admitted}`).digest().subarray(0, COOKIE_BYTES);
  }

  /** False where the cookie is not the one to return now. What the session had sent before it returned the cookie is void. */
  admit(salt: string, counter: number, cookie: Uint8Array, session: Omit<Session, "window">): boolean {
    const history = this.histories.get(session.member);
    if (history === undefined || !timingSafeEqual(cookie, this.cookie(session.member, salt))) return false;
    history.admitted++;
    history.life = session.life;
    history.salts.unshift(salt);
    this.bySalt.set(salt, { ...session, window: new ReplayWindow(counter) });
    for (const old of history.salts.splice(KEPT)) this.bySalt.delete(old);
    return true;
  }

  /** Sessions under keys that have left the keyring end. */
  keep(keyring: Keyring): void {
    for (const [salt, { keyId, member }] of this.bySalt) {
      if (keyring.opening.has(keyId)) continue;
      this.bySalt.delete(salt);
      const history = this.histories.get(member)!;
      history.salts = history.salts.filter((kept) => kept !== salt);
    }
  }
}
