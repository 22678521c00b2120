/** A server that answers as an agent does, about members that a test has made up. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { AgentMembers } from "../../src/api/client.ts";

type OneMember = AgentMembers["members"][number];
type OneRecent = AgentMembers["recent"][number];

const keysOf = (opens: readonly string[] | null) => (opens === null ? null : { seals: opens[0], opens: [...opens] });

/** `opens`: ids, the sealing one first; null: it does not say. */
export const member = (name: string, opens: readonly string[] | null, rest: Partial<OneMember> = {}): OneMember => ({
  name,
  address: `10.0.0.1:${7000 + name.length}`,
  state: "alive",
  zone: "",
  priority: 0,
  weight: 1,
  self: name === "a",
  keys: keysOf(opens),
  ...rest,
});

export const gone = (name: string, opens: readonly string[] | null, state: OneRecent["state"]): OneRecent => ({
  name,
  address: "10.0.0.9:7001",
  state,
  agoMs: 60_000,
  keys: keysOf(opens),
});

export class FakeAgent {
  members: OneMember[] = [];
  recent: OneRecent[] = [];
  /** What `rekey` says it has then; null: it wants a token. */
  rekeyed: readonly string[] | null = null;
  /** Before it answers. */
  asked: () => void = () => {};
  readonly url: string;
  private readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<FakeAgent> {
    let agent: FakeAgent | null = null;
    const server = createServer((request, response) => {
      const { members, recent, rekeyed } = agent!;
      agent!.asked();
      if (request.url === "/v1/members") response.end(JSON.stringify({ group: "g", self: "a", members, recent }));
      else if (request.url === "/v1/rekey" && rekeyed !== null) {
        response.end(JSON.stringify({ group: "g", keys: keysOf(rekeyed) }));
      } else response.writeHead(401).end("{}");
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    agent = new FakeAgent(server);
    return agent;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
