/** What happens in the group, as texts of server-sent events. The latest are kept, so that a reader that was cut off can resume. */
import { EVENT_NAMES, type MemberEvent, openFields } from "../../../events/events.ts";
import { jsonText } from "../../../events/fields.ts";
import type { GroupMember } from "../../join/member.ts";
import type { World } from "../../world.ts";
import { type CommandHeld, statusAnswer } from "./answers.ts";

/** A reader that asks for events after this one gets all that are kept, then the status. */
const ALL_KEPT = "0";

interface EventLogSetup {
  readonly member: GroupMember;
  readonly world: Pick<World, "wall" | "bytes">;
  readonly commandHeld?: CommandHeld | undefined;
  /** So many events are kept. */
  readonly kept: number;
  /** Tells an event to all readers. */
  publish(text: string): void;
}

export class EventLog {
  private readonly setup: EventLogSetup;
  /** Of this run of the agent: the numbers of another one mean nothing here. */
  private readonly run: string;
  private readonly kept: { readonly number: number; readonly text: string }[] = [];
  private number = 0;
  private readonly listener = (event: MemberEvent) => this.tell(event);

  constructor(setup: EventLogSetup) {
    this.setup = setup;
    this.run = setup.world.bytes(4).toString("hex");
    for (const name of EVENT_NAMES) setup.member.on(name, this.listener);
  }

  /** What a reader is told at once; `id`: of the last event that it has read. */
  first(id: string | undefined): string {
    if (id === ALL_KEPT) return `${this.kept.map((each) => each.text).join("")}${this.status(false)}`;
    const missed = this.after(id);
    return missed === null || missed === false ? this.status(missed === false) : missed.join("");
  }

  /** The last event of all streams. */
  close(why: string): string {
    for (const name of EVENT_NAMES) this.setup.member.off(name, this.listener);
    return text("end", this.id(this.number), { at: this.setup.world.wall(), why });
  }

  private tell(event: MemberEvent): void {
    this.number++;
    const said = text(event.event, this.id(this.number), { at: this.setup.world.wall(), ...openFields(event) });
    this.kept.push({ number: this.number, text: said });
    if (this.kept.length > this.setup.kept) this.kept.shift();
    this.setup.publish(said);
  }

  private id(number: number): string {
    return `${this.run}-${number}`;
  }

  /** What came after an event; null if none is named, false if that is not kept any more. */
  private after(id: string | undefined): readonly string[] | null | false {
    if (id === undefined) return null;
    const [run, digits] = id.split("-");
    if (run !== this.run || !/^\d{1,15}$/.test(digits ?? "")) return false;
    const number = Number(digits);
    if (number > this.number || this.number - number > this.kept.length) return false;
    return this.kept.filter((each) => each.number > number).map((each) => each.text);
  }

  private status(gap: boolean): string {
    const { at, ...all } = statusAnswer(this.setup.member, this.setup.world.wall(), this.setup.commandHeld);
    return text("status", this.id(this.number), { at, gap, ...all });
  }
}

/** JSON has no line ends, so data is one line. */
const text = (event: string, id: string, data: object): string =>
  `event: ${event}\nid: ${id}\ndata: ${jsonText(data)}\n\n`;
