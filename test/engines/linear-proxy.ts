/** Stands between clients and a server: holds requests and answers back for a while, or cuts the connection in their place. */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Source } from "../../src/random/source.ts";

export interface Manners {
  /** How often something is held back, and for how long at most, in milliseconds. */
  readonly late: number;
  readonly delay: number;
  /** How often it is lost, with the connection. */
  readonly lost: number;
}

export const HONEST: Manners = { late: 0, delay: 0, lost: 0 };

export class FaultyProxy {
  manners: Manners = HONEST;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly draws: Source;

  private constructor(to: number, draws: Source) {
    this.draws = draws;
    this.server = createServer((near) => this.join(near, connect(to, "127.0.0.1")));
  }

  static async to(port: number, draws: Source): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(port, draws);
    proxy.server.listen(0, "127.0.0.1");
    await once(proxy.server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, "close");
  }

  private join(near: Socket, far: Socket): void {
    this.carry(near, far);
    this.carry(far, near);
  }

  /** In order. A message that was taken in is delivered even if its sender has gone meanwhile. */
  private carry(from: Socket, to: Socket): void {
    this.sockets.add(from);
    let way = Promise.resolve();
    from.on("data", (chunk) => {
      const { late, delay, lost } = this.manners;
      if (this.draws.coin(lost)) {
        from.destroy();
        to.destroy();
        return;
      }
      const ms = this.draws.coin(late) ? this.draws.uniform() * delay : 0;
      way = way.then(async () => {
        if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
        to.write(chunk);
      });
    });
    from.on("error", () => {});
    from.on("close", () => {
      this.sockets.delete(from);
      void way.then(() => to.end());
    });
  }
}
