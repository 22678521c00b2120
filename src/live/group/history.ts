/** Why leaders changed, as one member sees it, and the latest changes. */
import type { MemberEvent } from "../../events/events.ts";
import type { MemberSettings } from "../../settings/member.ts";
import { jsonable } from "../jsonable.ts";

/**
 * `first`: nobody led before, as far as this member knows. `left`, `failed`: the former leader has left, or was taken for dead.
 * `lease expired`: its lease ran out. `handed over`, `balanced`, `resigned`: the former leader gave the office up, to the new leader, to
 * spread seats, or to any member; other members see only `given up`. `threw`: its work has failed.
 */
export type LeaderCause =
  | "first"
  | "left"
  | "failed"
  | "lease expired"
  | "handed over"
  | "balanced"
  | "resigned"
  | "threw"
  | "given up";

/** One change of leader. */
export interface LeaderChange {
  /** Milliseconds since 1970, by the clock of this member. */
  readonly at: number;
  readonly office: string;
  readonly leader: string;
  /** The leader before; null if this member knows of none. */
  readonly former: string | null;
  readonly term: number;
  /** Null without leases. */
  readonly token: bigint | null;
  readonly cause: LeaderCause;
}

const KEPT = 50;

export class LeaderHistory {
  private readonly settings: MemberSettings;
  private readonly wall: () => number;
  private readonly kept: LeaderChange[] = [];
  /** By office: the last leader, and the cause of its end, if it is known. */
  private readonly last = new Map<string, { readonly leader: string; why: LeaderCause | null }>();

  constructor(settings: MemberSettings, wall: () => number) {
    this.settings = settings;
    this.wall = wall;
  }

  get changes(): readonly LeaderChange[] {
    return [...this.kept];
  }

  /** This member is about to give a seat up. */
  gives(office: string, why: LeaderCause): void {
    const last = this.last.get(office);
    if (last?.leader === this.settings.name) last.why ??= why;
  }

  /** The event to tell: a change of leader gets its cause and the former leader. */
  told(event: MemberEvent): MemberEvent {
    if (event.event === "left" || event.event === "failed") {
      for (const last of this.last.values()) if (last.leader === event.member) last.why ??= event.event;
    } else if (event.event === "lapsed" || event.event === "unreachable") this.expired(event.office);
    else if (event.event === "threw" && event.failures > 0) this.gives(event.office, "threw");
    else if (event.event === "leader") return this.changed(event);
    return event;
  }

  private expired(office: string): void {
    const last = this.last.get(office);
    if (last !== undefined) last.why = "lease expired";
  }

  private changed(event: Extract<MemberEvent, { event: "leader" }>): MemberEvent {
    const { office, leader, term, token } = event;
    const last = this.last.get(office);
    const former = last?.leader ?? null;
    const cause = last === undefined ? "first" : (last.why ?? "given up");
    this.last.set(office, { leader, why: null });
    this.kept.push(jsonable({ at: this.wall(), office, leader, former, term, token, cause }));
    if (this.kept.length > KEPT) this.kept.shift();
    return { ...event, cause, ...(former !== null && { former }) };
  }
}
