/**
 * The prose of a reproduction, which lies in texts/PAPER.txt: "# item" with its title and what it tells, "## key" with the
 * fields of a claim or a figure. `${name:format}` stands for a value that the code computes.
 */
import { readFileSync } from "node:fs";
import type { PlotPoint } from "../plot/plot.ts";
import type { Rate } from "../statistics/intervals.ts";
import type { Summary } from "../statistics/report.ts";
import type { Bench, Claim, Figure, Part, Reproduction, Verdict } from "./claim.ts";
import { verdictIf } from "./verdict.ts";
import { numberText } from "./words.ts";

/** What the placeholders of a text begin with: `${report.rounds.mean:2}` wants a `report`. */
export type Values = Readonly<Record<string, unknown>>;
/** A value that was computed or is the same in every run, what was measured, or a value with an interval of its own. */
export type Found = number | string | Summary | Rate | PlotPoint | Pick<Claim, "ours" | "interval">;

/** A part before its prose; `values` are those of its text. */
export interface Draft {
  readonly claims: readonly Claim[];
  readonly figures?: readonly Figure[];
  readonly values?: Values;
}

export interface Texts {
  item(name: string, run: (bench: Bench) => Promise<Draft>): Reproduction;
  /** `verdict`: a test, which decides between `holding` and "does not hold", or a verdict. */
  claim<F extends Found>(
    key: string,
    found: F,
    verdict: boolean | ((found: F) => boolean) | Verdict,
    values?: Values,
    holding?: Verdict,
  ): Claim;
  /** A claim of which the text has in words what was found. */
  worded(key: string, verdict: boolean | (() => boolean) | Verdict, values?: Values): Claim;
  /** A field of a key, with its values put in. */
  say(key: string, field: string, values?: Values): string;
}

const known = new Map<string, Texts>();

export function textsOf(paper: Reproduction["paper"]): Texts {
  const texts = known.get(paper) ?? read(paper);
  known.set(paper, texts);
  return texts;
}

export function sayingsOf(file: string): Texts["say"] {
  const blocks = parseTexts(readFileSync(new URL(`./texts/${file}.txt`, import.meta.url), "utf8"));
  return (key, field, values = {}) => {
    const block = blocks.get(key);
    if (block === undefined) throw new Error(`texts/${file}.txt has no "${key}"`);
    return filled(block.get(field) ?? "", values, key);
  };
}

function read(paper: Reproduction["paper"]): Texts {
  const say = sayingsOf(paper);
  const claim: Texts["claim"] = (key, found, verdict, values, holding) => {
    const decided = typeof verdict === "function" ? verdict(found) : verdict;
    return {
      section: say(key, "section", values),
      statement: say(key, "statement", values),
      paper: say(key, "paper", values),
      ...measured(found),
      verdict: typeof decided === "boolean" ? verdictIf(decided, holding) : decided,
      note: say(key, "note", values),
    };
  };
  return {
    say,
    claim,
    worded: (key, verdict, values) => claim(key, say(key, "ours", values), verdict, values),
    item: (name, run) => ({
      paper,
      name,
      title: say(name, "title"),
      async run(bench): Promise<Part> {
        const { claims, figures = [], values } = await run(bench);
        return { claims, figures, text: say(name, "text", values) };
      },
    }),
  };
}

/** By key and field; what stands in lines without a field is the "text" of its key, and lines of one field are lines. */
export function parseTexts(file: string): Map<string, Map<string, string>> {
  const blocks = new Map<string, Map<string, string>>();
  for (const block of file.split(/^#+ /m).slice(1)) {
    const [key, ...lines] = block.split("\n");
    if (blocks.has(key)) throw new Error(`the key "${key}" is there twice`);
    const fields = new Map<string, string>();
    for (const line of lines.filter((some) => some !== "")) {
      const [, field, text] = /^([a-z]+): (.*)$/.exec(line) ?? [null, "text", line];
      fields.set(field, fields.has(field) ? `${fields.get(field)}\n${text}` : text);
    }
    blocks.set(key, fields);
  }
  return blocks;
}

function measured(found: Found): Pick<Claim, "ours" | "interval"> {
  if (typeof found !== "object") return { ours: found, interval: null };
  if ("ours" in found) return { ours: found.ours, interval: found.interval };
  const ours = "mean" in found ? found.mean : "rate" in found ? found.rate : found.y;
  return { ours, interval: found.low == null || found.high == null ? null : [found.low, found.high] };
}

export function filled(text: string, values: Values, key: string): string {
  return text.replace(/\$\{([\w.]+)(?::([^}]+))?\}/g, (_, path: string, format = "") => {
    const value = path.split(".").reduce<unknown>((of, name) => (of as Values | undefined)?.[name], values);
    if (value === undefined || value === null) throw new Error(`"${key}" wants a value for "${path}"`);
    return Array.isArray(value) ? value.map((one) => formatted(one, format)).join(", ") : formatted(value, format);
  });
}

/** `3`: decimals; `1%`: of a share, with decimals; `2e`: with an exponent; `,`: whole, thousands apart; `~`: about four digits. */
function formatted(value: unknown, format: string): string {
  if (typeof value !== "number" || format === "") return String(value);
  if (format === ",") return Math.round(value).toLocaleString("en-GB");
  if (format === "~") return numberText(value);
  const digits = Number.parseInt(format, 10);
  if (format.endsWith("%")) return `${(100 * value).toFixed(digits)}%`;
  return format.endsWith("e") ? value.toExponential(digits) : value.toFixed(digits);
}
