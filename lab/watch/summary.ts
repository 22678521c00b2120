/** What stands beside the sentence: how things are, in few words. */
import type { Moment } from "../run/record.ts";
import type { Ending, Facts } from "../run/types.ts";

export interface Summary {
  readonly big: string;
  readonly lines: readonly string[];
}

export const few = (n: number, noun: string, plural = `${noun}s`): string =>
  `${n === 0 ? "no" : n.toLocaleString("en")} ${n === 1 ? noun : plural}`;

export function leadersOf({ nodes }: Moment): number[] {
  return nodes.flatMap(({ status, part }, node) => (status === "elected" && part !== "crashed" ? [node] : []));
}

/** What a node is called: by its id where it has one. */
export function nameOf(facts: Facts, node: number): string {
  if (facts.network === "star") return node === 0 ? "centre" : `host ${node}`;
  return `node ${node}`;
}

export function summaryOf(facts: Facts, moment: Moment, isOver: boolean): Summary {
  const leaders = leadersOf(moment);
  const { nodes, flying } = moment;
  const onWay = `${few(flying.size, "message")} on the way`;
  const alive = nodes.filter(({ part }) => part !== "crashed").length;
  if (facts.network === "star" && leaders.length > 0) {
    return { big: String(leaders.length), lines: [leaders.length === 1 ? "is elected" : "are elected", onWay] };
  }
  if (leaders.length === 1) {
    const [leader] = leaders;
    const knowing = nodes.filter(({ status, part }) => status === "not-elected" && part !== "crashed").length + 1;
    const big = facts.ids === null ? String(leader) : String(facts.ids[leader]);
    return { big, lines: [facts.ids === null ? "is the node that leads" : "leads", `${knowing} of ${alive} know it`] };
  }
  if (leaders.length > 1) return { big: String(leaders.length), lines: ["lead at once", onWay] };
  if (isOver) return { big: "0", lines: ["messages left", "nobody leads"] };
  const contending = nodes.filter(({ part, status }) => part === "contends" && status === "undecided").length;
  if (contending > 0) return { big: String(contending), lines: [contending === 1 ? "contends" : "contend", onWay] };
  return {
    big: String(flying.size),
    lines: [
      flying.size === 1 ? "message on the way" : "messages on the way",
      moment.event === 0 ? "nobody has started" : "",
    ],
  };
}

/** Before the first event: what this is about. */
export const opening = ({ n, network }: Facts): string =>
  network === "star"
    ? `${few(n, "host")} and a centre: nobody is elected yet.`
    : `${few(n, "process", "processes")}, and none of them leads yet.`;

/** The same as one line of text. */
export function statusLine(facts: Facts, moment: Moment, isOver: boolean, ending: Ending | null): string {
  const leaders = leadersOf(moment);
  const { nodes, flying, record } = moment;
  if (record.length === 0 && ending?.why) return ending.why;
  if (moment.event === 0)
    return `They are to elect by messages alone: ${few(record.length, "event")} to come. Press Play, or step.`;
  const parts: string[] = [];
  if (leaders.length === 1 && facts.network !== "star") {
    const [leader] = leaders;
    const id = facts.ids === null ? "" : `, id ${facts.ids[leader]},`;
    const knowing = nodes.filter(({ status, part }) => status === "not-elected" && part !== "crashed").length + 1;
    parts.push(
      `Node ${leader}${id} leads; ${knowing} of ${nodes.filter(({ part }) => part !== "crashed").length} know it.`,
    );
  } else if (leaders.length > 0) {
    parts.push(
      facts.network === "star" ? `${few(leaders.length, "host")} elected.` : `${leaders.length} nodes lead at once.`,
    );
  } else if (isOver) parts.push("Nobody leads.");
  if (isOver) {
    if (ending?.why) parts.push(ending.why);
    else parts.push("Nothing is left to happen.");
  } else {
    const same = others(moment);
    if (same > 0) parts.push(`${few(same, "other event")} in this instant.`);
    parts.push(flying.size === 0 ? "No message is on its way." : `${few(flying.size, "message")} on the way.`);
  }
  return parts.join(" ");
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
