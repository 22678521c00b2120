/** A part of a story, whole in itself: a message that arrives has its sending, and a sending its step. */
import type { TraceEvent } from "../trace/events.ts";
import type { Sentence, Story } from "../trace/story.ts";

/** The steps that are wanted, with those that sent what arrives in them, and the sendings between. */
export function selectStory(story: Story, wanted: (event: TraceEvent, number: number) => boolean): Story {
  const { events, told, scene } = story;
  const kept = new Set<number>();
  for (const [number, event] of events.entries()) {
    if (event.do === "send" || event.do === "verdict" || !wanted(event, number)) continue;
    kept.add(number);
    const sending = event.cause;
    if (sending === null || events[sending].do !== "send") continue;
    kept.add(sending);
    const sender = events[sending].cause;
    if (sender !== null) kept.add(sender);
  }
  for (const [number, event] of events.entries()) {
    if (event.do === "verdict" && event.cause !== null && kept.has(event.cause)) kept.add(number);
  }
  const places = new Map([...kept].sort((a, b) => a - b).map((number, place) => [number, place]));
  const sentences: [number, Sentence][] = [];
  for (const [number, sentence] of told) {
    const place = places.get(number);
    if (place !== undefined) sentences.push([place, sentence]);
  }
  return {
    events: [...places.keys()].map((number) => {
      const { cause } = events[number];
      return { ...events[number], cause: cause === null ? null : (places.get(cause) ?? null) };
    }),
    told: new Map(sentences),
    scene,
  };
}
