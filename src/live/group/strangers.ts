/** What a member says about datagrams that it could not open: enough to find a wrong key, not a line for each. */
import type { DropReason } from "../counters.ts";
import type { World } from "../world.ts";
import { VERSION } from "./datagram.ts";

/** Milliseconds between two lines about datagrams that could not be opened. */
const SELDOM = 60_000;

/** Says now and then how many datagrams could not be opened, and once that somebody speaks a newer version. */
export class Strangers {
  private readonly world: World;
  private readonly tell: (why: string) => void;
  private count = 0;
  private saidAt = -Infinity;
  private saidVersion = false;

  constructor(world: World, tell: (why: string) => void) {
    this.world = world;
    this.tell = tell;
  }

  refused(reason: DropReason, version: number | null): void {
    if (version !== null && !this.saidVersion) {
      this.saidVersion = true;
      const why = `datagrams of version ${version} come in, but this program speaks ${VERSION}: bring all members to one version`;
      this.tell(why);
    }
    if (reason !== "unknown-key" && reason !== "unauthentic") return;
    this.count++;
    if (this.world.now() - this.saidAt < SELDOM) return;
    this.saidAt = this.world.now();
    const what = this.count === 1 ? "a datagram" : `${this.count} datagrams`;
    this.tell(`${what} could not be opened: another key, another group, or no member at all`);
  }
}
