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
  /** With `leads`, under a lease: what was left of it when this was told, by this member's own deadline. */
  readonly leaseMs?: number;
  /** With `leader`: how sure it is to be the only one, and by which loss (`EPSILON_CAVEAT` says what is left out). */
  readonly odds?: Pick<OfficeReport, "epsilon" | "loss" | "lossLow" | "lossFrom" | "protocol">;
};

/** Events that change how many members there are. */
const COUNTED: ReadonlySet<MemberEvent["event"]> = new Set(["joined", "failed", "left", "view"]);

/** Turns reports into events: each version once, and no view twice in a row that is of the same size. */
export class Chronicle {
  private version = -1;
  /** How many members there were in the last view that was told. */
  private told = -1;
  private readonly left: (timer: string) => number | null;

  /** `left`: milliseconds until a timer of the machine is due. */
  constructor(left: (timer: string) => number | null) {
    this.left = left;
  }

  of(report: GroupReport): readonly MemberEvent[] {
    if (report.version === this.version) return [];
    this.version = report.version;
    const { members } = report;
    return report.news.flatMap((event) => {
      if (event.event === "view" && members === this.told) return [];
      if (event.event === "view") this.told = members;
      return [COUNTED.has(event.event) ? { ...event, members } : this.enriched(event, report)];
    });
  }

  private enriched(event: GroupEvent, { offices }: GroupReport): MemberEvent {
    const office = event.office === undefined ? undefined : offices[event.office];
    if (office === undefined) return event;
    const { epsilon, loss, lossLow, lossFrom, protocol, lapse } = office;
    if (event.event === "leader" && loss !== null) {
      return { ...event, odds: { epsilon, loss, lossLow, lossFrom, protocol } };
    }
    const left = event.event === "leads" && lapse !== null ? this.left(lapse) : null;
    return left === null ? event : { ...event, leaseMs: Math.max(0, Math.floor(left)) };
  }
}
