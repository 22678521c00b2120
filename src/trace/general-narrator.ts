/** Any protocol in words: what a node received, what changed in its state, what it sent. */

import type { Scene, Seen, Telling } from "../narrator.ts";
import { messageText } from "./describe.ts";
import { jsonOf } from "./events.ts";

const MOST_CHANGES = 3;
const MOST_SENDS = 2;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const CHANGED = " has changed";

const isShort = (value: unknown): boolean => typeof value !== "object" || value === null;

export function generalNarrator(before: unknown, event: Seen<unknown>, after: unknown, scene: Scene): Telling {
  const changes = before === null ? [] : changesOf(before, after);
  const parts = [happening(event, scene.name), ...changes, sends(event, scene.name)];
  return {
    says: parts.filter((part) => part !== "").join(", "),
    // Beside an event of a diagram only news have room, not that something long is different again.
    brief: changes.filter((change) => !change.endsWith(CHANGED)).join(", ") || null,
  };
}

function happening(event: Seen<unknown>, name: (node: number) => string): string {
  switch (event.do) {
    case "deliver": {
      const from = event.from === event.node ? "itself" : name(event.from);
      return `receives ${messageText(event.message)} from ${from}`;
    }
    case "command":
      return `is told ${messageText(event.message)} by its user`;
    case "timer":
      return `has its timer "${event.timer}" expire`;
    case "end-round":
      return "ends its round";
    case "restart":
      return "starts again";
    case "leave":
      return "leaves";
    default:
      return event.do === "join" ? "joins" : "starts";
  }
}

/** What has changed in the state: scalars with their new value, what is longer only by name. */
function changesOf(before: unknown, after: unknown): string[] {
  if (!isFields(before) || !isFields(after)) return [];
  const names = Object.keys(after).filter((name) => jsonOf(after[name]) !== jsonOf(before[name]));
  const told = names
    .slice(0, MOST_CHANGES)
    .map((name) => (isShort(after[name]) ? `${name} is ${after[name]}` : `${name}${CHANGED}`));
  return names.length > MOST_CHANGES ? [...told, `${names.length - MOST_CHANGES} more have changed`] : told;
}

function sends({ node, sent }: Seen<unknown>, name: (node: number) => string): string {
  if (sent.length === 0) return "";
  const alike = sent.every(({ message }) => messageText(message) === messageText(sent[0].message));
  if (alike && sent.length > MOST_SENDS) return `sends ${messageText(sent[0].message)} to ${sent.length} nodes`;
  if (sent.length > MOST_SENDS) return `sends ${sent.length} messages`;
  const each = sent.map(({ to, message }) => `${messageText(message)} to ${to === node ? "itself" : name(to)}`);
  return `sends ${each.join(" and ")}`;
}
