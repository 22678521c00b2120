/** What a member tells: the machine's news, with what only its host knows, and what this process says of itself. */
import type { GroupEvent, GroupReport, OfficeReport } from "../../elector/report.ts";

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
    /** Datagrams that were not acted on: of another key, group or version. */
    | "dropped"
    /** Work that leads an office has thrown an error; was told to stop and has not. */
    | "threw"
    | "unsettled";
  readonly address?: string;
  /** What is left of this member's own lease on the office, in milliseconds and by its own deadline; missing where it has none. */
  readonly leaseMs?: number;
  /** With `leader`: how sure it is to be the only one, and by which loss (`EPSILON_CAVEAT` says what is left out). */
  readonly odds?: Pick<OfficeReport, "epsilon" | "loss" | "lossLow" | "lossFrom" | "protocol">;
};

/** Events that change how many members there are. */
const COUNTED: ReadonlySet<MemberEvent["event"]> = new Set(["joined", "failed", "left", "view"]);

/** Events that say what is left of this member's own lease. */
const OWN: ReadonlySet<MemberEvent["event"]> = new Set(["leader", "leads", "settling"]);

/** Turns reports into events: each version once, and no view twice in a row that is of the same size. */
export class Chronicle {
  private version = -1;
  /** How many members there were in the last view that was told. */
  private told = -1;
  private readonly left: (timer: string) => number | null;
  private readonly isWorking: (seat: string) => boolean;

  /** `left`: milliseconds until a timer of the machine is due. `isWorking`: whether there is work that can settle. */
  constructor(left: (timer: string) => number | null, isWorking: (seat: string) => boolean) {
    this.left = left;
    this.isWorking = isWorking;
  }

  of(report: GroupReport): readonly MemberEvent[] {
    if (report.version === this.version) return [];
    this.version = report.version;
    const { members } = report;
    return report.news.flatMap((event) => {
      if (event.event === "view" && members === this.told) return [];
      if (event.event === "view") this.told = members;
      if (event.event === "settling" && !this.isWorking(event.office!)) return [];
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
    const left = OWN.has(event.event) && lapse !== null ? this.left(lapse) : null;
    return left === null ? event : { ...event, leaseMs: Math.max(0, Math.floor(left)) };
  }
}
