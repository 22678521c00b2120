/** Examples that a paper draws: their schedules, which stand in the texts, and their pictures. */
import { csvOf } from "../plot/csv.ts";
import type { PlayedTrace } from "../trace/played.ts";
import type { Drawn } from "./draw.ts";
import { textsOf } from "./texts.ts";

/** The schedule of a drawn example. */
export const movesOf = (name: string): string[] => textsOf("ramanathan").say(name, "moves").split("; ");

/** A space-time diagram; its data are the messages. */
export function drawn({ events, draw }: PlayedTrace): Drawn {
  const rows = events.flatMap((event) =>
    event.do === "deliver"
      ? [[events[event.cause!].at, event.at, event.from, event.node, JSON.stringify(event.message)]]
      : [],
  );
  return { csv: csvOf(["sent", "arrived", "from", "to", "message"], rows), svg: draw };
}
