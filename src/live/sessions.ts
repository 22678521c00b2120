/**
 * Sessions with other members: keys for both directions, counters, and what has been seen. One session serves both ways.
 * Memory depends on the list of members alone: at most two sessions each, and none that has been idle for long.
 */
import { createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Id } from "../protocol.ts";
import type { Keyring } from "./keyring.ts";
import type { Member } from "./members.ts";
import { ReplayWindow } from "./replay-window.ts";
import type { Sealing, SessionKeys } from "./sealing.ts";
import type { World } from "./world.ts";

/** Milliseconds without a datagram in either direction after which a session ends. */
export const IDLE = 300_000;

/**
 * A session that the other side has not confirmed is tried so often and so long: the challenge may have come from a life of
 * it that has ended since.
 */
const TRIES = 8;
const TRIAL_TIME = 1000;

export class Session {
  readonly id: number;
  readonly keyId: number;
  readonly salt: Buffer;
  readonly cookie: Buffer;
  /** By this side; the initiator adds the cookie to its payloads until the other side has answered. */
  readonly isOwn: boolean;
  /** The other side's. */
  readonly life: number;
  readonly outward: KeyObject;
  readonly inward: KeyObject;
  readonly window = new ReplayWindow();
  readonly begunAt: number;
  isConfirmed: boolean;
  counter = 0;
  /** Responses after the first one, on the other side's part. */
  repeats = 0;
  heardAt: number;
  usedAt: number;

  constructor(keys: SessionKeys, about: Pick<Session, "keyId" | "salt" | "cookie" | "isOwn" | "life">, now: number) {
    this.id = keys.id;
    this.keyId = about.keyId;
    this.salt = about.salt;
    this.cookie = about.cookie;
    this.isOwn = about.isOwn;
    this.isConfirmed = !about.isOwn;
    this.life = about.life;
    this.outward = about.isOwn ? keys.forth : keys.back;
    this.inward = about.isOwn ? keys.back : keys.forth;
    this.begunAt = now;
    this.heardAt = now;
    this.usedAt = now;
  }

  /** Whether the other side can be expected to know it: it forgets a session later than we stop using it. */
  isUsable(now: number): boolean {
    if (now - this.heardAt > IDLE / 2) return false;
    return this.isConfirmed || this.counter < TRIES || now - this.begunAt < TRIAL_TIME;
  }

  /** Whether a datagram with this count is new; if so, the other side is alive, and knows this session. */
  hear(counter: number, now: number): boolean {
    if (!this.window.accept(counter)) return false;
    this.heardAt = now;
    this.usedAt = now;
    return true;
  }
}

/** Another member, and how it can be spoken to. */
export interface Peer {
  readonly member: Member;
  /** Of the session admitted or begun last; null before the first. */
  life: number | null;
  /** What payloads are sent in; null where there is none yet. */
  current: Session | null;
  /** Datagrams of it may still be on their way. */
  older: Session | null;
  /** Sessions of the member admitted so far. A cookie holds this number, so each admission makes all earlier cookies worthless. */
  admitted: number;
}

export class Sessions {
  private readonly byId = new Map<number, { readonly session: Session; readonly peer: Peer }>();
  private readonly sealing: Sealing;
  private readonly secret: KeyObject;

  constructor(sealing: Sealing, world: World) {
    this.sealing = sealing;
    this.secret = createSecretKey(world.bytes(32));
  }

  get size(): number {
    return this.byId.size;
  }

  find(id: number): { readonly session: Session; readonly peer: Peer } | undefined {
    return this.byId.get(id);
  }

  /** What the owner of the salt must return, and the salt of our side. Nothing is stored for it. */
  cookie({ member, admitted }: Peer, salt: Buffer): Buffer {
    return this.sealing.cookie(this.secret, `${member.id} ${salt.toString("hex")} ${admitted}`);
  }

  /** False where the cookie is not the one to return now. */
  admits(peer: Peer, salt: Buffer, cookie: Buffer): boolean {
    return timingSafeEqual(cookie, this.cookie(peer, salt));
  }

  /**
   * From now on payloads are sent in this session; but where two members have introduced themselves to each other at the
   * same time, both stay with the session of the smaller salt. True where the other side is in a new life.
   */
  adopt(peer: Peer, session: Session): boolean {
    const isNewLife = peer.life !== session.life;
    if (isNewLife) this.endAll(peer);
    peer.life = session.life;
    const { current } = peer;
    const crossed = current?.isOwn && !current.isConfirmed && !session.isOwn && current.keyId === session.keyId;
    this.end(peer.older);
    if (crossed && Buffer.compare(current.salt, session.salt) < 0) peer.older = session;
    else {
      peer.older = current;
      peer.current = session;
    }
    this.byId.set(session.id, { session, peer });
    return isNewLife;
  }

  endAll(peer: Peer): void {
    this.end(peer.current);
    this.end(peer.older);
    peer.current = null;
    peer.older = null;
  }

  /** Sessions under keys that have left the keyring end. */
  keep(peer: Peer, keyring: Keyring): void {
    this.endWhere(peer, ({ keyId }) => !keyring.opening.has(keyId));
  }

  endIdle(peer: Peer, now: number): void {
    this.endWhere(peer, ({ usedAt }) => now - usedAt > IDLE);
  }

  private endWhere(peer: Peer, ends: (session: Session) => boolean): void {
    if (peer.older !== null && ends(peer.older)) {
      this.end(peer.older);
      peer.older = null;
    }
    if (peer.current !== null && ends(peer.current)) {
      this.end(peer.current);
      peer.current = peer.older;
      peer.older = null;
    }
  }

  private end(session: Session | null): void {
    if (session !== null) this.byId.delete(session.id);
  }
}

/** A member that nothing is known of. */
export const stranger = (member: Member): Peer => ({ member, life: null, current: null, older: null, admitted: 0 });

/** Of two members that have nothing to say yet, which one says hello: each to about half of the others. */
export const greetsFirst = (self: Id, other: Id): boolean => (self % 2 === other % 2 ? self < other : self > other);
