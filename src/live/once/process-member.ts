/** A process of a process group (process-group.ts): it holds some members and does as it is told. */
import { loadProtocol } from "../../campaign/load-protocol.ts";
import { insecureKeyring, keyringOf } from "../net/keyring.ts";
import { openUdp } from "../net/udp.ts";
import type { Transport } from "../world.ts";
import { LiveMember } from "./member.ts";
import { parametersFor } from "./members.ts";
import type { GroupElection, ProcessNews, ProcessOrder } from "./process-group.ts";

const transports = new Map<number, Transport>();
const members = new Map<number, LiveMember>();

const tell = (news: ProcessNews): void => {
  if (process.connected) process.send!(news);
};

// The parent process has gone, so this process has no work left.
process.on("disconnect", () => process.exit());

process.on("message", (order: ProcessOrder) => {
  follow(order).catch((error: unknown) => tell({ news: "failed", message: String((error as Error).message) }));
});

async function follow(order: ProcessOrder): Promise<void> {
  switch (order.order) {
    case "open":
      for (const id of order.ids) transports.set(id, await openUdp({ host: order.host, port: 0 }));
      tell({ news: "opened", members: order.ids.map((id) => ({ id, ...transports.get(id)!.address })) });
      break;
    case "join":
      join(order);
      tell({ news: "joined" });
      break;
    case "elect":
      await Promise.all([...members].map(([id, member]) => elect(id, member, order.election)));
      break;
    case "leave":
      await Promise.all([...members.values()].map((member) => member.close()));
      members.clear();
      transports.clear();
      tell({ news: "left" });
  }
}

function join({ members: group, key, impairment }: Extract<ProcessOrder, { order: "join" }>): void {
  const keyring = key === null ? insecureKeyring() : keyringOf([Buffer.from(key, "base64url")]);
  for (const [self, transport] of transports) {
    const extra = impairment === null ? {} : { impairment };
    members.set(self, new LiveMember({ self, members: group, keyring, transport, ...extra }));
  }
}

async function elect(self: number, member: LiveMember, election: GroupElection): Promise<void> {
  if (!election.members.some(({ id }) => id === self)) return;
  const { protocol, params, members: listed, ...options } = election;
  const { name } = options;
  const { protocol: found } = await loadProtocol(protocol);
  const membership = { members: listed, edges: [] };
  const outcome = await member.elect({
    ...options,
    protocol: found,
    params: parametersFor(found, params, membership),
    membership,
    initiator: null,
    state: null,
    onBegin: () => tell({ news: "begun", self, name }),
    onVerdict: (verdict) => tell({ news: "verdict", self, name, verdict }),
  });
  tell({ news: "outcome", self, name, outcome });
}
