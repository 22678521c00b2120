/**
 * The links of a node that opens them by address. An address may have a host name. The name is looked up when the link is made, and again
 * from time to time when the link is used, so that a member that has moved is found. Messages of one handler to one address leave
 * together. Some addresses belong to peers, which no datagram reaches (peers.ts).
 */
import { isIPv6 } from "node:net";
import { type Port, SELF, type Address as Text } from "../../protocol.ts";
import { encode } from "../../wire/codec.ts";
import { numeric, placeOf, type Resolve } from "../net/address.ts";
import type { Counters } from "../net/counters.ts";
import { LARGEST_MESSAGE } from "../net/datagram.ts";
import { addressText } from "../net/udp.ts";
import type { NodeLinks } from "../node.ts";
import type { Address, World } from "../world.ts";
import type { Peer } from "./peers.ts";

/** Milliseconds for which the result of a name lookup is used. */
const FRESH = 5000;
/** The most messages that wait for the lookup of a name. */
const MOST_WAITING = 16;

interface PortsSetup {
  readonly world: World;
  readonly advertised: Address;
  readonly counters: Counters;
  readonly resolve: Resolve;
  readonly peers: ReadonlyMap<Text, Peer>;
  /** A message of the peer at an address. */
  answered(address: Text, message: unknown): void;
  send(to: Address, messages: readonly Uint8Array[]): void;
  /** A message that no datagram can hold. */
  oversized(bytes: number): void;
  /** A name was looked up without result. */
  unresolved(address: Text, why: string): void;
}

interface Link {
  readonly port: Port;
  readonly address: Text;
  /** Where messages go if the address is numeric. Null for a name, and for a text that is not an address: messages to that are lost. */
  readonly place: Address | null;
  readonly name: NameLookup | null;
}

/** The lookup of a name. */
interface NameLookup {
  readonly host: string;
  readonly port: number;
  /** The addresses of the name; messages go to them in turn. */
  targets: readonly Address[];
  turn: number;
  /** When the last lookup ended; null during a lookup. */
  lookedUp: number | null;
  readonly waiting: Uint8Array[];
  isMissing: boolean;
}

const newLookup = ({ host, port }: Address): NameLookup => ({
  host,
  port,
  targets: [],
  turn: 0,
  lookedUp: -Infinity,
  waiting: [],
  isMissing: false,
});

export class Ports implements NodeLinks {
  private readonly setup: PortsSetup;
  private readonly self: Text;
  private readonly byPort = new Map<Port, Link>();
  private readonly byAddress = new Map<Text, Link>();
  /** Links with a name, by the addresses that were found for it. */
  private readonly found = new Map<Text, Link>();
  private readonly leaving = new Map<Link, Uint8Array[]>();
  private labels: readonly Port[] | null = null;
  private made = 0;
  private encoded: { readonly message: unknown; readonly bytes: Uint8Array } = { message: {}, bytes: encode(null) };

  constructor(setup: PortsSetup) {
    this.setup = setup;
    this.self = addressText(setup.advertised);
  }

  get degree(): number {
    return this.byPort.size;
  }

  ports(): readonly Port[] {
    this.labels ??= [...this.byPort.keys()];
    return this.labels;
  }

  label(index: number): Port {
    return this.ports()[index];
  }

  linked(port: Port): boolean {
    return port === SELF || this.byPort.has(port);
  }

  link(text: Text): Port {
    const found = this.find(text);
    if (found !== null) return found;
    // The text may be another form of an address that has a link.
    const place = placeOf(text);
    const address = place === null ? text : addressText(place);
    return this.find(address) ?? this.make(address, place).port;
  }

  unlink(port: Port): void {
    const link = this.behind(port);
    this.byPort.delete(port);
    this.byAddress.delete(link.address);
    if (link.name !== null) this.forgetTargets(link, link.name);
    this.labels = null;
  }

  address(port: Port): Text {
    return port === SELF ? this.self : this.behind(port).address;
  }

  /** Null: on open links a port has no id. Members tell their names in messages. */
  peer(): null {
    return null;
  }

  sending(port: Port, message: unknown): () => void {
    const { address } = this.behind(port);
    const peer = this.setup.peers.get(address);
    if (peer === undefined) return this.queueing([this.behind(port)], message);
    return () => peer.ask(message, (answer) => this.setup.answered(address, answer));
  }

  /** Multicasts go to members only, not to peers. */
  multicasting(message: unknown): () => void {
    const { peers } = this.setup;
    return this.queueing(
      [...this.byPort.values()].filter(({ address }) => !peers.has(address)),
      message,
    );
  }

  /** The port of a sender; a new one if there is no link to it. */
  arrival(from: Address): Port {
    const address = addressText(from);
    const known = this.byAddress.get(address) ?? this.found.get(address);
    return (known ?? this.make(address, from)).port;
  }

  /** As `arrival`, for the message of a peer. */
  peerArrival(address: Text): Port {
    return (this.byAddress.get(address) ?? this.make(address, null)).port;
  }

  /** Sends the messages of the handlers before. */
  flush(): void {
    if (this.leaving.size === 0) return;
    for (const [link, messages] of this.leaving) this.dispatch(link, messages);
    this.leaving.clear();
  }

  private find(address: Text): Port | null {
    if (address === this.self) return SELF;
    const link = this.byAddress.get(address);
    if (link === undefined) return null;
    this.refresh(link);
    return link.port;
  }

  private queueing(links: readonly Link[], message: unknown): () => void {
    const bytes = this.encode(message);
    if (bytes.length > LARGEST_MESSAGE) {
      this.setup.counters.drop("oversized", links.length);
      this.setup.oversized(bytes.length);
      return () => {};
    }
    return () => {
      for (const link of links) {
        const messages = this.leaving.get(link);
        if (messages === undefined) this.leaving.set(link, [bytes]);
        else messages.push(bytes);
      }
    };
  }

  /** Encodes a message once, also if it goes to many. */
  private encode(message: unknown): Uint8Array {
    if (this.encoded.message !== message) this.encoded = { message, bytes: encode(message) };
    return this.encoded.bytes;
  }

  private dispatch(link: Link, messages: Uint8Array[]): void {
    const { place, name } = link;
    if (place !== null) this.setup.send(place, messages);
    else if (name === null) this.lose(messages.length);
    else this.dispatchByName(link, name, messages);
  }

  private dispatchByName(link: Link, name: NameLookup, messages: Uint8Array[]): void {
    this.refresh(link);
    if (name.targets.length > 0) {
      this.setup.send(name.targets[name.turn % name.targets.length], messages);
      name.turn = (name.turn + 1) % name.targets.length;
    } else if (name.lookedUp === null) {
      name.waiting.push(...messages);
      this.lose(name.waiting.splice(MOST_WAITING).length);
    } else this.lose(messages.length);
  }

  private lose(count: number): void {
    this.setup.counters.drop("unresolved", count);
  }

  private make(address: Text, place: (Address & { readonly isName?: boolean }) | null): Link {
    const name = place?.isName === true ? newLookup(place) : null;
    const link: Link = { port: this.made++, address, place: name === null ? place : null, name };
    this.byPort.set(link.port, link);
    this.byAddress.set(address, link);
    this.labels = null;
    this.refresh(link);
    return link;
  }

  /** Looks a name up again, unless the last result is fresh. */
  private refresh(link: Link): void {
    const { world, resolve } = this.setup;
    const { name } = link;
    if (name === null || name.lookedUp === null || world.now() - name.lookedUp < FRESH) return;
    name.lookedUp = null;
    resolve(name.host, (hosts, why) => {
      name.lookedUp = world.now();
      if (hosts.length > 0) this.aim(link, name, hosts);
      else if (!name.isMissing) {
        name.isMissing = true;
        this.setup.unresolved(link.address, why);
      }
      const waiting = name.waiting.splice(0);
      if (waiting.length > 0) this.dispatch(link, waiting);
    });
  }

  /** Takes the addresses of this member's family (IPv4 or IPv6) if there are any, and never this member's own. */
  private aim(link: Link, name: NameLookup, hosts: readonly string[]): void {
    const isSix = isIPv6(this.setup.advertised.host);
    const others = hosts.map((host) => numeric(host, name.port)).filter((target) => addressText(target) !== this.self);
    const near = others.filter(({ host }) => isIPv6(host) === isSix);
    this.forgetTargets(link, name);
    name.targets = near.length > 0 ? near : others;
    name.isMissing = false;
    if (this.byPort.get(link.port) !== link) return;
    for (const target of name.targets) this.found.set(addressText(target), link);
  }

  private forgetTargets(link: Link, { targets }: NameLookup): void {
    for (const target of targets) {
      const address = addressText(target);
      if (this.found.get(address) === link) this.found.delete(address);
    }
  }

  private behind(port: Port): Link {
    const link = this.byPort.get(port);
    if (link === undefined) throw new Error(`there is no link at port ${port}`);
    return link;
  }
}
