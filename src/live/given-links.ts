/** The links of a node on a network that is given: labels 0 .. degree-1, and none that comes or goes. */
import { givenPorts, isGiven, refuseLinks } from "../host/granted.ts";
import { type AnyProtocol, type Id, type Port, SELF } from "../protocol.ts";
import type { Topology } from "../topology/topology.ts";
import type { NodeLinks } from "./node.ts";

export interface GivenNetwork {
  readonly protocol: Pick<AnyProtocol, "name" | "assumes">;
  readonly topology: Topology;
  /** This node's number in the topology, and the id of each node. */
  readonly node: number;
  readonly ids: readonly Id[];
  /** `arrival` is the port at which the receiver gets the message. */
  unicast(to: number, arrival: Port, message: unknown): void;
  multicast(message: unknown): void;
}

export function givenLinks({ protocol, topology, node, ids, unicast, multicast }: GivenNetwork): NodeLinks {
  const degree = topology.degree(node);
  return {
    degree,
    ports: () => givenPorts(degree),
    label: (index) => index,
    linked: (port) => isGiven(port, degree),
    link: () => refuseLinks(protocol),
    unlink: () => refuseLinks(protocol),
    address: () => refuseLinks(protocol),
    peer: (port) => ids[port === SELF ? node : topology.neighbour(node, port)],
    home: (port) => (topology.neighbour(node, port) === node ? topology.arrival(node, port) : null),
    sending: (port, message) => () => unicast(topology.neighbour(node, port), topology.arrival(node, port), message),
    multicasting: (message) => () => multicast(message),
  };
}
