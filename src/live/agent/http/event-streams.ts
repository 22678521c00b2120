/**
 * What happens, as server-sent events. The latest are kept, so that whoever was cut off can go on where it was; readers that do not
 * keep up are cut off, because what waits for them is memory of the agent.
 */
import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { EVENT_NAMES, type MemberEvent, openFields } from "../../../events/events.ts";
import { jsonText } from "../../../events/fields.ts";
import type { GroupMember } from "../../join/member.ts";
import { type Cancel, every, type World } from "../../world.ts";
import { statusAnswer } from "./answers.ts";
import type { HttpContext } from "./problem.ts";
import { ApiError } from "./problem.ts";

export interface StreamLimits {
  /** How many streams at a time. */
  readonly streams: number;
  /** Bytes that may wait for one reader. */
  readonly backlog: number;
  /** Milliseconds between signs of life; a reader who has taken nothing in between, though something waits, is cut off. */
  readonly beat: number;
  /** Events that are kept. */
  readonly kept: number;
}

export const STREAM_LIMITS: StreamLimits = { streams: 64, backlog: 1024 * 1024, beat: 10_000, kept: 256 };

interface Stream {
  readonly outgoing: ServerResponse;
  /** Bytes that had left by the last sign of life. */
  taken: number;
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  // Proxies that collect answers would keep events back.
  "x-accel-buffering": "no",
};

/** For whoever wants to know what happened before: all events that are kept, then the status. */
const ALL_KEPT = "0";
/** A client of our own would come back after so many milliseconds. */
const RETRY = 1000;

export class EventStreams {
  private readonly member: GroupMember;
  private readonly world: Pick<World, "wall" | "set">;
  private readonly limits: StreamLimits;
  private readonly readers = new Set<Stream>();
  /** Of this run of the agent: the numbers of another one mean nothing here. */
  private readonly run: string;
  private kept: { readonly number: number; readonly text: string }[] = [];
  private number = 0;
  private beat: Cancel | null = null;
  private isClosed = false;
  private readonly listener = (event: MemberEvent) => this.publish(event);

  constructor(member: GroupMember, world: Pick<World, "wall" | "set" | "bytes">, limits: StreamLimits) {
    this.member = member;
    this.world = world;
    this.limits = limits;
    this.run = world.bytes(4).toString("hex");
    for (const name of EVENT_NAMES) member.on(name, this.listener);
  }

  get count(): number {
    return this.readers.size;
  }

  open({ env: { incoming, outgoing }, req }: HttpContext): Response {
    if (incoming.method === "HEAD") return new Response(null, { headers: HEADERS });
    if (this.isClosed || this.readers.size >= this.limits.streams) {
      throw new ApiError(
        "TOO_MANY",
        this.isClosed ? "the agent is about to end" : `${this.limits.streams} event streams are open already`,
        "close one, or ask again later",
        { "retry-after": "5" },
      );
    }
    const first = this.first(req.header("last-event-id"));
    outgoing.writeHead(200, HEADERS);
    const stream: Stream = { outgoing, taken: 0 };
    this.readers.add(stream);
    this.beat ??= every(this.world as World, this.limits.beat, () => this.pulse());
    outgoing.once("close", () => this.forget(stream));
    outgoing.write(`retry: ${RETRY}\n\n${first}`);
    return RESPONSE_ALREADY_SENT;
  }

  /** Every reader is told that this was the last event; nobody is waited for. */
  close(why: string): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const name of EVENT_NAMES) this.member.off(name, this.listener);
    const last = text("end", this.id(this.number), { at: this.world.wall(), why });
    for (const { outgoing } of [...this.readers]) outgoing.end(last);
    this.beat?.();
    this.beat = null;
  }

  private publish(event: MemberEvent): void {
    this.number++;
    const said = text(event.event, this.id(this.number), { at: this.world.wall(), ...openFields(event) });
    this.kept.push({ number: this.number, text: said });
    if (this.kept.length > this.limits.kept) this.kept.shift();
    for (const stream of [...this.readers]) this.tell(stream, said);
  }

  private tell({ outgoing }: Stream, said: string): void {
    if (outgoing.writableLength > this.limits.backlog) outgoing.destroy();
    else outgoing.write(said);
  }

  private pulse(): void {
    for (const stream of [...this.readers]) {
      const { outgoing, taken } = stream;
      const waiting = outgoing.writableLength;
      stream.taken = (outgoing.socket?.bytesWritten ?? 0) - waiting;
      if (waiting > 0 && stream.taken === taken) outgoing.destroy();
      else this.tell(stream, ": still here\n\n");
    }
  }

  private forget(stream: Stream): void {
    this.readers.delete(stream);
    if (this.readers.size > 0) return;
    this.beat?.();
    this.beat = null;
  }

  private id(number: number): string {
    return `${this.run}-${number}`;
  }

  /** What a reader is told at once. */
  private first(id: string | undefined): string {
    if (id === ALL_KEPT) return `${this.kept.map((each) => each.text).join("")}${this.status(false)}`;
    const missed = this.after(id);
    return missed === null || missed === false ? this.status(missed === false) : missed.join("");
  }

  /** What came after an event; null where none is named, false where that cannot be told any more. */
  private after(id: string | undefined): readonly string[] | null | false {
    if (id === undefined) return null;
    const [run, digits] = id.split("-");
    if (run !== this.run || !/^\d{1,15}$/.test(digits ?? "")) return false;
    const number = Number(digits);
    if (number > this.number || this.number - number > this.kept.length) return false;
    return this.kept.filter((each) => each.number > number).map((each) => each.text);
  }

  private status(gap: boolean): string {
    const { at, ...all } = statusAnswer(this.member, this.world.wall());
    return text("status", this.id(this.number), { at, gap, ...all });
  }
}

/** JSON has no line ends, so data is one line. */
const text = (event: string, id: string, data: object): string =>
  `event: ${event}\nid: ${id}\ndata: ${jsonText(data)}\n\n`;
