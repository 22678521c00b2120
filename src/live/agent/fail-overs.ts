/** How long offices were without a leader, as one member sees it: from the end of a known one to the beginning of the next. */
import type { MemberEvent } from "../../events/events.ts";
import type { World } from "../world.ts";

export class FailOvers {
  private readonly world: Pick<World, "now">;
  private readonly over: (office: string, ms: number) => void;
  private readonly leaders = new Map<string, string>();
  private readonly since = new Map<string, number>();

  /** `over`: of each, when the next leader is known. */
  constructor(world: Pick<World, "now">, over: (office: string, ms: number) => void) {
    this.world = world;
    this.over = over;
  }

  told(event: MemberEvent): void {
    if (event.event === "failed" || event.event === "left") {
      for (const [office, leader] of this.leaders) if (leader === event.member) this.gone(office);
    } else if (event.event === "none" || event.event === "unreachable") this.gone(event.office);
    else if (event.event === "leader") this.leads(event.office, event.leader);
  }

  private gone(office: string): void {
    // Before the first one nobody has failed.
    if (this.leaders.delete(office)) this.since.set(office, this.world.now());
  }

  private leads(office: string, leader: string): void {
    const since = this.since.get(office);
    this.since.delete(office);
    this.leaders.set(office, leader);
    if (since !== undefined) this.over(office, this.world.now() - since);
  }
}
