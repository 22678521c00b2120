/** The whole state of a view in the part of the address after #: read from it, and written back to it. */
import type { Injected } from "../../src/host/stepping/stepping.ts";
import { faultText, parseFaults } from "../run/faults.ts";
import type { Fields } from "../run/types.ts";

export const VIEWS = ["watch", "lessons", "compare", "papers", "live"] as const;
type View = (typeof VIEWS)[number];

export interface Address {
  readonly view: View;
  /** What follows the view: a lesson's or a paper's name. */
  readonly page: string;
  readonly query: URLSearchParams;
}

export function parseAddress(hash: string): Address {
  const [path, ...query] = hash.replace(/^#\/?/, "").split("?");
  const [view, page = ""] = path.split("/");
  const known = VIEWS.find((one) => one === view) ?? "watch";
  return { view: known, page: safe(page), query: new URLSearchParams(query.join("?")) };
}

const safe = (page: string): string => (/^[\w-]{0,60}$/.test(page) ? page : "");

/** A run in the Watch view, as its link describes it. */
export interface WatchLink {
  readonly fields: Fields;
  readonly faults: readonly Injected[];
  readonly trial: number;
  readonly event: number;
  /** Where the playhead is between that event and the next; null where it has just happened. */
  readonly time: number | null;
  /** The latest time that was shown before the reader went back. */
  readonly seen: number;
  /** The message that is looked at. */
  readonly flight: number | null;
  readonly selected: number | null;
  readonly layout: string;
  /** The reading of the protocol that is shown next to this one. */
  readonly beside: string;
}

/** Parameters that belong to the page; all others are settings of the run. */
const OWN = ["fault", "trial", "e", "t", "seen", "message", "sel", "layout", "beside", "claim"];
const LONGEST_VALUE = 20_000;

export function parseWatch(query: URLSearchParams): WatchLink & { readonly wrong: readonly string[] } {
  const fields: Record<string, string> = {};
  const wrong: string[] = [];
  for (const [name, value] of query) {
    if (OWN.includes(name) || value === "") continue;
    if (value.length <= LONGEST_VALUE) fields[name] = value;
    else wrong.push(`${name.slice(0, 60)}: a value of ${value.length} letters is too long for a link; it is left out.`);
  }
  const { faults, ...others } = parseFaults(query.getAll("fault"));
  return {
    fields,
    faults,
    wrong: [...wrong.slice(0, MOST_SAID), ...wrongFaults(others)],
    time: decimal(query.get("t")),
    seen: decimal(query.get("seen")) ?? 0,
    flight: whole(query.get("message")),
    trial: Math.min(whole(query.get("trial")) ?? 0, 2 ** 32 - 2),
    event: whole(query.get("e")) ?? 0,
    selected: whole(query.get("sel")),
    layout: query.get("layout") ?? "",
    beside: query.get("beside") ?? "",
  };
}

const MOST_SAID = 5;

function wrongFaults({ wrong, tooMany }: { readonly wrong: readonly string[]; readonly tooMany: number }): string[] {
  const said = wrong
    .slice(0, MOST_SAID)
    .map((text) => `fault: "${text.slice(0, 80)}" is no fault such as 31:crash:1; it is left out.`);
  const more = wrong.length - said.length;
  if (more > 0) said.push(`fault: ${more} more are none; they are left out.`);
  if (tooMany > 0) said.push(`fault: ${tooMany} more are left out: a link can hold 500.`);
  return said;
}

export function watchHash(link: Partial<WatchLink>): string {
  const query = new URLSearchParams(link.fields ?? {});
  for (const fault of link.faults ?? []) query.append("fault", faultText(fault));
  if (link.trial) query.set("trial", String(link.trial));
  if (link.layout) query.set("layout", link.layout);
  if (link.beside) query.set("beside", link.beside);
  if (link.event) query.set("e", String(link.event));
  if (link.time !== null && link.time !== undefined) query.set("t", String(link.time));
  if (link.seen) query.set("seen", String(link.seen));
  if (link.flight !== null && link.flight !== undefined) query.set("message", String(link.flight));
  if (link.selected !== null && link.selected !== undefined) query.set("sel", String(link.selected));
  return `#/watch?${readable(query)}`;
}

/** Colons and commas need no escape in the part after #. */
export const readable = (query: URLSearchParams): string =>
  query.toString().replaceAll("%3A", ":").replaceAll("%2C", ",");

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function decimal(text: string | null): number | null {
  return text !== null && /^[\d.e+-]{1,25}$/.test(text) && Number(text) >= 0 && Number(text) < Infinity
    ? Number(text)
    : null;
}

let waiting: ReturnType<typeof setTimeout> | null = null;
let wanted = "";

/** Writes the link into the address, at most four times a second. */
export function writeHash(hash: string): void {
  wanted = hash;
  if (waiting !== null) return;
  const from = location.hash;
  waiting = setTimeout(() => {
    waiting = null;
    // The reader has followed another link, and the page is about to be told.
    if (location.hash !== from) return;
    if (location.hash !== wanted) history.replaceState(null, "", wanted);
  }, 250);
}

/** For a change of view: nothing of the old one may be written any more. */
export function forgetHash(): void {
  if (waiting !== null) clearTimeout(waiting);
  waiting = null;
}
