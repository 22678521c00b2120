/** `sortition theory PROTOCOL`: what formulas and recursions lead one to expect, without running anything. */
import { type Command, Option } from "commander";
import { InputError } from "../../errors.ts";
import { predict } from "../../registry/all.ts";
import { MEASURED, type MeasuredError, measuredText } from "../../registry/measured.ts";
import { questionOf, type SettingQuestion } from "../../simulation/question.ts";
import type { Method, Prediction } from "../../theory/prediction.ts";
import type { Io } from "../io.ts";
import { addSettings, jsonOption, paramOption } from "../options/options.ts";
import { protocolFileOption, protocolFrom } from "../options/protocol-file.ts";
import { ALL_SETTINGS, faultsOption, requestFrom, type SimulateOptions } from "../options/request.ts";
import { figure, ratesText } from "../text/figures.ts";
import { examples, painter, print } from "../text/terminal.ts";

export function define(command: Command, io: Io): void {
  command
    .description(
      'Computes success, the chances of no leader and of several, and the mean messages and rounds of a protocol. It takes the options of "simulate" and means the same by them, so that the two can be compared; options that change no expectation are accepted.',
    )
    .argument("[protocol]", 'its name; "sortition protocols" lists them')
    .addOption(protocolFileOption());
  addSettings(command, ALL_SETTINGS, ({ inTheory = false }) => inTheory)
    .addOption(faultsOption().hideHelp())
    .addOption(paramOption())
    .addOption(new Option("--out <file>").hideHelp())
    .addOption(new Option("--trace <file>").hideHelp())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        [
          ["sortition theory chang-roberts --n 1000", "n·H_n + n, exactly"],
          ["sortition theory referees --n 1e9", "a billion processes, at once"],
          ["sortition theory tournament --n 5000 --param J=9", "what one more round risks"],
          [
            "sortition theory filter-relay --n 1000 --loss 0.01 --multicast-loss 0.1 --param K=14 --json",
            "Theorem 1 of Gupta et al. with its factors",
          ],
        ],
        "docs/plan.md",
      ),
    )
    .action(theory.bind(null, io));
}

async function theory(io: Io, name: string | undefined, options: SimulateOptions): Promise<void> {
  const { source } = await protocolFrom(name, options.protocolFile);
  const question = questionOf(requestFrom(source!, options));
  const prediction = predict(question);
  if (prediction.method === "none") {
    throw new InputError(
      `theory has nothing to say of ${question.protocol.name} with these parameters (${prediction.reason}): use sortition simulate ${name ?? `--protocol-file ${options.protocolFile}`}`,
    );
  }
  const { n, params } = question;
  if (options.json)
    print(
      io,
      JSON.stringify({ protocol: question.protocol.name, n, parameters: params, ...ordered(prediction, question) }),
    );
  else print(io, forPeople(io, question, prediction));
}

/** The fields and their order are a promise. */
function ordered(
  { method, success, pNone, pMany, messages, rounds, factors, optimum }: Prediction,
  { protocol }: SettingQuestion,
): Prediction & { readonly measured: MeasuredError | null } {
  const measured = method === "approximation" ? (MEASURED[protocol.name] ?? null) : null;
  return { method, success, pNone, pMany, messages, rounds, factors, optimum, measured };
}

const METHODS: Readonly<Record<Method, string>> = {
  exact: "exact: a closed form or a recursion",
  bound: "a bound: it should do no worse",
  approximation: "an approximation, tested against simulation",
  none: "none",
};

/** Small chances and large numbers alike. */
export function chance(p: number | null): string {
  if (p === null) return "-";
  if (p === 0 || p === 1) return String(p);
  if (p < 0.001) return p.toExponential(3);
  // As many nines as there are, and two digits more.
  return p > 0.9 ? p.toFixed(Math.min(15, 3 + Math.ceil(-Math.log10(Math.max(1e-15, 1 - p))))) : p.toFixed(5);
}

function forPeople(io: Io, question: SettingQuestion, prediction: Prediction): string {
  const paint = painter(io.stdout);
  const { protocol, n, params, initiators } = question;
  const { method, success, pNone, pMany, messages, rounds, factors, optimum } = prediction;
  const error = method === "approximation" ? measuredText(protocol.name) : null;
  const rows = (pairs: readonly (readonly [string, string])[]) => {
    const width = Math.max(...pairs.map(([name]) => name.length));
    return pairs.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  };
  const parts = (values: Readonly<Record<string, unknown>>) =>
    rows(Object.entries(values).map(([name, value]) => [name, shown(value)]));
  return [
    `${paint("bold", protocol.name)}, n = ${figure(n)}${initiators < n ? `, ${figure(initiators)} of them start` : ""}`,
    ...rows([
      [
        "parameters",
        Object.entries(params)
          .map(([key, value]) => `${key}=${value}`)
          .join(", ") || "none",
      ],
      ["faults", ratesText(question, String) || "none"],
      ["method", METHODS[method]],
      ...(error === null ? [] : [["error", error] as const]),
    ]),
    "",
    ...rows([
      ["success", chance(success)],
      ["no leader", chance(pNone)],
      ["several", chance(pMany)],
      ["messages", figure(messages)],
      ["rounds", figure(rounds)],
    ]),
    ...(factors === null || Object.keys(factors).length === 0 ? [] : ["", paint("bold", "Made of"), ...parts(factors)]),
    ...(optimum === null || Object.keys(optimum).length === 0 ? [] : ["", paint("bold", "Best"), ...parts(optimum)]),
  ].join("\n");
}

function shown(value: unknown): string {
  if (typeof value === "number") return value > 0 && value < 1 ? chance(value) : figure(value);
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name} ${shown(part)}`)
    .join(", ");
}
