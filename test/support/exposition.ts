/** Prometheus' text format, read strictly: what its own linter would complain about is an error. */
import { expect } from "vitest";

export interface Family {
  readonly name: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const SAMPLE = /^([a-zA-Z_][a-zA-Z0-9_]*)(?:\{(.*)\})? (\S+)$/;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = { histogram: ["_bucket", "_sum", "_count"] };

export function readExposition(text: string): Map<string, Family> {
  expect(text.endsWith("\n")).toBe(true);
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let help: string | null = null;
  let family: (Family & { samples: Sample[] }) | null = null;
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, what, name, rest] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (what === "HELP") help = name;
    else if (what === "TYPE") {
      expect([help, families.has(name)], `${name} has its help, and comes once`).toEqual([name, false]);
      expect(name).toMatch(NAME);
      family = { name, type: rest, samples: [] };
      families.set(name, family);
    } else {
      expect(line.startsWith("#"), line).toBe(false);
      expect(seen.has(line.replace(/ \S+$/, "")), `twice: ${line}`).toBe(false);
      seen.add(line.replace(/ \S+$/, ""));
      const sample = readSample(line);
      const names = (SUFFIXES[family!.type] ?? [""]).map((suffix) => family!.name + suffix);
      expect(names, "samples stand under their family").toContain(sample.name);
      family!.samples.push(sample);
    }
  }
  for (const each of families.values()) if (each.type === "histogram") checkHistogram(each);
  return families;
}

function readSample(line: string): Sample {
  const [, name, inner = "", number] = SAMPLE.exec(line) ?? expect.fail(line);
  const pairs = [...inner.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/g)];
  expect(pairs.map(([pair]) => pair).join(""), line).toBe(inner);
  const value = Number(number.replace("+Inf", "Infinity"));
  expect(Number.isNaN(value), line).toBe(false);
  return { name, value, labels: Object.fromEntries(pairs.map(([, label, text]) => [label, text])) };
}

function checkHistogram({ name, samples }: Family): void {
  const key = ({ le: _, ...labels }: Record<string, string>) => JSON.stringify(Object.entries(labels).sort());
  for (const { labels, value } of samples.filter((each) => each.name === `${name}_count`)) {
    const buckets = samples.filter((each) => each.name === `${name}_bucket` && key(each.labels) === key(labels));
    const counts = buckets.map((each) => each.value);
    expect(counts, "buckets only grow").toEqual([...counts].sort((a, b) => a - b));
    expect([buckets.at(-1)!.labels.le, counts.at(-1)]).toEqual(["+Inf", value]);
  }
}

/** By https://prometheus.io/docs/practices/naming/ and the rules of `promtool check metrics`. */
export function checkNames(families: Iterable<Family>): void {
  for (const { name, type, samples } of families) {
    expect(name.endsWith("_total"), `${name} is a ${type}`).toBe(type === "counter");
    expect(name).not.toMatch(
      /_(ms|milliseconds?|minutes?|kb|kib|mb|percent|ratio_percent|count|sum|bucket|timestamp)(_|$)/,
    );
    expect(name, "the type is no part of the name").not.toMatch(/gauge|counter|histogram|summary/);
    expect(name, "no capitals").toBe(name.toLowerCase());
    if (name.endsWith("_info")) for (const { value } of samples) expect(value).toBe(1);
    if (/_(seconds|bytes)/.test(name)) expect(name, "units come last").toMatch(/_(seconds|bytes)(_total)?$/);
  }
}
