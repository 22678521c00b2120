/**
 * A member's endpoint on the network: sealed messages to and from addresses. Each datagram is acted on at most once. A datagram from a sender
 * without the key is only counted. Answers go to the address inside the seal; proofs.ts limits their size.
 */
import type { KeyObject } from "node:crypto";
import { readOrNull } from "../../wire/bytes.ts";
import type { Address, Cancel, Transport, World } from "../world.ts";
import type { Counters, DatagramKind, DropReason } from "./counters.ts";
import {
  type Body,
  datagramSize,
  MOST_DATAGRAMS,
  markIn,
  markOf,
  openDatagram,
  PACKED_BYTES,
  type ReceivedHead,
  readBody,
  readDatagramHead,
  SALT_BYTES,
  sealDatagram,
  WIRE_VERSION,
} from "./datagram.ts";
import type { Key, Keyring } from "./keyring.ts";
import { Lives } from "./lives.ts";
import { Proofs } from "./proofs.ts";
import type { Sealing } from "./sealing.ts";
import { addressText } from "./udp.ts";

/**
 * Limits of what waits for addresses to be proven: bytes in all, datagrams for each address (a member that asks again gets the same answer),
 * and milliseconds, enough for busy machines.
 */
const MOST_HELD = 256 * 1024;
const MOST_EACH = 8;
const LONGEST_HELD = 3000;
/** Milliseconds after which the owner of an address is asked again to prove it, if there is more to send. */
const ASK_AGAIN = 50;
const NOTHING = Buffer.alloc(0);
const NONE = { parcels: [], expiry: () => {} };

/** A datagram that was not acted on. */
export interface RefusedDatagram {
  readonly reason: DropReason;
  /** The version of the datagram, if it is newer; otherwise null. */
  readonly version: number | null;
  /** The last byte of the id of the key with which it says it was sealed; null if it does not say. */
  readonly mark: number | null;
  /** The sender's address, which can be forged; null if it is not known. */
  readonly from: Address | null;
}

export interface EndpointSetup {
  /** The name of the group. Datagrams of another group cannot be opened, even if its key is the same. */
  readonly group: string;
  readonly keyring: Keyring;
  /** The address to which others answer. */
  readonly advertised: Address;
  readonly world: World;
  readonly transport: Transport;
  readonly counters: Counters;
  readonly sealing: Sealing;
  /** The addresses of all members, if the user has listed them: no other address gets an answer. */
  readonly listed?: readonly Address[];
  receive(from: Address, message: unknown): void;
  /** A datagram was not acted on. */
  refused(refusal: RefusedDatagram): void;
}

/** What a node needs of its endpoint, which may be its own or shared by several nodes (shared.ts). */
export type NodeLine = Pick<Endpoint, "life" | "remembered" | "listen" | "rekey" | "send" | "record" | "close">;

/** Parcels that wait for an address to be proven, and when its owner was last asked to prove it. */
interface Held {
  readonly parcels: Parcel[];
  readonly expiry: Cancel;
  askedAt: number;
}

interface Parcel {
  readonly to: Address;
  readonly messages: Uint8Array;
}

export class Endpoint {
  /** Drawn anew whenever the process starts. */
  readonly life: number;
  private readonly setup: EndpointSetup;
  private readonly place: string;
  private readonly salt: Buffer;
  private readonly saltText: string;
  private readonly lives: Lives;
  private readonly proofs: Proofs;
  private readonly held = new Map<string, Held>();
  private heldBytes = 0;
  private mark!: number;
  private key!: KeyObject;
  private keys!: readonly Key[];
  private counter = 0;
  private closed = false;
  /** One function for all datagrams. */
  private readonly failed = () => this.setup.counters.drop("send-failed");
  private recording: { readonly datagram: Uint8Array; readonly to: Address }[] | null = null;

  constructor(setup: EndpointSetup) {
    const { world, sealing, group, keyring } = setup;
    this.setup = setup;
    this.place = addressText(setup.advertised);
    this.salt = world.bytes(SALT_BYTES);
    this.saltText = this.salt.toString("latin1");
    // The 53 bits that a number can hold.
    this.life = Number(this.salt.readBigUInt64BE() >> 11n);
    this.lives = new Lives(sealing, group);
    this.proofs = new Proofs(sealing, world, new Set(setup.listed?.map(addressText)));
    this.rekey(keyring);
  }

  /** Starts to receive; datagrams that came before are lost. */
  listen(): void {
    this.setup.transport.listen((datagram, from) => this.receive(datagram, from));
  }

  /** The number of senders' lives that are remembered. */
  get remembered(): number {
    return this.lives.size;
  }

  /** From now on seals with the first key of this ring, and opens with all of them. */
  rekey({ sealing, opening }: Keyring): void {
    this.mark = markOf(sealing);
    this.key = this.setup.sealing.lifeKey(sealing, this.setup.group, this.salt);
    this.keys = [...opening.values()];
  }

  /** Sends encoded messages, none of them larger than a datagram can hold. */
  send(to: Address, messages: readonly Uint8Array[]): void {
    if (messages.length === 1) {
      this.post({ to, messages: messages[0] });
      return;
    }
    let parcel: Uint8Array[] = [];
    let bytes = 0;
    for (const message of messages) {
      if (bytes > 0 && bytes + message.length > PACKED_BYTES) {
        this.post({ to, messages: Buffer.concat(parcel) });
        parcel = [];
        bytes = 0;
      }
      parcel.push(message);
      bytes += message.length;
    }
    if (bytes > 0) this.post({ to, messages: Buffer.concat(parcel) });
  }

  /** Records the datagrams that leave during `act`. Calling the result repeats them; a receiver acts on each only once. */
  record(act: () => void): () => void {
    const recorded: { readonly datagram: Uint8Array; readonly to: Address }[] = [];
    this.recording = recorded;
    try {
      act();
    } finally {
      this.recording = null;
    }
    return () => {
      for (const { datagram, to } of recorded) this.hand(datagram, to, "retransmission");
    };
  }

  close(): Promise<void> {
    this.closed = true;
    for (const place of [...this.held.keys()]) this.unhold(place);
    return this.setup.transport.close();
  }

  private post(parcel: Parcel): void {
    const place = addressText(parcel.to);
    const body = { address: this.setup.advertised, ...this.proofs.marks(place), messages: parcel.messages };
    if (this.proofs.allows(place, datagramSize(body))) this.transmit(parcel.to, body, "message");
    else this.hold(place, parcel);
  }

  /** Keeps a parcel until the other side has proven its address, and asks it to. */
  private hold(place: string, parcel: Parcel): void {
    const { length } = parcel.messages;
    const known = this.held.get(place);
    if (this.heldBytes + length > MOST_HELD || known?.parcels.length === MOST_EACH)
      this.setup.counters.drop("unproven");
    else {
      const giveUp = () => this.setup.counters.drop("unproven", this.unhold(place).length);
      if (known !== undefined) known.parcels.push(parcel);
      else
        this.held.set(place, {
          parcels: [parcel],
          expiry: this.setup.world.set(LONGEST_HELD, giveUp),
          askedAt: -Infinity,
        });
      this.heldBytes += length;
    }
    const held = this.held.get(place);
    const now = this.setup.world.now();
    // Several parcels of one answer need one proof.
    if (held !== undefined && now < held.askedAt + ASK_AGAIN) return;
    if (held !== undefined) held.askedAt = now;
    this.sign(parcel.to, this.proofs.marks(place));
  }

  private unhold(place: string): readonly Parcel[] {
    const { parcels, expiry } = this.held.get(place) ?? NONE;
    expiry();
    this.held.delete(place);
    for (const { messages } of parcels) this.heldBytes -= messages.length;
    return parcels;
  }

  /** Sends a datagram with token or echo only. If even that is more than came from the address, it is sent only now and then. */
  private sign(to: Address, marks: Pick<Body, "token" | "echo">): void {
    const body = { address: this.setup.advertised, ...marks, messages: NOTHING };
    const place = addressText(to);
    const isAllowed = this.proofs.allows(place, datagramSize(body)) || this.proofs.mayKnock(place);
    if (isAllowed) this.transmit(to, body, "handshake");
  }

  private transmit(to: Address, body: Body, kind: DatagramKind): void {
    if (this.closed) return;
    if (this.counter === MOST_DATAGRAMS) throw new Error("this life has sent all it can: start the process anew");
    const head = { mark: this.mark, salt: this.salt, counter: this.counter++ };
    const datagram = sealDatagram(this.setup.sealing, this.key, head, body);
    this.proofs.sent(addressText(to), datagram.length);
    this.recording?.push({ datagram, to });
    this.hand(datagram, to, kind);
  }

  private hand(datagram: Uint8Array, to: Address, kind: DatagramKind): void {
    const { counters, transport } = this.setup;
    counters.sent[kind]++;
    counters.bytesSent += datagram.length;
    transport.send(datagram, to, this.failed);
  }

  private receive(datagram: Uint8Array, from: Address | null): void {
    if (this.closed) return;
    const { counters } = this.setup;
    counters.received++;
    counters.bytesReceived += datagram.length;
    const reason = this.open(datagram);
    if (reason === null) return;
    const isVersion = typeof reason === "number";
    counters.drop(isVersion ? "version" : reason);
    this.setup.refused({
      from,
      reason: isVersion ? "version" : reason,
      version: isVersion && reason > WIRE_VERSION ? reason : null,
      mark: markIn(datagram),
    });
  }

  /** Acts on a datagram, or returns why not; a number is another version. */
  private open(datagram: Uint8Array): DropReason | number | null {
    const head = readDatagramHead(datagram);
    if (typeof head !== "object") return head;
    if (head.salt === this.saltText) return "reflected";
    const opened = this.unseal(head, datagram);
    if (typeof opened === "string") return opened;
    const body = readOrNull(() => readBody(opened));
    if (body === null) return "malformed";
    // From a former life of this process, or from another process that was given this address by mistake.
    if (addressText(body.address) === this.place) return "reflected";
    this.heard(datagram.length, body);
    return null;
  }

  private unseal({ mark, salt, counter }: ReceivedHead, datagram: Uint8Array): Buffer | DropReason {
    let reason: DropReason = "unknown-key";
    for (const groupKey of this.keys) {
      if (markOf(groupKey) !== mark) continue;
      reason = "unauthentic";
      const key = this.lives.keyOf(salt, groupKey);
      const body = openDatagram(this.setup.sealing, key, counter, datagram);
      if (body !== null) return this.lives.accept(salt, groupKey, key, counter) ? body : "replayed";
    }
    return reason;
  }

  private heard(bytes: number, { address, token, echo, messages }: ReturnType<typeof readBody>): void {
    const place = addressText(address);
    if (this.proofs.heard(place, bytes, token, echo)) for (const parcel of this.unhold(place)) this.post(parcel);
    if (messages.length === 0 && token !== null) this.sign(address, { token: null, echo: token });
    for (const message of messages) this.setup.receive(address, message);
  }
}
