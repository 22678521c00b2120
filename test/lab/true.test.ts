/** Every sentence on the page is true of the states that it speaks of: all protocols, drawn settings, faults by hand. */
import { describe, expect, test } from "vitest";
import { Moment, RunRecord } from "../../lab/run/record.ts";
import type { Told } from "../../lab/run/types.ts";
import { aliveIn, onTheWay, statusLine, summaryOf, troubleIn, verdictOf } from "../../lab/watch/summary.ts";
import { wordOf } from "../../lab/watch/words.ts";
import { requestOf } from "../../lab/worker/fields.ts";
import { OpenedRun } from "../../lab/worker/opened.ts";
import type { Injected, SteppedRun } from "../../src/host/stepping/stepping.ts";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { openTrial } from "../../src/simulation/trial.ts";
import { effort } from "../support/effort.ts";

type Fields = Readonly<Record<string, string>>;

/** Draws that depend on the number alone. */
function draws(seed: number): (n: number) => number {
  let state = seed * 2654435761 + 1;
  return (n) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0;
    return ((state >>> 0) % 1_000_003) % n;
  };
}

/** Settings and faults of one drawn run. */
function drawn(protocol: string, seed: number): { fields: Fields; faults: Injected[] } {
  const draw = draws(seed + 7 * protocol.length);
  const n = 4 + draw(14);
  const fields: Record<string, string> = { protocol, n: String(n), seed: String(draw(900)) };
  if (protocol === "council-continuous") fields["param.hours"] = "0.01";
  if (draw(3) === 0) fields.loss = "0.1";
  if (draw(4) === 0) fields.crash = "0.1";
  if (draw(3) === 0 && !protocol.startsWith("council")) fields.host = "events";
  if (protocol === "referees" || protocol === "random-walks") fields["param.explicit"] = String(draw(2) === 0);
  const at = () => 1 + draw(40);
  const all: Injected[] = [
    { event: at(), action: { crash: draw(n) } },
    { event: at(), action: { pause: draw(n), for: 3 } },
    { event: at(), action: { cut: [[0, 1]] } },
    { event: at(), action: { drop: draw(20) } },
  ];
  return { fields, faults: all.filter(() => draw(3) === 0).sort((a, b) => a.event - b.event) };
}

/** What the sentence of an event claims, and whether the states of the host bear it out. */
interface Claim {
  readonly told: Told;
  readonly record: RunRecord;
  readonly host: SteppedRun;
  readonly match: RegExpMatchArray;
}

const verdictAfter = ({ told, host }: Claim) => host.verdict(told.node!);
const CLAIMS: readonly (readonly [RegExp, (claim: Claim) => boolean])[] = [
  [
    /\bits (?:own )?id, (\d+)/,
    ({ told, record, match }) => {
      const { facts } = record;
      // Anonymous processes draw their ids.
      return facts.ids === null || facts.ids[told.node!] === Number(match[1]);
    },
  ],
  [/: it leads\b|^\S+ \d+ leads:|; it leads:| leads: /, (claim) => verdictAfter(claim).status === "elected"],
  [
    /learns that id (\d+) leads/,
    (claim) => {
      const { status, leader } = verdictAfter(claim);
      return status === "not-elected" && leader === Number(claim.match[1]);
    },
  ],
  [/takes id (\d+) for the leader/, (claim) => verdictAfter(claim).leader === Number(claim.match[1])],
  [
    /^(?:Node \d+|C\d+) (?:drops out|is out|gives up)\b|; it (?:is out|drops out)/,
    (claim) => verdictAfter(claim).status !== "elected",
  ],
  [
    /swallows (?:the probe of )?id (\d+)/,
    ({ told, match }) => !told.sends.some(({ value }) => value === Number(match[1])),
  ],
  [
    /passes (?:the probe of )?id (\d+) on/,
    ({ told, match }) => told.sends.some(({ value }) => value === Number(match[1])),
  ],
  [/asks (\d+) (?:referees|mediators)/, ({ told, match }) => told.sends.length >= Number(match[1]) - 1],
  [
    /probes to distance (\d+)/,
    ({ told, host, match }) => (host.state(told.node!) as { reach: number }).reach === Number(match[1]),
  ],
  [
    /stands for id (\d+)/,
    ({ told, host, match }) => (host.state(told.node!) as { temporary: number }).temporary === Number(match[1]),
  ],
  [/draws id (\d+)/, ({ told, host, match }) => (host.state(told.node!) as { id: number }).id === Number(match[1])],
  [
    /council stands|elects everybody/,
    ({ told, host }) => (host.state(told.node!) as { ended: unknown }).ended === "stands",
  ],
  [
    /: (?:(\d+)|none) of (\d+) referees? so far/,
    ({ told, host, match }) => {
      const { won, asked } = host.state(told.node!) as { won: number; asked: number };
      return won === Number(match[1] ?? 0) && asked === Number(match[2]);
    },
  ],
  [
    /waits for (\d+) more/,
    ({ told, host, match }) => {
      const { run } = host.state(told.node!) as { run?: { missing: number } | null };
      return run == null || run.missing === Number(match[1]);
    },
  ],
  [
    /now prefers id (\d+)/,
    ({ told, host, match }) => (host.state(told.node!) as { best: number }).best === Number(match[1]),
  ],
  [
    /: (\d+) of (\d+) that it needs/,
    ({ told, host, match }) => {
      const { bid } = host.state(told.node!) as { bid: { endorsed: number; needed: number } };
      return bid.endorsed === Number(match[1]) && bid.needed === Number(match[2]);
    },
  ],
  [
    /is of fragment \S+, level (\d+), now/,
    ({ told, host, match }) => (host.state(told.node!) as { level: number }).level === Number(match[1]),
  ],
  [
    /: (\d+) repl(?:y|ies) so far$/,
    ({ told, host, match }) => (host.state(told.node!) as { tally: number[] }).tally[0] === Number(match[1]),
  ],
  [/\bis a member\b/, (claim) => verdictAfter(claim).status === "elected"],
  [/\bis no member\b/, (claim) => verdictAfter(claim).status !== "elected"],
  [/^Node (\d+) crashes\./, ({ host, match }) => !host.alive(Number(match[1]))],
];

/** Every process that a sentence names is there. */
function namesIn(text: string): number[] {
  return [...text.matchAll(/\b(?:node|referee|relay|host) (\d+)|\b[CM](\d+)\b/gi)].map((match) =>
    Number(match[1] ?? match[2]),
  );
}

const number = (text: string): number => (text === "no" ? 0 : Number(text.replaceAll(",", "")));

/** The last state of a council's centre, which may have crashed since. */
type Centre = { readonly ended?: unknown } | null;

/** The page's own sentences beside the host at the same event. */
function compare(moment: Moment, host: SteppedRun, run: OpenedRun, isOver: boolean, centre: Centre): void {
  const { facts } = run;
  const alive = moment.nodes.map((_, node) => node).filter((node) => host.alive(node));
  expect(aliveIn(moment)).toBe(alive.length);
  const stands = centre === null || centre.ended === undefined || centre.ended === "stands";
  // A process that nothing has reached yet has no state, and is nothing.
  const isElected = (node: number) => host.state(node) != null && host.verdict(node).status === "elected";
  const elected = stands ? alive.filter(isElected) : [];
  expect(moment.elected).toEqual(elected);
  const flying = host.inFlight();
  const said = onTheWay(moment);
  const counted = [...said.matchAll(/(no|[\d,]+) (?:messages?|cop(?:y|ies))/g)].map((match) => number(match[1]));
  expect([said, counted.reduce((a, b) => a + b)]).toEqual([said, flying.length]);
  const status = statusLine(facts, moment, isOver, null);
  const leads =
    /Node (\d+)(?:, id (\d+),)? leads; (?:([\d,]+) of ([\d,]+) know (?:it|that somebody leads)|nobody else knows it)/.exec(
      status,
    );
  if (facts.network !== "star") expect([status, leads !== null]).toEqual([status, elected.length === 1]);
  if (leads !== null) {
    expect(Number(leads[1])).toBe(elected[0]);
    if (facts.ids !== null) expect(Number(leads[2])).toBe(facts.ids[elected[0]]);
    const knowers = alive.filter((node) => node === elected[0] || knows(host, node, facts.ids?.[elected[0]] ?? null));
    expect([status, number(leads[3] ?? "1"), number(leads[4] ?? String(alive.length))]).toEqual([
      status,
      knowers.length,
      alive.length,
    ]);
  }
  const { big } = summaryOf(facts, moment, isOver);
  if (facts.network !== "star" && elected.length === 1) expect(big).toBe(String(facts.ids?.[elected[0]] ?? elected[0]));
  if (isOver && moment.event > 0) {
    const verdict = verdictOf(facts, moment, null);
    const cost = /\. ([\d,]+|No) (?:messages?|repl(?:y|ies))/.exec(verdict);
    if (cost !== null) expect([verdict, number(cost[1].toLowerCase())]).toEqual([verdict, host.view.messages]);
    if (elected.length === 0) expect(verdict).toMatch(/^(Nobody leads: |No host is elected)/);
    else expect(verdict).not.toMatch(/^(Nobody|No host)/);
  }
}

/** By the state itself, where the verdict names nobody. */
function knows(host: SteppedRun, node: number, leader: number | null): boolean {
  const verdict = host.verdict(node);
  if (leader !== null && verdict.leader === leader) return true;
  const state = host.state(node) as {
    readonly leader?: unknown;
    readonly status?: unknown;
    readonly range?: unknown;
  } | null;
  if (state === null) return false;
  // Itai-Rodeh names nobody: an announcement alone makes a process decide.
  if (state.range !== undefined) return state.status !== "undecided";
  return leader === null && state.leader !== undefined && state.leader !== null;
}

describe.each(catalogue.map(({ name }) => name))("%s", (protocol) => {
  test.each(Array.from({ length: effort(2, 12) }, (_, i) => i))(
    "drawn run %i: each sentence is what the states say",
    (seed) => {
      const { fields, faults } = drawn(protocol, seed);
      const run = new OpenedRun(fields, faults, 0);
      const record = new RunRecord(run.facts);
      record.add([...run.events(3_000)]);
      const host = openTrial(run.settings, 0, { injected: faults });
      const moment = new Moment(record);
      let centre: Centre = null;
      const every = Math.max(1, Math.floor(record.length / 40));
      for (let event = 0; event < record.length; event++) {
        const told = record.events[event];
        host.step();
        if (run.facts.network === "star" && told.node === 0) centre = (host.state(0) as Centre) ?? centre;
        for (const node of namesIn(told.text)) expect([told.text, node < run.facts.size]).toEqual([told.text, true]);
        if (told.node === null) continue;
        const verdict = host.verdict(told.node);
        const isHost = run.facts.network === "star";
        if (told.part === "leads") expect([told.text, verdict.status]).toEqual([told.text, "elected"]);
        if (told.part === "contends" && !isHost) expect([told.text, verdict.status]).toEqual([told.text, "undecided"]);
        if (told.part === "informed") {
          const isKnown = verdict.leader !== null || told.held?.knows === true;
          expect([told.text, wordOf("informed", run.facts), isKnown]).toEqual([
            told.text,
            wordOf("informed", run.facts),
            true,
          ]);
        }
        for (const [pattern, holds] of CLAIMS) {
          const match = told.text.match(pattern);
          if (match !== null) if (!holds({ told, record, host, match })) throw new Error(`false: ${told.text}`);
        }
        if (event % every === 0 || event === record.length - 1) {
          compare(moment.seek(event + 1), host, run, event === record.length - 1, centre);
        }
      }
      const crashed = moment.nodes.filter(({ part }) => part === "crashed").length;
      expect(troubleIn(moment).some((words) => words.includes("crashed"))).toBe(crashed > 0);
    },
  );
});

test("which way messages go is the model's, and what can go wrong the settings'", () => {
  for (const { name, assumes } of catalogue) {
    const { facts } = new OpenedRun({ protocol: name, n: "8", seed: "1" }, [], 0);
    const isOneWay = assumes.topology === "ring" && assumes.direction === "unidirectional";
    expect([name, /one way/.test(facts.ways)]).toEqual([name, isOneWay]);
    expect([name, facts.faults]).toEqual([name, []]);
  }
  const lossy = new OpenedRun({ protocol: "referees", n: "8", loss: "0.05", crash: "0.1", duplicate: "0.2" }, [], 0)
    .facts;
  expect(lossy.faults).toHaveLength(3);
  expect(resolve(requestOf({ protocol: "referees", n: "8", loss: "0.05" })).faults.loss).toBe(0.05);
});

test("messages counted once and copies on the way are told apart", () => {
  const run = new OpenedRun({ protocol: "filter-relay", n: "60", seed: "3" }, [], 0);
  const record = new RunRecord(run.facts);
  record.add([...run.events(100_000)]);
  const { trial } = run.ending(null);
  const { messages, multicasts } = record.events.at(-1)!;
  expect([messages, multicasts]).toEqual([trial!.messages, { counted: trial!.measures.multicasts, uncounted: 0 }]);
});
