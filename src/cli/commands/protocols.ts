/** `sortition protocols`: what there is to run, from the catalogue. */
import type { Command } from "commander";
import type { AnyProtocol, Assumptions, Parameter } from "../../protocol.ts";
import { catalogue } from "../../protocols/catalogue.ts";
import { resolveParameters } from "../../protocols/parameters.ts";
import { FAULTS, toleranceOf, toleranceText } from "../../registry/all.ts";
import { version } from "../../version.ts";
import type { Io } from "../io.ts";
import { protocolFileOption, protocolFrom } from "../options/protocol-file.ts";
import { table, wrap } from "../text/table.ts";
import { examples, type Paint, painter, print, terminalWidth } from "../text/terminal.ts";

/** Defaults that follow from n are shown for a group of this size. */
const EXAMPLE_N = 100;

export function define(command: Command, io: Io): void {
  command
    .description("The catalogue: each protocol's model, cost, parameters with defaults, and citation.")
    .argument("[name]", "describe this protocol only")
    .addOption(protocolFileOption())
    .option("--json", "print one JSON object instead of tables")
    .addHelpText(
      "after",
      examples(
        [
          ["sortition protocols", "all of them, a line each"],
          ["sortition protocols chang-roberts", "one in full, with its parameters"],
          ["sortition protocols --json", "for a program"],
        ],
        "docs/protocols.md",
      ),
    )
    .action(async (name: string | undefined, { json, protocolFile }: { json?: true; protocolFile?: string }) => {
      const all = name === undefined && protocolFile === undefined;
      const chosen = all ? catalogue : [(await protocolFrom(name, protocolFile)).protocol];
      if (json) print(io, JSON.stringify({ version, protocols: chosen.map(asData) }, null, 2));
      else if (all) print(io, list(io, chosen, painter(io.stdout)));
      else print(io, details(io, chosen[0], painter(io.stdout), protocolFile));
    });
}

/** "unidirectional ring, ids, asynchronous, n known" */
export function model({ topology, direction, identity, timing, knows }: Assumptions): string {
  const shape = topology === "ring" ? `${direction ?? "bidirectional"} ring` : `${topology} graph`;
  return [shape, identity, timing, ...knows.map((what) => (what === "n" ? "n known" : `${what} id known`))].join(", ");
}

function list(io: Io, protocols: readonly AnyProtocol[], paint: Paint): string {
  const rows = protocols.map(({ name, assumes, cost }) => [name, model(assumes), cost]);
  const heading = (line: string) => paint("bold", line);
  const lines = table([{ title: "protocol" }, { title: "model" }, { title: "cost" }], rows, { heading });
  const width = terminalWidth(io);
  const fits = width === null || lines.split("\n").every((line) => line.length <= width);
  return `${fits ? lines : stacked(rows, width, paint)}\n\nMore on one of them: sortition protocols ${protocols[0].name}`;
}

/** For narrow terminals: the cost below the model. */
function stacked(rows: readonly string[][], width: number, paint: Paint): string {
  const indent = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows
    .flatMap(([name, model, cost]) => [
      paint("bold", name.padEnd(indent)) + model,
      ...wrap(cost, width - indent).map((line) => " ".repeat(indent) + paint("dim", line)),
    ])
    .join("\n");
}

function details(io: Io, protocol: AnyProtocol, paint: Paint, file: string | undefined): string {
  const { name, title, citation, cost, assumes, parameters, measures } = protocol;
  const facts = [
    ["model", model(assumes)],
    ["cost", cost],
    ["tolerates", toleranceText(protocol)],
    ["measures", [...Object.keys(measures), "steps", "undecided"].join(", ")],
    ["source", citation],
  ]
    .filter(([, value]) => value !== "")
    .map(([key, value]) => `  ${key.padEnd(9)}  ${value}`);
  return [
    `${paint("bold", name)}  ${title}`,
    "",
    ...facts,
    "",
    parameters.length === 0 ? "It has no parameters." : parameterTable(io, protocol, paint),
    "",
    `Try it: sortition simulate ${file === undefined ? name : `--protocol-file ${file}`} --n 50`,
  ].join("\n");
}

function parameterTable(io: Io, protocol: AnyProtocol, paint: Paint): string {
  const defaults = resolveParameters(protocol, {}, EXAMPLE_N);
  const rows = protocol.parameters.map((parameter) => [
    parameter.name,
    values(parameter),
    `${defaults[parameter.name]}${followsFromN(parameter) ? ` at n = ${EXAMPLE_N}` : ""}`,
    parameter.about,
  ]);
  const columns = [{ title: "--param" }, { title: "values" }, { title: "default" }, { title: "meaning", wrap: true }];
  return table(columns, rows, { width: terminalWidth(io), indent: 2, heading: (line) => paint("bold", line) });
}

function values({ type, min, max, words }: Parameter): string {
  if (typeof type !== "string") return type.join("|");
  if (type === "boolean") return "true|false";
  const range = [min === undefined ? "" : `>= ${min}`, max === undefined ? "" : `<= ${max}`].filter(Boolean);
  return [[type, ...range].join(" "), ...Object.keys(words ?? {})].join("|");
}

const followsFromN = ({ default: value, words }: Parameter): boolean =>
  typeof value === "function" || Object.hasOwn(words ?? {}, String(value));

/** For machines. A default that follows from n is null, with what it is at one n beside it. */
function asData(protocol: AnyProtocol) {
  const { name, title, citation, cost, assumes, measures } = protocol;
  const defaults = resolveParameters(protocol, {}, EXAMPLE_N);
  const parameters = protocol.parameters.map((parameter) => ({
    name: parameter.name,
    about: parameter.about,
    type: parameter.type,
    min: parameter.min ?? null,
    max: parameter.max ?? null,
    words: Object.keys(parameter.words ?? {}),
    default: followsFromN(parameter) ? null : parameter.default,
    derived: followsFromN(parameter) ? { n: EXAMPLE_N, value: defaults[parameter.name] } : null,
  }));
  const tolerates = Object.fromEntries(FAULTS.map((fault) => [fault, toleranceOf(protocol, fault)]));
  const told = { name, title, citation, cost, model: model(assumes), assumes, tolerates };
  return { ...told, parameters, measures: Object.keys(measures) };
}
