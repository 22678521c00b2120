/**
 * A member's place on the network: payloads to and from other members, each sealed, each acted on at most once.
 *
 * Two members share a session before the first payload (introduction.ts). Nothing is kept of a hello, so replayed ones are
 * harmless; whatever answers one goes to the address in the list of members, never to where a datagram came from: an
 * unkeyed sender is answered nothing at all. Until the initiator of a session has heard the other side in it, its payloads
 * carry the cookie, so that none is lost with a lost response.
 */
import type { Id } from "../protocol.ts";
import { readOrNull } from "../wire/bytes.ts";
import type { Counters, DatagramKind, DropReason } from "./counters.ts";
import { openIntroduction, openPayload, readHead, sealIntroduction, sealPayload } from "./datagrams.ts";
import { type Greeting, Greetings } from "./greetings.ts";
import { LIFE_BYTES, readStep, SALT_BYTES, type Step, writeStep } from "./introduction.ts";
import type { Key, Keyring } from "./keyring.ts";
import type { Member } from "./members.ts";
import { aesGcm, type Sealing } from "./sealing.ts";
import { greetsFirst, IDLE, type Peer, Session, Sessions, stranger } from "./sessions.ts";
import { type Cancel, every, type Transport, type World } from "./world.ts";

/** Payloads that wait for an introduction; more are dropped and counted. */
const LONGEST_QUEUE = 256;
const NOTHING = Buffer.alloc(0);

export interface EndpointOptions {
  readonly self: Id;
  readonly members: readonly Member[];
  readonly keyring: Keyring;
  readonly world: World;
  readonly transport: Transport;
  readonly counters: Counters;
  readonly sealing?: Sealing;
}

/** Who gets the payloads. `life` changes when the sender has restarted. */
export interface Receiver {
  payload(from: Id, life: number, payload: Uint8Array): void;
  /** There is a session with the member for the first time, or for the first time in its new life. */
  met(member: Id, life: number): void;
}

interface Neighbour extends Peer {
  waiting: { readonly payload: Uint8Array; readonly kind: DatagramKind }[];
}

export class Endpoint {
  readonly self: Id;
  readonly counters: Counters;
  /** Tells this start of the process from its earlier ones. */
  readonly life: number;
  receiver: Receiver | null = null;
  private readonly world: World;
  private readonly transport: Transport;
  private readonly sealing: Sealing;
  private readonly sessions: Sessions;
  private readonly greetings: Greetings;
  private readonly peers: ReadonlyMap<Id, Neighbour>;
  private keyring: Keyring;
  private sweep: Cancel | null = null;
  private closed = false;

  constructor({ self, members, keyring, world, transport, counters, sealing = aesGcm }: EndpointOptions) {
    this.self = self;
    this.counters = counters;
    this.world = world;
    this.transport = transport;
    this.sealing = sealing;
    this.keyring = keyring;
    this.life = world.bytes(LIFE_BYTES).readUIntBE(0, LIFE_BYTES);
    this.sessions = new Sessions(sealing, world);
    this.peers = new Map(
      members.filter(({ id }) => id !== self).map((member) => [member.id, { ...stranger(member), waiting: [] }]),
    );
    this.greetings = new Greetings(world, {
      size: members.length,
      make: (member) => this.greetingOf(member),
      send: (member, datagram) => this.post(this.peers.get(member)!, datagram, "handshake"),
      givenUp: (member) => counters.drop("undeliverable", this.peers.get(member)!.waiting.splice(0).length),
    });
    transport.listen((datagram) => this.receive(datagram));
  }

  /** Sessions that this endpoint remembers. */
  get remembered(): number {
    return this.sessions.size;
  }

  /** Sees to it that there is a session before there is anything to say. */
  meet(member: Id): void {
    if (this.peers.has(member) && !this.knows(member)) this.greetings.ahead(member, greetsFirst(this.self, member));
  }

  knows(member: Id): boolean {
    return this.peers.get(member)?.current?.isUsable(this.world.now()) ?? false;
  }

  send(to: Id, payload: Uint8Array, kind: DatagramKind): void {
    const peer = this.peers.get(to);
    if (peer === undefined || this.closed) return;
    if (peer.current?.isUsable(this.world.now())) this.transmit(peer, peer.current, payload, kind);
    else if (peer.waiting.length === LONGEST_QUEUE) this.counters.drop("overflow");
    else {
      peer.waiting.push({ payload, kind });
      this.greetings.begin(to);
    }
  }

  /**
   * From now on seals with the first key of this ring. Where that is another one than before, sessions are replaced; the old
   * ones last until then, as long as their key is in the ring.
   */
  rekey(keyring: Keyring): void {
    const isReplaced = keyring.sealing.id !== this.keyring.sealing.id;
    this.keyring = keyring;
    for (const peer of this.peers.values()) {
      const { id } = peer.member;
      const isWanted = peer.current !== null || this.greetings.of(id) !== null;
      this.sessions.keep(peer, keyring);
      if (!isReplaced || !isWanted) continue;
      this.greetings.end(id);
      if (peer.waiting.length > 0) this.greetings.begin(id);
      else this.greetings.ahead(id, greetsFirst(this.self, id));
    }
  }

  close(): Promise<void> {
    this.closed = true;
    this.greetings.endAll();
    this.sweep?.();
    return this.transport.close();
  }

  private greetingOf(member: Id): Greeting {
    const key = this.keyring.sealing;
    const salt = this.world.bytes(SALT_BYTES);
    return {
      salt,
      keyId: key.id,
      datagram: this.introduction(key, member, { kind: "hello", sender: this.self, salt }),
    };
  }

  private introduction(key: Key, receiver: Id, step: Step): Buffer {
    const random = (count: number) => this.world.bytes(count);
    return sealIntroduction(this.sealing, this.sealing.introductionKey(key, receiver), key.id, random, writeStep(step));
  }

  private transmit(peer: Neighbour, session: Session, payload: Uint8Array, kind: DatagramKind): void {
    const counter = session.counter++;
    session.usedAt = this.world.now();
    const key = this.keyring.opening.get(session.keyId)!;
    const datagram = session.isConfirmed
      ? sealPayload(this.sealing, session.outward, session.id, counter, payload)
      : this.introduction(key, peer.member.id, {
          kind: "response",
          sender: this.self,
          life: this.life,
          counter,
          salt: session.salt,
          cookie: session.cookie,
          payload,
        });
    this.post(peer, datagram, kind);
  }

  private post(peer: Neighbour, datagram: Buffer, kind: DatagramKind): void {
    this.counters.sent[kind]++;
    this.counters.bytesSent += datagram.length;
    this.transport.send(datagram, peer.member, () => this.counters.drop("send-failed"));
  }

  private receive(datagram: Uint8Array): void {
    if (this.closed) return;
    this.counters.received++;
    const reason = this.open(datagram);
    if (reason !== null) this.counters.drop(reason);
  }

  /** Acts on the datagram, or says why not. */
  private open(datagram: Uint8Array): DropReason | null {
    const head = readHead(datagram);
    if (typeof head === "string") return head;
    if (head.form === "payload") {
      const found = this.sessions.find(head.session);
      if (found === undefined) return "unknown-session";
      const body = openPayload(this.sealing, found.session.inward, head.counter, datagram);
      return body === null ? "unauthentic" : this.hear(found.peer, found.session, head.counter, body);
    }
    const key = this.keyring.opening.get(head.keyId);
    if (key === undefined) return "unknown-key";
    const introductionKey = this.sealing.introductionKey(key, this.self);
    const body = openIntroduction(this.sealing, introductionKey, head.nonce, datagram);
    if (body === null) return "unauthentic";
    const step = readOrNull(() => readStep(body));
    if (step === null) return "malformed";
    if (step === "version") return step;
    const peer = this.peers.get(step.sender);
    if (peer === undefined) return "unknown-member";
    if (step.kind === "hello") return this.greeted(peer, key, step.salt);
    return step.kind === "challenge" ? this.challenged(peer, key, step) : this.answered(peer, key, step);
  }

  private hear(peer: Peer, session: Session, counter: number, payload: Uint8Array): DropReason | null {
    if (!session.hear(counter, this.world.now())) return "replayed";
    session.isConfirmed = true;
    if (payload.length > 0) this.receiver?.payload(peer.member.id, session.life, payload);
    return null;
  }

  /** Where both have said hello, the smaller salt is answered, and the other one hears the hello that it is to answer. */
  private greeted(peer: Neighbour, key: Key, salt: Buffer): DropReason | null {
    const { id } = peer.member;
    if ([peer.current, peer.older].some((session) => session?.salt.equals(salt))) return "replayed";
    const own = this.greetings.of(id);
    if (own !== null && own.keyId === key.id && Buffer.compare(own.salt, salt) < 0) this.greetings.repeat(id);
    else {
      const cookie = this.sessions.cookie(peer, salt);
      const challenge = { kind: "challenge", sender: this.self, life: this.life, about: salt, cookie } as const;
      this.post(peer, this.introduction(key, id, challenge), "handshake");
    }
    return null;
  }

  private challenged(peer: Neighbour, key: Key, step: Step & { kind: "challenge" }): DropReason | null {
    const { id } = peer.member;
    const own = this.greetings.of(id);
    if (own === null || own.keyId !== key.id || !own.salt.equals(step.about)) return "stale";
    this.greetings.answered(id);
    const session = this.begin(peer, key, { ...step, salt: own.salt }, true);
    if (peer.waiting.length === 0) this.transmit(peer, session, NOTHING, "handshake");
    this.flush(peer);
    return null;
  }

  private answered(peer: Neighbour, key: Key, step: Step & { kind: "response" }): DropReason | null {
    const { salt, cookie, counter, payload } = step;
    const known = [peer.current, peer.older].find(
      (session) => session !== null && !session.isOwn && session.salt.equals(salt) && session.cookie.equals(cookie),
    );
    if (known != null) {
      const reason = this.hear(peer, known, counter, payload);
      // The other side does not know that it is known: an answer may be on its way, or lost.
      if (reason === null && known.repeats++ > 0) this.transmit(peer, known, NOTHING, "handshake");
      return reason;
    }
    if (!this.sessions.admits(peer, salt, cookie)) return "stale";
    peer.admitted++;
    const session = this.begin(peer, key, step, false);
    this.flush(peer);
    return this.hear(peer, session, counter, payload);
  }

  private begin(peer: Neighbour, key: Key, about: Pick<Session, "salt" | "cookie" | "life">, isOwn: boolean): Session {
    const { id } = peer.member;
    const salts = Buffer.concat([about.salt, about.cookie]);
    const [initiator, responder] = isOwn ? [this.self, id] : [id, this.self];
    const keys = this.sealing.sessionKeys(key, salts, initiator, responder);
    const { salt, cookie, life } = about;
    const session = new Session(keys, { keyId: key.id, salt, cookie, life, isOwn }, this.world.now());
    this.greetings.end(id);
    const isNewLife = this.sessions.adopt(peer, session);
    this.sweep ??= every(this.world, IDLE, () => this.endIdle());
    if (isNewLife) this.receiver?.met(id, life);
    return session;
  }

  private flush(peer: Neighbour): void {
    for (const { payload, kind } of peer.waiting.splice(0)) this.send(peer.member.id, payload, kind);
  }

  private endIdle(): void {
    const now = this.world.now();
    for (const peer of this.peers.values()) this.sessions.endIdle(peer, now);
    if (this.sessions.size > 0) return;
    this.sweep?.();
    this.sweep = null;
  }
}
