/** The first of three live nodes on a complete graph, the others being nobody. */
import { givenPorts, isGiven, refuseLinks } from "../../src/host/granted.ts";
import { LiveNode, type NodeLinks, type NodeSetup, type Outbox } from "../../src/live/node.ts";
import { type AnyProtocol, type Port, SELF } from "../../src/protocol.ts";
import { tell } from "../../src/protocols/told.ts";
import { complete } from "../../src/topology/complete.ts";

interface Ears extends Outbox {
  unicast(to: number, arrival: Port, message: unknown): void;
  multicast(message: unknown): void;
}

export function loneNode(
  protocol: AnyProtocol,
  setup: Pick<NodeSetup, "world" | "tau" | "tolerance" | "store">,
  ears: Ears,
): LiveNode {
  const ids = [10, 20, 30];
  const facts = { id: 10, initiator: true, n: 3, highest: 30, election: 1, life: 7, seeds: [] };
  return new LiveNode(
    {
      ...setup,
      protocol,
      params: {},
      where: "member 10",
      self: () => tell(protocol, {}, facts, (p) => setup.world.draws.coin(p)),
      links: linksTo(ears, protocol, ids),
    },
    ears,
  );
}

function linksTo({ unicast, multicast }: Ears, protocol: AnyProtocol, ids: readonly number[]): NodeLinks {
  const topology = complete(3);
  const degree = topology.degree(0);
  return {
    degree,
    ports: () => givenPorts(degree),
    label: (index) => index,
    linked: (port) => isGiven(port, degree),
    link: () => refuseLinks(protocol),
    unlink: () => refuseLinks(protocol),
    address: () => refuseLinks(protocol),
    peer: (port) => ids[port === SELF ? 0 : topology.neighbour(0, port)],
    sending: (port, message) => () => unicast(topology.neighbour(0, port), topology.arrival(0, port), message),
    multicasting: (message) => () => multicast(message),
  };
}
