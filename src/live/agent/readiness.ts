/** Whether an agent is of use: part of its group, and with an engine that answers, or did so lately. */

import type { MemberEvent } from "../../events/events.ts";
import { DEFAULT_TTL } from "../../protocols/lease/params.ts";
import type { World } from "../world.ts";

export interface Ready {
  readonly ready: boolean;
  readonly why?: string;
}

export class Readiness {
  private readonly world: Pick<World, "now">;
  /** Milliseconds that an engine may be silent: leases last as long. */
  private readonly patience: number;
  private hasJoined = false;
  private silent: { readonly since: number; readonly why: string } | null = null;
  private ending: string | null = null;

  constructor(world: Pick<World, "now">, leaseTtl: number = DEFAULT_TTL) {
    this.world = world;
    this.patience = leaseTtl;
  }

  joined(): void {
    this.hasJoined = true;
  }

  leaving(why: string): void {
    this.ending ??= why;
  }

  told(event: MemberEvent): void {
    if (event.event !== "engine") return;
    if (event.engine === "answers") this.silent = null;
    else this.silent ??= { since: this.world.now(), why: event.why ?? "it does not answer" };
  }

  now(): Ready {
    if (this.ending !== null) return { ready: false, why: this.ending };
    if (!this.hasJoined) return { ready: false, why: "it does not know its group yet" };
    if (this.silent !== null && this.world.now() - this.silent.since > this.patience) {
      return { ready: false, why: `the engine grants and renews nothing: ${this.silent.why}` };
    }
    return { ready: true };
  }
}
