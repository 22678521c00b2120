/** What a group did, in the words of a transcript: who acts, what that means, and below it what followed. */
import type { Verdict } from "../protocol.ts";
import { eventText, time } from "./describe.ts";
import { happens } from "./events.ts";
import { plainText, type Story, sentenceOf } from "./story.ts";

/** The events from number `from` on. */
export function transcriptLines(story: Story, from: number, timed: boolean): string[] {
  const { events, told, scene } = story;
  const lines: string[] = [];
  let at = from === 0 ? 0 : (events[from - 1]?.at ?? 0);
  for (let i = from; i < events.length; i++) {
    const event = events[i];
    if (timed && event.at !== at) lines.push(`at ${time(event.at)}`);
    at = event.at;
    const sentence = told.get(i);
    const own = sentence === undefined || sentence.general ? null : sentence;
    if (event.do === "start" && own !== null) lines.push(own.text);
    else if (happens(event)) lines.push(plainText(event, scene));
    else if (event.do === "lose" || event.do === "duplicate") lines.push(`  ${sentenceOf(story, i)}`);
    else lines.push(`  ${eventText(event, scene.name)}`);
    const means = own === null ? (sentence?.brief ?? null) : own.as === null ? own.says : own.text;
    if (means !== null && event.do !== "start") lines.push(`  ${means}`);
  }
  return lines;
}

/** `verdict` is null for a process that has crashed. */
export function verdictLine(name: string, verdict: Verdict | null): string {
  if (verdict === null) return `${name} has crashed`;
  const { status, leader } = verdict;
  if (status === "elected") return `${name} is elected`;
  if (status === "undecided") return `${name} is undecided`;
  return `${name} is not elected${leader === null ? "" : `, follows id ${leader}`}`;
}
