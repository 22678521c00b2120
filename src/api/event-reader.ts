/**
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), read from pieces of text: what EventSource
 * does, but with a limit, and for requests with headers.
 */

export interface ServerEvent {
  /** The last id that was sent, for `Last-Event-ID`; empty before the first. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Characters of one event, or of one answer. A status of a thousand members is some hundred kilobytes. */
export const LONGEST_ANSWER = 8_000_000;

export class EventReader {
  private id = "";
  private rest = "";
  private event = "";
  private data: string[] = [];
  private size = 0;

  /** Whole events in the order in which they came; comments, such as heart-beats, are none. */
  *read(text: string): Generator<ServerEvent> {
    // A long line comes in many pieces, which are looked at once.
    const isMore = !/[\r\n]/.test(text) && !this.rest.endsWith("\r");
    this.rest += text;
    // A lone carriage return at the end may be half of a line's end.
    const lines = isMore ? [this.rest] : this.rest.split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop()!;
    this.mustFit(this.rest.length);
    for (const line of lines) {
      const event = this.line(line);
      if (event !== null) yield event;
    }
  }

  private line(line: string): ServerEvent | null {
    if (line === "") return this.ended();
    this.size += line.length;
    this.mustFit(0);
    const [, field, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (field === "event") this.event = value ?? "";
    else if (field === "data") this.data.push(value ?? "");
    else if (field === "id" && !value?.includes("\0")) this.id = value ?? "";
    return null;
  }

  private ended(): ServerEvent | null {
    const { id, event, data } = this;
    this.event = "";
    this.data = [];
    this.size = 0;
    return data.length === 0 ? null : { id, event: event || "message", data: data.join("\n") };
  }

  private mustFit(more: number): void {
    if (this.size + more > LONGEST_ANSWER)
      throw new RangeError(`an event of more than ${LONGEST_ANSWER / 1e6} MB came`);
  }
}
