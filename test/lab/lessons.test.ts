/** What lessons say is what their runs do: every number of every answer is computed again. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { lessons } from "../../lab/lessons/lessons.ts";
import { parseFaults } from "../../lab/run/faults.ts";
import { Moment, RunRecord } from "../../lab/run/record.ts";
import type { Told } from "../../lab/run/types.ts";
import { parseWatch } from "../../lab/shell/link.ts";
import { requestOf } from "../../lab/worker/fields.ts";
import { OpenedRun } from "../../lab/worker/opened.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { runTrial, type Trial } from "../../src/simulation/trial.ts";
import { skipResetCost } from "../../src/theory/raz/raz.ts";
import {
  changRobertsBest,
  changRobertsMean,
  changRobertsWorst,
  hirschbergSinclairBound,
  petersonBound,
  petersonPhasesBound,
} from "../../src/theory/rings/rings.ts";

test("the teacher's guide lists every lesson with its duration", () => {
  const page = readFileSync(new URL("../../docs/lab.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| (\d+) +\| (.*?) +\| (.*?) +\| (\d+) +\| `(.*?)` +\|$/gm)].map(
    ([, ...row]) => row,
  );
  expect(rows).toEqual(
    lessons.map(({ title, about, minutes, slug }, i) => [String(i + 1), title, about, String(minutes), slug]),
  );
  const minutes = lessons.reduce((sum, lesson) => sum + lesson.minutes, 0);
  expect(page).toContain(`The ${lessons.length} lessons take ${minutes} minutes in all.`);
});

interface Ran {
  readonly trial: Trial;
  readonly events: readonly Told[];
  /** Those that lead in the end. */
  readonly leaders: readonly number[];
  readonly ids: readonly number[] | null;
}

function ran(fields: Readonly<Record<string, string>>, faults: readonly string[] = []): Ran {
  const run = new OpenedRun(fields, parseFaults(faults).faults, 0);
  expect(run.problems).toEqual([]);
  const events = [...run.events(1_000_000)];
  const record = new RunRecord(run.facts);
  record.add(events);
  const leaders = new Moment(record).seek(events.length).elected;
  return { trial: run.ending(null).trial!, events, leaders, ids: run.facts.ids };
}

const few = (n: number) => n.toLocaleString("en");
const again = (fields: Readonly<Record<string, string>>) => runTrial(resolve(requestOf(fields)), 0);

/** By lesson: the numbers that its answer must name, in order, as they come out of the run and of theory. */
const NUMBERS: Readonly<Record<string, (ran: Ran) => readonly (number | string)[]>> = {
  average({ trial, events }) {
    const links = new Map<number, number>();
    for (const { sends } of events) {
      for (const { text, value } of sends) {
        if (text.startsWith("elect")) links.set(value!, (links.get(value!) ?? 0) + 1);
      }
    }
    const within = (least: number, most: number) => [...links.values()].filter((d) => d >= least && d <= most).length;
    const mean = changRobertsMean(64);
    return [
      ...[trial.messages, trial.measures.announcements, within(1, 1), links.size, within(1, 2), within(21, 64)],
      ...[Math.round(mean), Math.round(mean + 64)],
    ];
  },
  worst: ({ trial }) => [trial.messages, 16, 15, 1, changRobertsWorst(16), trial.measures.announcements],
  phases({ trial, events }) {
    const probing = (to: number) => events.filter(({ text }) => text.endsWith(`probes to distance ${to}.`)).length;
    expect(probing(32)).toBe(1);
    return [
      ...[
        trial.messages,
        trial.measures.announcements,
        32,
        probing(2),
        2,
        probing(4),
        4,
        probing(8),
        8,
        probing(16),
        16,
      ],
    ];
  },
  coins: ({ trial }) => [trial.measures.phases, trial.messages, trial.measures.announcements],
  sublinear({ trial, events }) {
    const asked = events.find((event) => event.do === "start" && event.sends.length > 0)!.sends.length;
    const at = (n: number) => again({ protocol: "referees", n: String(n), seed: "3" }).messages;
    expect(at(10_000)).toBeGreaterThan(10_000);
    expect(at(100_000)).toBeLessThan(100_000);
    expect(Math.round(trial.messages / 2_000)).toBe(3);
    return [
      ...[few(trial.messages), trial.measures.candidates, asked, few(at(10_000)), few(10_000), few(at(100_000))],
      ...[few(100_000), few(at(1_000_000))],
    ];
  },
  crowd: ({ trial }) => [trial.messages, trial.measures.unicasts, trial.measures.relays, trial.measures.multicasts],
  council({ trial, events }) {
    const counts = events.flatMap(({ text }) => /has (\d+) replies/.exec(text)?.[1] ?? []).map(Number);
    expect(counts.reduce((a, b) => a + b)).toBe(trial.messages);
    const c = Number(new OpenedRun(lessons.find(({ slug }) => slug === "council")!.run, [], 0).facts.params.c);
    const mean = (n: number) => skipResetCost(n, { L: 4, U: 8, c }).rounds;
    return [trial.messages, trial.rounds, ...counts, counts[1], mean(60).toFixed(2), 60, mean(10_000).toFixed(2)];
  },
  nobody({ trial, events }) {
    expect(trial.outcome).toBe("none");
    const texts = events.map(({ text }) => text);
    for (const mediator of ["M0", "M3"]) {
      expect(
        texts.some((text) => text.startsWith(`${mediator} takes its yes from C3`) && text.includes("C1 gives up")),
      ).toBe(true);
    }
    expect(texts).toContain("M1 keeps its yes for C3, a potential winner, and refuses C0, which waited.");
    expect(texts.filter((text) => /^C[013] gives up: M\d refuses it/.test(text))).toHaveLength(3);
    const repaired = { ...lessons.find(({ slug }) => slug === "nobody")!.run, "param.reading": "repaired" };
    expect(again(repaired).outcome).toBe("one");
    return [];
  },
  "five-ways"({ trial }) {
    const on = (protocol: string, ids = "random") => again({ protocol, n: "64", seed: "3", ids }).messages;
    const { announcements, phases } = trial.measures;
    expect(again({ protocol: "peterson", n: "64", seed: "3" }).measures.phases).toBe(phases);
    const worst = (phasesAtMost: number) => 128 * phasesAtMost + 64;
    return [
      ...[trial.messages, announcements, phases, (trial.messages - announcements) / phases, on("peterson")],
      ...[few(on("le-lann")), 64, on("chang-roberts"), few(on("hirschberg-sinclair"))],
      ...[few(on("chang-roberts", "decreasing")), worst(petersonPhasesBound(64)), petersonBound(64) + 64],
    ];
  },
  bully({ trial, events }) {
    const { most, ever } = inOffice(events);
    const fields = { ...lessons.find(({ slug }) => slug === "bully")!.run, "param.tau": "4" };
    expect(inOffice(ran(fields).events)).toEqual({ most: 1, ever: 1 });
    return [trial.messages, ever, 6, most, 4, again(fields).messages];
  },
  peterson({ trial, leaders, ids }) {
    const [leader] = leaders;
    expect(ids![leader]).toBeLessThan(Math.max(...ids!));
    return [trial.messages, trial.measures.phases, trial.measures.announcements, leader, ids![leader]];
  },
  tournament({ trial }) {
    const { firstPhase, secondPhase, survivors } = trial.measures;
    return [trial.messages, firstPhase, secondPhase, survivors, 16, 2 * 16 * 15];
  },
  partition({ leaders, ids, events }) {
    expect(events[0].text).toContain("The network is cut: nodes 0, 1, 2, 3 and 4");
    const sorted = leaders.map((node) => ids![node]).sort((a, b) => b - a);
    return [leaders.length, ...sorted];
  },
  fencing({ trial, events }) {
    const { run, faults } = lessons.find(({ slug }) => slug === "fencing")!;
    const guarded = ran({ ...run, "param.reading": "fenced" }, faults);
    expect([guarded.trial.measures.late, guarded.trial.measures.refused]).toEqual([0, trial.measures.late]);
    const texts = events.map(({ text }) => text);
    expect(texts).toContain(
      "The data store takes the late write of node 2 with token 1, and what token 2 wrote is lost.",
    );
    // For a while two take themselves for the leader.
    const record = new RunRecord(new OpenedRun(run, [], 0).facts);
    record.add(events);
    const moment = new Moment(record);
    expect(events.some((_, event) => moment.seek(event + 1).elected.length === 2)).toBe(true);
    return [trial.measures.late, 2, 1, 3, 2, 2, 1];
  },
};

/** The most processes that lead at one time, and how many lead at some time. */
function inOffice(events: readonly Told[]): { most: number; ever: number } {
  const now = new Set<number>();
  const ever = new Set<number>();
  let most = 0;
  for (const { node, verdict } of events) {
    if (node === null) continue;
    if (verdict?.status === "elected") {
      now.add(node);
      ever.add(node);
    } else now.delete(node);
    most = Math.max(most, now.size);
  }
  return { most, ever: ever.size };
}

describe.each(lessons.map((lesson) => [lesson.slug, lesson] as const))("%s", (slug, lesson) => {
  const result = ran(lesson.run, lesson.faults);

  test("the truth on the slider is the run's", () => {
    const { trial } = result;
    const { counts, min, max } = lesson.guess;
    const leaders = result.leaders.length;
    const { phases, late } = trial.measures;
    const values = { messages: trial.messages, phases, rounds: trial.rounds, leaders, late };
    expect(lesson.truth).toBe(values[counts]);
    expect(lesson.truth).toBeGreaterThanOrEqual(min);
    expect(lesson.truth).toBeLessThanOrEqual(max);
  });

  test("the answer names the run's numbers, in this order", () => {
    const text = lesson.answer.join(" ");
    expect(NUMBERS, `say in NUMBERS how the numbers of ${slug} are computed`).toHaveProperty(slug);
    let at = 0;
    for (const number of NUMBERS[slug](result)) {
      const found = text.slice(at).search(new RegExp(`(?<![\\d,.])${number}(?![\\d]|,\\d)`));
      expect([number, found >= 0]).toEqual([number, true]);
      at += found + String(number).length;
    }
  });

  test("it says where the text says so, and its links lead into the Lab", () => {
    expect(lesson.source).toMatch(/slide|section/);
    for (const [, hash] of lesson.tries) expect(hash).toMatch(/^#\/(watch|compare)\?/);
    for (const [, hash] of lesson.tries.filter(([, one]) => one.startsWith("#/watch"))) {
      const { fields, faults, wrong } = parseWatch(new URLSearchParams(hash.split("?")[1]));
      expect([wrong, new OpenedRun(fields, faults, 0).problems]).toEqual([[], []]);
    }
  });
});

test("there are at least twelve, and each has a title, a duration, questions to print and a note for the teacher", () => {
  expect(lessons.length).toBeGreaterThanOrEqual(12);
  expect(new Set(lessons.map(({ slug }) => slug)).size).toBe(lessons.length);
  for (const { title, minutes, questions, note } of lessons) {
    expect(title).toMatch(/[?.!]?$/);
    expect(minutes).toBeGreaterThan(4);
    expect(questions.length).toBeGreaterThanOrEqual(3);
    expect(note.length).toBeGreaterThan(80);
  }
});

test("bounds and the numbers of the questions are theory's", () => {
  const lesson = (slug: string) => lessons.find((one) => one.slug === slug)!;
  expect(lesson("average").bound.value).toBe(changRobertsWorst(64) + 64);
  expect(lesson("worst").bound.value).toBe(changRobertsBest(16) + 16);
  expect(lesson("phases").bound.value).toBe(hirschbergSinclairBound(32));
  expect(lesson("peterson").bound.value).toBe(petersonBound(16) + 16);
  expect(lesson("crowd").bound.value).toBe(60 * 59);
  expect(lesson("five-ways").bound.value).toBe(64 * 64);
  expect(lesson("bully").bound.value).toBe(6 ** 2 - 1);
  expect(again({ protocol: "itai-rodeh", n: "8", seed: "8", "param.range": "2" }).measures.phases).toBe(9);
});
