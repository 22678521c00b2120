/**
 * A member's place on the network: payloads to and from other members, each sealed, each acted on at most once.
 *
 * Before the first payload to a member the sender introduces its session: hello, challenge, response, welcome. Payloads
 * wait for the end of that, so that the first one is not lost to it. The steps of an introduction keep no state at the
 * receiver and are therefore harmless when replayed. Challenges go to the address in the list of members, never to where
 * a datagram came from: an unkeyed sender is answered nothing at all.
 */
import { type KeyObject, randomBytes } from "node:crypto";
import type { Id } from "../protocol.ts";
import { readOrNull } from "../wire/bytes.ts";
import type { Counters, DatagramKind, DropReason } from "./counters.ts";
import { type Envelope, LARGEST_ENVELOPE_HEAD, readEnvelope, writeEnvelope } from "./envelope.ts";
import type { Keyring } from "./keyring.ts";
import type { Member } from "./members.ts";
import { directionKey, type Header, LARGEST_BODY, open, readHeader, SALT_BYTES, seal, VERSION } from "./seal.ts";
import { Sessions } from "./sessions.ts";
import type { Transport } from "./udp.ts";

export const LARGEST_PAYLOAD = LARGEST_BODY - LARGEST_ENVELOPE_HEAD;

/** Payloads that wait for an introduction; more are dropped and counted. */
const LONGEST_QUEUE = 256;
/** Milliseconds between two hellos: from the first to the second, and at most. */
const FIRST_HELLO = 60;
const SLOWEST_HELLO = 1000;
/** After this many milliseconds without a welcome, what waits is given up. */
const PATIENCE = 60_000;

export interface EndpointOptions {
  readonly self: Id;
  readonly members: readonly Member[];
  readonly keyring: Keyring;
  readonly transport: Transport;
  readonly counters: Counters;
}

/** Who gets the payloads. `life` changes when the sender has restarted; `newest` is false for a session on its way out. */
export interface Receiver {
  payload(from: Id, life: number, newest: boolean, payload: Uint8Array): void;
  /** The member has restarted since we were first introduced to it. */
  restarted(member: Id): void;
}

/** About the receiver's own session, and about the sender's. */
type Answer = Extract<Envelope, { kind: "challenge" | "welcome" }>;
type Claim = Exclude<Envelope, Answer>;

/** This member's own session, as seen from one receiver. */
interface Peer {
  readonly member: Member;
  direction: KeyObject | null;
  counter: number;
  introduced: boolean;
  waiting: { readonly payload: Uint8Array; readonly kind: DatagramKind }[];
  hello: NodeJS.Timeout | null;
}

export class Endpoint {
  readonly self: Id;
  readonly counters: Counters;
  receiver: Receiver | null = null;
  private readonly transport: Transport;
  private readonly sessions: Sessions;
  private readonly peers = new Map<Id, Peer>();
  private readonly life = randomBytes(4).readUInt32BE();
  private keyring: Keyring;
  private salt = newSalt();
  private closed = false;

  constructor({ self, members, keyring, transport, counters }: EndpointOptions) {
    this.self = self;
    this.counters = counters;
    this.transport = transport;
    this.keyring = keyring;
    const others = members.filter(({ id }) => id !== self);
    this.sessions = new Sessions(others.map(({ id }) => id));
    for (const member of others) {
      this.peers.set(member.id, {
        member,
        direction: null,
        counter: 0,
        introduced: false,
        waiting: [],
        hello: null,
      });
    }
    transport.listen((datagram) => this.receive(datagram));
  }

  /** Sessions of others that this endpoint remembers. */
  get remembered(): number {
    return this.sessions.size;
  }

  /** Introduces this member's session before there is anything to say. */
  meet(member: Id): void {
    const peer = this.peers.get(member);
    if (peer === undefined || peer.introduced || peer.hello !== null) return;
    this.introduce(peer, FIRST_HELLO, performance.now() + PATIENCE);
  }

  introducedTo(member: Id): boolean {
    return this.peers.get(member)?.introduced ?? false;
  }

  send(to: Id, payload: Uint8Array, kind: DatagramKind): void {
    const peer = this.peers.get(to);
    if (peer === undefined || this.closed) return;
    if (peer.introduced) this.post(peer, { kind: "payload", sender: this.self, payload }, kind);
    else if (peer.waiting.length === LONGEST_QUEUE) this.counters.drop("overflow");
    else {
      peer.waiting.push({ payload, kind });
      this.meet(to);
    }
  }

  /** From now on seals with the first key of this ring; a new key means a new session, introduced while the old one lasts. */
  rekey(keyring: Keyring): void {
    const replaced = keyring.sealing.id !== this.keyring.sealing.id;
    this.keyring = keyring;
    this.sessions.keep(keyring);
    if (!replaced) return;
    this.salt = newSalt();
    for (const peer of this.peers.values()) {
      peer.direction = null;
      peer.counter = 0;
      peer.introduced = false;
      if (peer.hello !== null) clearTimeout(peer.hello);
      peer.hello = null;
      if (peer.waiting.length > 0) this.meet(peer.member.id);
    }
  }

  close(): Promise<void> {
    this.closed = true;
    for (const { hello } of this.peers.values()) if (hello !== null) clearTimeout(hello);
    return this.transport.close();
  }

  /** Says hello until welcome, at growing intervals; drawn at random, so that a group does not speak in unison. */
  private introduce(peer: Peer, interval: number, until: number): void {
    this.post(peer, { kind: "hello", sender: this.self }, "handshake");
    peer.hello = setTimeout(
      () => {
        peer.hello = null;
        if (peer.introduced) return;
        if (performance.now() < until) this.introduce(peer, Math.min(2 * interval, SLOWEST_HELLO), until);
        else this.counters.drop("undeliverable", peer.waiting.splice(0).length);
      },
      interval * (0.75 + Math.random() / 2),
    );
  }

  private post(peer: Peer, envelope: Envelope, kind: DatagramKind): void {
    peer.direction ??= directionKey(this.keyring.sealing, this.salt, peer.member.id);
    const { id } = this.keyring.sealing;
    const datagram = seal(peer.direction, id, this.salt, peer.counter++, writeEnvelope(envelope));
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
    const header = readHeader(datagram);
    if (header === null) return "malformed";
    if (header.version !== VERSION) return "version";
    const key = this.keyring.opening.get(header.keyId);
    if (key === undefined) return "unknown-key";
    const session = this.sessions.find(header.salt);
    const direction = session?.direction ?? directionKey(key, header.salt, this.self);
    const body = open(direction, header.counter, datagram);
    if (body === null) return "unauthentic";
    if (session !== undefined && !session.window.accept(header.counter)) return "replayed";
    const envelope = readOrNull(() => readEnvelope(body));
    if (envelope === null) return "malformed";
    const peer = this.peers.get(envelope.sender);
    if (peer === undefined) return "unknown-member";
    if (envelope.kind === "challenge" || envelope.kind === "welcome") return this.receiveAnswer(peer, envelope);
    if (session === undefined) return this.receiveStranger(peer, envelope, header, direction);
    if (session.member !== envelope.sender) return "malformed";
    if (envelope.kind !== "payload") this.welcome(peer, header.salt);
    else {
      const newest = this.sessions.isNewest(header.salt, envelope.sender);
      this.receiver?.payload(envelope.sender, session.life, newest, envelope.payload);
    }
    return null;
  }

  private receiveStranger(peer: Peer, envelope: Claim, header: Header, direction: KeyObject): DropReason | null {
    const { salt, counter, keyId } = header;
    if (envelope.kind === "response") {
      const { life, cookie } = envelope;
      const { id } = peer.member;
      const before = this.sessions.lifeOf(id);
      if (!this.sessions.admit(salt, counter, cookie, { member: id, keyId, direction, life })) return "stale";
      this.welcome(peer, salt);
      if (before !== null && before !== life) this.receiver?.restarted(id);
      return null;
    }
    const cookie = this.sessions.cookie(peer.member.id, salt);
    this.post(peer, { kind: "challenge", sender: this.self, about: salt, cookie }, "handshake");
    return envelope.kind === "payload" ? "unintroduced" : null;
  }

  private welcome(peer: Peer, about: string): void {
    this.post(peer, { kind: "welcome", sender: this.self, about }, "handshake");
  }

  /** About this member's own session: it must prove that it is alive, or it is known by now. */
  private receiveAnswer(peer: Peer, envelope: Answer): DropReason | null {
    if (envelope.about !== this.salt) return "stale";
    if (envelope.kind === "challenge") {
      const { cookie } = envelope;
      this.post(peer, { kind: "response", sender: this.self, life: this.life, cookie }, "handshake");
    } else {
      peer.introduced = true;
      for (const { payload, kind } of peer.waiting.splice(0)) {
        this.post(peer, { kind: "payload", sender: this.self, payload }, kind);
      }
    }
    return null;
  }
}

const newSalt = (): string => randomBytes(SALT_BYTES).toString("hex");
