/** Carries messages of a protocol between its nodes: the codec, links and multicasts, and a look at every arrival's port. */
import { InputError } from "../errors.ts";
import type { Assumptions, Port } from "../protocol.ts";
import type { Topology } from "../topology/topology.ts";
import { readOrNull } from "../wire/bytes.ts";
import { decode, encode } from "../wire/codec.ts";
import type { Counters, DatagramKind } from "./counters.ts";
import { LARGEST_PAYLOAD } from "./endpoint.ts";
import { type Frame, LARGEST_FRAME_HEAD } from "./frames.ts";
import { type Link, linkFor } from "./link.ts";
import { Rumours } from "./rumours.ts";
import { SecureSource } from "./secure-source.ts";

/** The largest message of a protocol, in the codec's form; larger ones are refused, never cut into pieces. */
export const LARGEST_MESSAGE = LARGEST_PAYLOAD - LARGEST_FRAME_HEAD;

export interface CourierSetup {
  readonly protocol: { readonly name: string; readonly assumes: Assumptions };
  readonly topology: Topology;
  readonly self: number;
  readonly tau: number;
  /** Whether a multicast spreads by rumour or goes to each neighbour. */
  readonly epidemic: boolean;
  readonly counters: Counters;
  post(to: number, frame: Frame, kind: DatagramKind): void;
  /** Whether frames to that node leave at once. */
  ready(to: number): boolean;
  deliver(port: Port, message: unknown): void;
}

export class Courier {
  private readonly setup: CourierSetup;
  private readonly links = new Map<number, Link>();
  private readonly rumours: Rumours;

  constructor(setup: CourierSetup) {
    this.setup = setup;
    const draws = new SecureSource();
    this.rumours = new Rumours({
      node: setup.self,
      size: setup.topology.size,
      choose: (n) => draws.choose(n),
      send: setup.post,
      deliver: (origin, body) => this.deliver(origin, this.portTo(origin), body),
    });
  }

  /** Nothing waits for an acknowledgement. */
  get idle(): boolean {
    return [...this.links.values()].every((link) => link.idle);
  }

  unicast(to: number, arrival: Port, message: unknown): void {
    this.linkTo(to).send(arrival, this.encode(message));
  }

  multicast(message: unknown): void {
    const { epidemic, topology, self } = this.setup;
    const body = this.encode(message);
    if (epidemic) this.rumours.start(body);
    else {
      for (let port = 0; port < topology.degree(self); port++) {
        this.linkTo(topology.neighbour(self, port)).send(topology.arrival(self, port), body);
      }
    }
  }

  receive(sender: number, frame: Frame, life: number, newest: boolean): void {
    if (frame.kind !== "rumour") this.linkTo(sender).receive(frame, life, newest);
    else if (!this.setup.epidemic || !this.rumours.receive(frame)) this.setup.counters.drop("duplicate");
  }

  /** A node that remembers its state goes on in a new life; what others had sent to one that does not is void. */
  restarted(node: number, remembers: boolean): void {
    if (remembers) this.links.get(node)?.restarted();
    else this.links.get(node)?.close();
  }

  close(): void {
    for (const link of this.links.values()) link.close();
  }

  private deliver(from: number, port: Port, body: Uint8Array): void {
    const { topology, self, counters } = this.setup;
    const leads = port >= 0 && port < topology.degree(self) && topology.neighbour(self, port) === from;
    const read = readOrNull(() => ({ message: decode(body) }));
    if (!leads) counters.drop("wrong-port");
    else if (read === null) counters.drop("malformed");
    else this.setup.deliver(port, read.message);
  }

  private linkTo(node: number): Link {
    let link = this.links.get(node);
    if (link === undefined) {
      const { protocol, counters, tau, post, ready } = this.setup;
      link = linkFor(protocol.assumes, {
        counters,
        tau,
        send: (frame, kind) => post(node, frame, kind),
        ready: () => ready(node),
        deliver: (port, body) => this.deliver(node, port, body),
      });
      this.links.set(node, link);
    }
    return link;
  }

  private portTo(node: number): Port {
    const { topology, self } = this.setup;
    for (let port = 0; port < topology.degree(self); port++) if (topology.neighbour(self, port) === node) return port;
    return -1;
  }

  private encode(message: unknown): Uint8Array {
    const bytes = encode(message);
    if (bytes.length <= LARGEST_MESSAGE) return bytes;
    throw new InputError(
      `${this.setup.protocol.name} wants to send a message of ${bytes.length} bytes, but a datagram holds ${LARGEST_MESSAGE}`,
    );
  }
}
