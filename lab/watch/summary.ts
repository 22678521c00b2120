/** What stands beside the pictures: how things are, in few words, each of them read from the states of the nodes. */
import type { Moment } from "../run/record.ts";
import type { Ending, Facts, Told } from "../run/types.ts";

interface Summary {
  readonly big: string;
  readonly lines: readonly string[];
}

const few = (n: number, noun: string, plural = `${noun}s`): string =>
  `${n === 0 ? "no" : n.toLocaleString("en")} ${n === 1 ? noun : plural}`;

const shown = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: 0 });
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const WORDS = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"];
export const inWords = (n: number): string => WORDS[n] ?? n.toLocaleString("en");

/** What a node is called. */
export function nameOf(facts: Facts, node: number): string {
  if (hasNames(facts)) return facts.names[node];
  if (facts.network === "star") return node === 0 ? "centre" : `host ${node}`;
  return `node ${node}`;
}

/** Members of a flight record have names of their own, which are written as they are. */
const hasNames = ({ names, size }: Facts): boolean => size > 0 && names.length === size;

/** The same at the beginning of a sentence. */
export const nameFirst = (facts: Facts, node: number): string =>
  hasNames(facts) ? nameOf(facts, node) : capital(nameOf(facts, node));

/** What a leader is called in a headline: by its id where it has one. */
const titleOf = (facts: Facts, node: number): string =>
  facts.ids === null ? nameFirst(facts, node) : String(facts.ids[node]);

export const aliveIn = ({ nodes }: Moment): number => nodes.filter(({ part }) => part !== "crashed").length;

/** How many know that this node leads: by what their verdicts say, or by their states where verdicts name nobody. */
function knowersOf({ nodes, record }: Moment, leader: number): number {
  const { ids } = record.facts;
  return nodes.filter(({ part, leader: follows, held }, node) => {
    if (part === "crashed") return false;
    return node === leader || (ids !== null && follows === ids[leader]) || held?.knows === true;
  }).length;
}

function knowing(moment: Moment, leader: number): string {
  const [knowers, alive] = [knowersOf(moment, leader), aliveIn(moment)];
  if (knowers === 1 && alive > 1) return "nobody else knows it";
  // Where nodes have no ids, what the others learn names nobody.
  const what = moment.record.facts.ids === null ? "that somebody leads" : "it";
  return `${shown(knowers)} of ${shown(alive)} know ${what}`;
}

/** Copies of a multicast are counted one by one here, and once among the messages sent. */
export function onTheWay({ flying, record }: Moment): string {
  let copies = 0;
  for (const flight of flying) if (record.flights[flight].multicast) copies++;
  const messages = flying.size - copies;
  if (copies === 0) return `${few(messages, "message")} on the way`;
  const some = `${few(copies, "copy", "copies")} of multicasts on the way`;
  return messages === 0 ? some : `${few(messages, "message")} and ${some}`;
}

const contending = ({ nodes }: Moment): number =>
  nodes.filter(({ part, status }) => part === "contends" && status === "undecided").length;

/** The latest phase that any contender is in, and how far its probes go. */
function phaseOf({ phase }: Facts, { nodes }: Moment): string {
  let latest: Moment["nodes"][number]["held"] = null;
  for (const { part, held } of nodes) {
    if (part === "contends" && held?.phase !== undefined && held.phase > (latest?.phase ?? -1)) latest = held;
  }
  if (latest === null) return "";
  return `${phase} ${latest.phase}${latest.reach === undefined ? "" : `, distance ${latest.reach}`}`;
}

export function summaryOf(facts: Facts, moment: Moment, isOver: boolean): Summary {
  const leaders = moment.elected;
  const { flying } = moment;
  const onWay = onTheWay(moment);
  if (facts.network === "star" && leaders.length > 0) {
    return { big: shown(leaders.length), lines: [leaders.length === 1 ? "is elected" : "are elected", onWay] };
  }
  if (leaders.length === 1) {
    const [leader] = leaders;
    const big = facts.ids === null ? String(leader) : String(facts.ids[leader]);
    return { big, lines: [facts.ids === null ? "is the node that leads" : "leads", knowing(moment, leader)] };
  }
  if (leaders.length > 1) return { big: shown(leaders.length), lines: ["lead at once", onWay] };
  if (isOver) return { big: "0", lines: [facts.network === "star" ? "are elected" : "lead", onWay] };
  const count = contending(moment);
  if (count > 0) {
    const phase = phaseOf(facts, moment);
    return {
      big: shown(count),
      lines: [count === 1 ? "contends" : "contend", onWay, ...(phase === "" ? [] : [phase])],
    };
  }
  return {
    big: shown(flying.size),
    lines: [onWay.replace(/^(no|[\d,]+) /, ""), moment.event === 0 ? "nobody has started" : ""],
  };
}

/** Before the first event: what this is about. */
export const opening = ({ n, network }: Facts): string =>
  network === "star"
    ? `${few(n, "host")} and a centre: nobody is elected yet.`
    : `${few(n, "process", "processes")}, and none of them leads yet.`;

/** While a question stands above: who is still in. */
export function candidatesLine(facts: Facts, moment: Moment): string {
  const left = moment.nodes.flatMap(({ part }, node) => (part === "contends" ? [titleOf(facts, node)] : []));
  if (left.length === 0 || left.length > 4) return `${few(left.length, "candidate")} in the race.`;
  const names = left.length === 1 ? left[0] : `${left.slice(0, -1).join(", ")} and ${left.at(-1)}`;
  return `${inWords(left.length)} ${left.length === 1 ? "candidate is" : "candidates are"} left: ${names}.`;
}

/** The same as one line of text. */
export function statusLine(facts: Facts, moment: Moment, isOver: boolean, ending: Ending | null): string {
  const leaders = moment.elected;
  const { record } = moment;
  if (record.length === 0 && ending?.why) return ending.why;
  if (moment.event === 0)
    return `They are to elect by messages alone: ${few(record.length, "event")} to come. Press Play, or step.`;
  const parts: string[] = [];
  if (leaders.length === 1 && facts.network !== "star") {
    const [leader] = leaders;
    const id = facts.ids === null ? "" : `, id ${facts.ids[leader]},`;
    parts.push(`${nameFirst(facts, leader)}${id} leads; ${knowing(moment, leader)}.`);
  } else if (leaders.length > 0) {
    parts.push(
      facts.network === "star" ? `${few(leaders.length, "host")} elected.` : `${leaders.length} nodes lead at once.`,
    );
  } else if (isOver) parts.push(facts.network === "star" ? "No host is elected." : "Nobody leads.");
  if (isOver) {
    if (ending?.why) parts.push(ending.why);
    else parts.push(`Last event: ${moment.last!.text}`);
  } else {
    const same = others(moment);
    if (same > 0) parts.push(`${few(same, "other event")} in this instant.`);
    parts.push(`${capital(onTheWay(moment))}.`);
  }
  return parts.join(" ");
}

/** What has gone wrong up to a moment, counted from the events themselves. */
export function troubleIn({ record, event, nodes }: Moment): string[] {
  let [lost, cuts] = [0, 0];
  for (const { fate, sends, cut } of record.events.slice(0, event)) {
    if (fate === "lost") lost++;
    if (cut != null) cuts++;
    for (const one of sends) if (one.lost) lost++;
  }
  const crashed = nodes.filter(({ part }) => part === "crashed").length;
  const paused = nodes.filter((node) => node.paused).length;
  return [
    ...(crashed > 0 ? [`${few(crashed, "process", "processes")} crashed`] : []),
    ...(lost > 0 ? [`${few(lost, "message")} did not arrive`] : []),
    ...(cuts > 0 ? [`the network was cut${cuts > 1 ? ` ${cuts} times` : ""}`] : []),
    ...(paused > 0 ? [`${few(paused, "process is", "processes are")} paused`] : []),
  ];
}

/** The end in one line: who leads, at what cost beside what theory expects; or why nobody does. */
export function verdictOf(facts: Facts, moment: Moment, ending: Ending | null): string {
  const leaders = moment.elected;
  if (ending?.why) return ending.why;
  if (ending?.says) return ending.says;
  // What theory expects is for the settings, not for what was done by hand.
  const isAsPlanned = facts.faults.length > 0 || troubleIn(moment).length === 0;
  const cost = costOf(facts, moment.last, isAsPlanned);
  if (facts.network === "star") {
    const { L, U } = facts.params;
    const range =
      L === undefined || U === undefined ? "" : L === U ? `, and ${L} was wanted` : `, and ${L} to ${U} were wanted`;
    const who =
      leaders.length === 0 ? "No host is elected" : `${few(leaders.length, "host is", "hosts are")} elected${range}`;
    return `${capital(who)}. ${cost}`;
  }
  if (leaders.length === 1) return `${titleOf(facts, leaders[0])} leads. ${cost}`;
  const named = leaders.slice(0, 4).map((node) => titleOf(facts, node));
  if (leaders.length > 1) {
    const who =
      leaders.length > 4
        ? few(leaders.length, "process", "processes")
        : `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
    return `${capital(who)} lead at once. ${cost}`;
  }
  return `Nobody leads: ${whyNobody(moment)}.`;
}

function whyNobody(moment: Moment): string {
  const { nodes } = moment;
  const waiting = nodes.filter(({ part, status }) => part !== "crashed" && status === "undecided").length;
  const trouble = troubleIn(moment);
  const state =
    waiting === 0
      ? "every process says that it does not lead"
      : `${few(waiting, "process still waits", "processes still wait")}, and no message is left`;
  return trouble.length === 0 ? state : `${trouble.join(", ")}; ${state}`;
}

/** "50 messages; average 49, worst 90." */
function costOf({ marks, network }: Facts, last: Told | null, hasTheory: boolean): string {
  const { messages = 0 } = last ?? {};
  const theory = marks
    .filter(({ kind, label }) => hasTheory && (kind === "mean" || label === "worst"))
    .map(({ label, value }) => `${label.split(",")[0]} ${shown(value)}`);
  const noun = network === "star" ? few(messages, "reply", "replies") : few(messages, "message");
  return `${capital(noun)}${theory.length > 0 ? `; ${theory.join(", ")}` : ""}.`;
}

/** How many were sent, with the multicasts among them. */
export function sentWords({ messages, multicasts }: Pick<Told, "messages" | "multicasts">): string {
  const { counted, uncounted } = multicasts;
  const among = counted === 0 ? "" : ` (${few(counted, "multicast")})`;
  const besides = uncounted === 0 ? "" : `; ${few(uncounted, "multicast")} not counted`;
  return `${shown(messages)} sent${among}${besides}`;
}

function others({ record, event, time }: Moment): number {
  let count = 0;
  for (let i = event - 1; i >= 0 && record.events[i].time === time; i--) count++;
  for (let i = event; i < record.length && record.events[i].time === time; i++) count++;
  return count - 1;
}

/** The event of an instant that says most, for those who watch it pass. */
export function notable(moment: Moment): number {
  const { record, event, time } = moment;
  let [best, weight] = [event - 1, -1];
  for (let i = event - 1; i >= 0 && i > event - 400 && record.events[i].time === time; i--) {
    const mine = weightOf(moment, i);
    if (mine > weight) [best, weight] = [i, mine];
  }
  return best;
}

function weightOf({ record }: Moment, index: number): number {
  const { do: what, part, verdict, sends } = record.events[index];
  const before = record.before[index] < 0 ? null : record.events[record.before[index]];
  if (verdict.status === "elected" && before?.verdict.status !== "elected") return 6;
  if (what === "crash" || what === "cut" || what === "pause" || what === "resume") return 5;
  if (what === "lose" || what === "refuse") return 4;
  if (before !== null && part !== before.part) return 3;
  if (what === "deliver" && sends.length === 0) return 2;
  return what === "end-round" ? 0 : 1;
}
