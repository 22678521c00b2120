/** The first of three live nodes on a complete graph, the others being nobody. */
import { givenLinks } from "../../src/live/given-links.ts";
import { LiveNode, type NodeSetup, type Outbox } from "../../src/live/node.ts";
import type { AnyProtocol, Port } from "../../src/protocol.ts";
import { tell } from "../../src/protocols/told.ts";
import { complete } from "../../src/topology/complete.ts";

interface Ears extends Outbox {
  unicast(to: number, arrival: Port, message: unknown): void;
  multicast(message: unknown): void;
}

export function loneNode(
  protocol: AnyProtocol,
  setup: Pick<NodeSetup, "world" | "tau" | "stallLimit" | "store">,
  ears: Ears,
): LiveNode {
  const ids = [10, 20, 30];
  const facts = { id: 10, initiator: true, n: 3, highest: 30, election: 1, life: 7, seeds: [] };
  return new LiveNode(
    {
      ...setup,
      protocol,
      params: {},
      countsStalls: true,
      where: "member 10",
      self: () => tell(protocol, {}, facts, (p) => setup.world.draws.coin(p)),
      links: givenLinks({ protocol, topology: complete(3), node: 0, ids, ...ears }),
    },
    ears,
  );
}
