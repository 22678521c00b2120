/**
 * What a member tells its program, in the order in which the program sees it: in a report what has happened is written down; once
 * everything has left it is told, the events first, then the report. A listener that throws stops nothing.
 */
import type { GroupReport } from "../../elector/report.ts";
import { type GroupNews, hasField, type MemberEvent } from "../../events/events.ts";
import type { MemberSettings } from "../../settings/member.ts";
import { callUser } from "../call-user.ts";
import { jsonable } from "../jsonable.ts";
import { type HeldLeadership, heldIn } from "../leading/scope.ts";
import type { World } from "../world.ts";
import { LeaderHistory } from "./history.ts";

/** Who is told. */
export interface ChronicleReader {
  onEvent(event: MemberEvent): void;
  /** Something has changed: after everything has left, and after the events of it. */
  onReport?(report: GroupReport): void;
}

/** What a report does not say. */
export interface ReportSurroundings {
  /** Milliseconds until a timer of the machine is due. */
  left(timer: string): number | null;
  /** Whether there is work that can settle. */
  isWorking(seat: string): boolean;
  fence(held: HeldLeadership): string | null;
}

export class Chronicle {
  private readonly reader: ChronicleReader;
  readonly history: LeaderHistory;
  private readonly world: Pick<World, "soon">;
  /** What is told next. */
  private readonly news: MemberEvent[];
  private hasChanged = false;
  /** How many members there were in the last view that was told. */
  private told = -1;

  /** `news`: what has happened before, and what is found out until the first report. */
  constructor(options: MemberSettings & ChronicleReader, world: Pick<World, "soon" | "wall">, news: MemberEvent[]) {
    this.reader = options;
    this.history = new LeaderHistory(options, () => world.wall());
    this.world = world;
    this.news = news;
  }

  /** At once: of what is no part of a report. */
  tell(event: MemberEvent): void {
    const told = jsonable(this.history.told(event));
    callUser(() => this.reader.onEvent(told));
  }

  dropped(why: string): void {
    this.tell({ event: "dropped", why });
  }

  /** Deadlines that have passed meanwhile come first. */
  stalled(ms: number): void {
    this.later({ event: "stalled", ms, why: `this process was paused, or busy, for ${ms} ms` });
  }

  /** Of what was noticed within a handler: nothing of users runs there. */
  later(event: MemberEvent): void {
    this.news.push(event);
    this.world.soon(() => this.flush());
  }

  /** In a report that has changed. No view is told twice in a row that is of the same size. */
  record(report: GroupReport, surroundings: ReportSurroundings): void {
    this.hasChanged = true;
    for (const event of report.news) {
      if (event.event === "view" && report.members === this.told) continue;
      if (event.event === "view") this.told = report.members;
      if (event.event === "settling" && !surroundings.isWorking(event.office!)) continue;
      this.news.push(memberEvent(event, report, surroundings));
    }
  }

  /** Once everything has left. */
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

/** The machine's news with what only its host knows. Tokens are whole numbers of any size for programs. */
function memberEvent(said: GroupNews, report: GroupReport, surroundings: ReportSurroundings): MemberEvent {
  const { token, ...event } = said;
  return {
    ...event,
    ...(hasField(event.event, "members") && { members: report.members }),
    ...ofOffice(event, report, surroundings),
    ...(hasField(event.event, "token") && { token: token === undefined ? null : BigInt(token) }),
  } as MemberEvent;
}

/** What is known of the office that an event is about. */
function ofOffice({ event, office: seat }: GroupNews, report: GroupReport, surroundings: ReportSurroundings) {
  const office = seat === undefined ? undefined : report.offices[seat];
  if (seat === undefined || office === undefined) return {};
  const { epsilon, loss, lossLow, lossFrom, protocol, lapse, token } = office;
  // With leases two winners are not two leaders.
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
