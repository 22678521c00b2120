/** Carries messages of a protocol between its nodes: the codec, multicasts, and a look at every arrival at the door. */
import { InputError } from "../errors.ts";
import type { AnyProtocol, Port } from "../protocol.ts";
import type { Topology } from "../topology/topology.ts";
import { readOrNull } from "../wire/bytes.ts";
import { decode, encode } from "../wire/codec.ts";
import type { Counters, DatagramKind } from "./counters.ts";
import { LARGEST_FRAME_HEAD, type Spoken } from "./frames.ts";
import { LARGEST_PAYLOAD } from "./introduction.ts";
import { Rumours } from "./rumours.ts";
import type { World } from "./world.ts";

/** The largest message of a protocol, in the codec's form; larger ones are refused, never cut into pieces. */
export const LARGEST_MESSAGE = LARGEST_PAYLOAD - LARGEST_FRAME_HEAD;

export interface CourierSetup {
  readonly world: World;
  readonly protocol: AnyProtocol;
  readonly topology: Topology;
  readonly self: number;
  /** Whether a multicast spreads by rumour or goes to each neighbour. */
  readonly epidemic: boolean;
  readonly counters: Counters;
  /** What a datagram with this message counts as. */
  kindOf(message: unknown): DatagramKind;
  post(to: number, frame: Spoken, kind: DatagramKind): void;
  deliver(port: Port, message: unknown): void;
}

export class Courier {
  private readonly setup: CourierSetup;
  private readonly rumours: Rumours;

  constructor(setup: CourierSetup) {
    this.setup = setup;
    this.rumours = new Rumours({
      node: setup.self,
      size: setup.topology.size,
      choose: (n) => setup.world.draws.choose(n),
      send: setup.post,
      deliver: (origin, body) => this.deliver(origin, this.portTo(origin), body),
    });
  }

  unicast(to: number, port: Port, message: unknown): void {
    const { post, kindOf } = this.setup;
    post(to, { kind: "message", port, body: this.encode(message) }, kindOf(message));
  }

  multicast(message: unknown): void {
    const { epidemic, topology, self, post } = this.setup;
    const body = this.encode(message);
    if (epidemic) this.rumours.start(body);
    else {
      for (let port = 0; port < topology.degree(self); port++) {
        const frame = { kind: "message", port: topology.arrival(self, port), body } as const;
        post(topology.neighbour(self, port), frame, "message");
      }
    }
  }

  receive(sender: number, frame: Spoken): void {
    if (frame.kind === "message") this.deliver(sender, frame.port, frame.body);
    else if (!this.setup.epidemic || !this.rumours.receive(frame)) this.setup.counters.drop("duplicate");
  }

  private deliver(from: number, port: Port, body: Uint8Array): void {
    const { topology, self, counters, protocol } = this.setup;
    const leads = port >= 0 && port < topology.degree(self) && topology.neighbour(self, port) === from;
    const read = readOrNull(() => ({ message: decode(body) }));
    if (!leads) counters.drop("wrong-port");
    else if (read === null) counters.drop("malformed");
    else if (!(protocol.accepts?.(read.message) ?? true)) counters.drop("unacceptable");
    else this.setup.deliver(port, read.message);
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
