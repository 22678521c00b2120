/**
 * Every event of a group is known wherever events are: docs/events.md is the table of events (`EVENTS=write npx vitest run
 * test/events.test.ts && npx biome check --write docs` writes it), and no page names an event that is not in it.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventSchemas } from "../src/api/schemas.ts";
import { EVENT_NAMES, isKnownEvent } from "../src/events/events.ts";
import { FIELD_NAMES, FIELDS, type FieldSpec, readSpec } from "../src/events/fields.ts";
import { EVENTS, STREAM_EVENTS } from "../src/events/table.ts";
import { describe as describeApi } from "../src/live/agent/http/openapi.ts";
import { root } from "./cli/run.ts";

const PAGE = "docs/events.md";
const WRITE = "EVENTS=write npx vitest run test/events.test.ts && npx biome check --write docs";

const HEAD = `# Events

What a member of a group tells. [\`sortition group\`](how-it-works.md#a-group-without-a-program) prints a line for each event.
[The agent](agent.md#the-log) logs each event and sends it to readers of [\`/v1/events\`](agent.md#events). A program gets events from
[\`member.on\` and \`onEvent\`](library.md). The types, the log lines, the schemas of the API and the words of [the Lab](lab.md) come
from the same table.

"This member" is the member that tells the event. A field with a question mark may be missing. The log has events of the chosen level
and above.
`;

const FIELDS_HEAD = `## Fields

JSON writes a token as text, because tokens outgrow the whole numbers of most readers of JSON. \`sortition group --json\` writes the
fields in this order, and the parts of \`odds\` as fields of their own.
`;

const STREAM_HEAD = `## Of the stream alone

[\`/v1/events\`](agent.md#events) also has \`status\`, which is what \`/v1/status\` answers, and:
`;

const marked = (specs: readonly FieldSpec[]): string =>
  specs
    .map(readSpec)
    .map(({ name, use }) => `\`${name}${use === "optional" ? "?" : use === "null" ? ": null" : ""}\``)
    .join(", ");

/** Of the events whose level depends on their fields. */
const LEVELS: Readonly<Record<string, string>> = {
  engine: "warn; info when it answers",
  job: "info; error when it is given up",
};

const rows = (table: typeof EVENTS | typeof STREAM_EVENTS): string[] => [
  "| event | what has happened | fields | level |",
  "| --- | --- | --- | --- |",
  ...Object.entries(table).map(([name, { about, fields, level }]) => {
    const said = typeof level === "string" ? level : LEVELS[name];
    return `| \`${name}\` | ${about} | ${marked(fields)} | ${said} |`;
  }),
  "",
];

const page = [
  HEAD,
  ...rows(EVENTS),
  FIELDS_HEAD,
  "| field | what it says |",
  "| --- | --- |",
  ...FIELD_NAMES.map((name) => `| \`${name}\` | ${FIELDS[name].about} |`),
  "",
  STREAM_HEAD,
  ...rows(STREAM_EVENTS),
].join("\n");

/** Without the spaces and dashes with which the formatter lines up tables. */
const plain = (text: string): string => text.replace(/ +/g, " ").replace(/-{3,}/g, "---").trimEnd();

test("the page lists every event and every field", () => {
  if (process.env.EVENTS === "write") writeFileSync(join(root, PAGE), page);
  expect(plain(readFileSync(join(root, PAGE), "utf8")), `run ${WRITE}`).toBe(plain(page));
});

test("the description of the API has a schema for every event, and shows no secret", () => {
  const { components } = describeApi([]) as { components: { schemas: Record<string, { properties: object }> } };
  const described = Object.keys(components.schemas).flatMap((name) => /^event-(.*)$/.exec(name)?.[1] ?? []);
  expect(described).toEqual([...EVENT_NAMES, ...Object.keys(STREAM_EVENTS)]);
  expect(described).toEqual(Object.keys(eventSchemas));
  expect(Object.keys(components.schemas["event-leads"].properties)).toEqual([
    "at",
    ...["office", "term", "leader", "token", "leaseMs"],
  ]);
});

const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name) && !name.includes("node_modules"))
    .map((name) => `${folder}/${name}`);

/** Names of events as pages write them; in programs the compiler checks them. */
const NAMED = [/"event": ?"([\w-]+)"/g, /^event: ([\w-]+)$/gm, /\.on\("(\w+)"/g];

/** Beside the events of a group: what a stream begins with, and what the command line says of its connection. */
const OTHERS = ["status", "lost", "error"];

test("no page names an event that is not in the table", () => {
  const named = [...filesIn("docs", /\.md$/), "README.md"].flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return NAMED.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => `${file}: ${name}`));
  });
  expect(named.length).toBeGreaterThan(3);
  expect(
    named.filter((each) => {
      const name = each.slice(each.indexOf(": ") + 2);
      return !isKnownEvent(name) && !OTHERS.includes(name);
    }),
  ).toEqual([]);
});
