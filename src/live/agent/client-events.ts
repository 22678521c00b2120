/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), as much of them as an agent sends. */

/** One event of an agent. */
export interface AgentEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: unknown;
}

/** A status of a thousand members is some hundred kilobytes. */
const LONGEST = 8 * 1024 * 1024;

/** What is no event of an agent is skipped. Ends with the stream, also where that breaks off. `heard`: something has come, if only a comment. */
export async function* eventsIn(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<AgentEvent, void> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of body) {
      heard();
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/);
      rest = blocks.pop()!;
      if (rest.length > LONGEST) return;
      for (const block of blocks) {
        const event = eventIn(block);
        if (event !== null) yield event;
      }
    }
  } catch (error) {
    // A connection that ends in the midst of it is an end as any other: whoever wants to know more asks again.
    if (!(error instanceof Error)) throw error;
  }
}

/** Null for comments, and for what is no JSON. */
function eventIn(block: string): AgentEvent | null {
  let event = "message";
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === "event") event = value;
    else if (field === "id") id = value;
    else if (field === "data") data.push(value);
  }
  if (data.length === 0) return null;
  try {
    return { event, id, data: JSON.parse(data.join("\n")) };
  } catch {
    return null;
  }
}
