/**
 * Links that nodes open by address. An address is the number of a node, as text. Labels count up in the order in which the links were made,
 * and are never used twice in one life of a node.
 */
import { type Address, type Port, SELF } from "../protocol.ts";
import type { Restore } from "./stepping/frames.ts";

/** Stands for a node that does not exist. */
export const NOBODY = -1;

interface Table {
  /** Addresses by label; null if the link has ended. */
  readonly addresses: (Address | null)[];
  readonly labels: Map<Address, Port>;
}

export class OpenLinks {
  private readonly size: number;
  private tables: Table[] = [];

  constructor(size: number) {
    this.size = size;
  }

  degree(node: number): number {
    return this.of(node).labels.size;
  }

  ports(node: number): Port[] {
    return [...this.of(node).labels.values()];
  }

  has(node: number, port: Port): boolean {
    return port === SELF || typeof this.of(node).addresses[port] === "string";
  }

  /** The port of an address, which may be new. */
  link(node: number, address: Address): Port {
    if (address === String(node)) return SELF;
    const { addresses, labels } = this.of(node);
    const known = labels.get(address);
    if (known !== undefined) return known;
    labels.set(address, addresses.length);
    return addresses.push(address) - 1;
  }

  unlink(node: number, port: Port): void {
    const address = this.address(node, port);
    const { addresses, labels } = this.of(node);
    labels.delete(address);
    addresses[port] = null;
  }

  address(node: number, port: Port): Address {
    if (port === SELF) return String(node);
    const address = this.of(node).addresses[port];
    if (address === undefined || address === null) throw new Error(`node ${node} has no link at port ${port}`);
    return address;
  }

  /** The node behind a port, or NOBODY. */
  neighbour(node: number, port: Port): number {
    const address = this.address(node, port);
    const there = Number(address);
    return String(there) === address && there < this.size ? there : NOBODY;
  }

  /** Forgets the links of a process, which starts again. */
  forget(node: number): void {
    delete this.tables[node];
  }

  save(): Restore {
    const saved = this.tables.map(copyOf);
    return () => {
      this.tables = saved.map(copyOf);
    };
  }

  private of(node: number): Table {
    this.tables[node] ??= { addresses: [], labels: new Map() };
    return this.tables[node];
  }
}

const copyOf = ({ addresses, labels }: Table): Table => ({ addresses: [...addresses], labels: new Map(labels) });
