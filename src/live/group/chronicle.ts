/**
 * What a member tells its program, and in which order. While a report is made, events are noted. Once all messages have left, the program
 * is told the events, then the report. A listener that throws does no harm.
 */
import type { GroupReport } from "../../elector/report.ts";
import { type GroupNews, hasField, type MemberEvent } from "../../events/events.ts";
import type { MemberSettings } from "../../settings/member.ts";
import { callUser } from "../call-user.ts";
import { jsonable } from "../jsonable.ts";
import { type HeldLeadership, heldIn } from "../leading/scope.ts";
import type { World } from "../world.ts";
import { LeaderHistory } from "./history.ts";

/** The program's listeners. */
export interface ChronicleReader {
  onEvent(event: MemberEvent): void;
  /** The report has changed; called after all messages have left and the events were told. */
  onReport?(report: GroupReport): void;
}

/** What events need beside the report. */
export interface ReportSurroundings {
  /** Milliseconds until a timer of the machine is due. */
  left(timer: string): number | null;
  /** Whether work of this seat has to settle. */
  isWorking(seat: string): boolean;
  fence(held: HeldLeadership): string | null;
}

export class Chronicle {
  private readonly reader: ChronicleReader;
  readonly history: LeaderHistory;
  private readonly world: Pick<World, "soon">;
  /** Events to tell next. */
  private readonly news: MemberEvent[];
  private hasChanged = false;
  /** The number of members in the last view that was told. */
  private told = -1;

  /** `news`: events before the first report. */
  constructor(options: MemberSettings & ChronicleReader, world: Pick<World, "soon" | "wall">, news: MemberEvent[]) {
    this.reader = options;
    this.history = new LeaderHistory(options, () => world.wall());
    this.world = world;
    this.news = news;
  }

  /** Tells an event that is not part of a report, at once. */
  tell(event: MemberEvent): void {
    const told = jsonable(this.history.told(event));
    callUser(() => this.reader.onEvent(told));
  }

  dropped(why: string): void {
    this.tell({ event: "dropped", why });
  }

  /** A pause was noticed; deadlines that have passed meanwhile are handled first. */
  stalled(ms: number): void {
    this.later({ event: "stalled", ms, why: `this process was paused, or busy, for ${ms} ms` });
  }

  /** Tells an event soon: it was noticed within a handler, where no code of users runs. */
  later(event: MemberEvent): void {
    this.news.push(event);
    this.world.soon(() => this.flush());
  }

  /** Notes the events of a changed report. A view of the same size as the last one is left out. */
  record(report: GroupReport, surroundings: ReportSurroundings): void {
    this.hasChanged = true;
    for (const event of report.news) {
      if (event.event === "view" && report.members === this.told) continue;
      if (event.event === "view") this.told = report.members;
      if (event.event === "settling" && !surroundings.isWorking(event.office!)) continue;
      this.news.push(memberEvent(event, report, surroundings));
    }
  }

  /** All messages have left: tells the events and the report. */
  release(report: GroupReport): void {
    this.flush();
    if (!this.hasChanged) return;
    this.hasChanged = false;
    this.reader.onReport?.(report);
  }

  private flush(): void {
    if (this.news.length === 0) return;
    for (const event of this.news.splice(0)) this.tell(event);
  }
}

/** An event of the machine with the fields that only its host knows. For programs, tokens are bigints. */
function memberEvent(said: GroupNews, report: GroupReport, surroundings: ReportSurroundings): MemberEvent {
  const { token, ...event } = said;
  return {
    ...event,
    ...(hasField(event.event, "members") && { members: report.members }),
    ...ofOffice(event, report, surroundings),
    ...(hasField(event.event, "token") && { token: token === undefined ? null : BigInt(token) }),
  } as MemberEvent;
}

/** The fields that the report has of an event's office. */
function ofOffice({ event, office: seat }: GroupNews, report: GroupReport, surroundings: ReportSurroundings) {
  const office = seat === undefined ? undefined : report.offices[seat];
  if (seat === undefined || office === undefined) return {};
  const { epsilon, loss, lossLow, lossFrom, protocol, lapse, token } = office;
  // With leases there are no odds: two winners are not two leaders.
  if (hasField(event, "odds") && loss !== null && token === null) {
    return { odds: { epsilon, loss, lossLow, lossFrom, protocol } };
  }
  const left = hasField(event, "leaseMs") && lapse !== null ? surroundings.left(lapse) : null;
  const leaseMs = left === null ? null : Math.max(0, Math.floor(left));
  return {
    ...(leaseMs !== null && { leaseMs }),
    ...(hasField(event, "fence") && { fence: leaseMs === null ? null : surroundings.fence(heldIn(seat, office)) }),
  };
}
