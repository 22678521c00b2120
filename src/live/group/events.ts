/** What a member tells: the machine's news, with what only its host knows, and what this process says of itself. */
import type { GroupEvent, GroupReport, OfficeReport } from "../../elector/report.ts";
import { type Held, heldIn } from "../leading/scope.ts";

/** What the machine says has happened, and what this process says of itself. */
export type MemberEvent = Omit<GroupEvent, "event"> & {
  readonly event:
    | GroupEvent["event"]
    /** It listens, and where others reach it. */
    | "started"
    /** Nothing was saved, or what was saved is damaged: a new member, perhaps under an old name. */
    | "new"
    /** Nobody has answered yet. */
    | "alone"
    /** A name of which no address is known. */
    | "unresolved"
    /** Datagrams that were not acted on: of another key, group or version; or members that do not have this one's key. */
    | "dropped"
    /** Work that leads an office has thrown an error; was told to stop and has not. */
    | "threw"
    | "unsettled"
    /** This process stood still, or its event loop was busy, for `ms`: deadlines that have passed meanwhile have come first. */
    | "stalled";
  readonly address?: string;
  /** What is left of this member's own lease on the office, in milliseconds and by its own deadline; missing where it has none. */
  readonly leaseMs?: number;
  /** With `leads`, where there is a lease: what guards verify. A secret while the lease lasts. */
  readonly fence?: string;
  readonly ms?: number;
  /** With `leader`: how sure it is to be the only one, and by which loss (`EPSILON_CAVEAT` says what is left out). */
  readonly odds?: Pick<OfficeReport, "epsilon" | "loss" | "lossLow" | "lossFrom" | "protocol">;
};

/** Events that change how many members there are. */
const COUNTED: ReadonlySet<MemberEvent["event"]> = new Set(["joined", "failed", "left", "view"]);

/** Events that say what is left of this member's own lease. */
const OWN: ReadonlySet<MemberEvent["event"]> = new Set(["leader", "leads", "settling"]);

export interface ChronicleHooks {
  /** Milliseconds until a timer of the machine is due. */
  left(timer: string): number | null;
  /** Whether there is work that can settle. */
  isWorking(seat: string): boolean;
  fence(held: Held): string | null;
}

/** Turns reports into events: each version once, and no view twice in a row that is of the same size. */
export class Chronicle {
  private version = -1;
  /** How many members there were in the last view that was told. */
  private told = -1;
  private readonly hooks: ChronicleHooks;

  constructor(hooks: ChronicleHooks) {
    this.hooks = hooks;
  }

  of(report: GroupReport): readonly MemberEvent[] {
    if (report.version === this.version) return [];
    this.version = report.version;
    const { members } = report;
    return report.news.flatMap((event) => {
      if (event.event === "view" && members === this.told) return [];
      if (event.event === "view") this.told = members;
      if (event.event === "settling" && !this.hooks.isWorking(event.office!)) return [];
      return [COUNTED.has(event.event) ? { ...event, members } : this.enriched(event, report)];
    });
  }

  private enriched(event: GroupEvent, { offices }: GroupReport): MemberEvent {
    const office = event.office === undefined ? undefined : offices[event.office];
    if (office === undefined) return event;
    const { epsilon, loss, lossLow, lossFrom, protocol, lapse, token } = office;
    // With leases two winners are not two leaders.
    if (event.event === "leader" && loss !== null && token === null) {
      return { ...event, odds: { epsilon, loss, lossLow, lossFrom, protocol } };
    }
    const left = OWN.has(event.event) && lapse !== null ? this.hooks.left(lapse) : null;
    if (left === null) return event;
    const fence = event.event === "leads" ? this.hooks.fence(heldIn(event.office!, office)) : null;
    return { ...event, leaseMs: Math.max(0, Math.floor(left)), ...(fence !== null && { fence }) };
  }
}
