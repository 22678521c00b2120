/**
 * The prose of a reproduction, which lies in texts/PAPER.txt: "# item" with its title and what it tells, "## key" with the
 * fields of a claim or a figure. `${name:format}` stands for a value that the code computes, or a run that it declares.
 */
import { readFileSync } from "node:fs";
import { codeFile } from "../package-files.ts";
import type {
  Bench,
  Judged,
  PaperClaim,
  Ran,
  Reproduction,
  ReproductionResult,
  Runs,
  Severity,
  Test,
  TextValues,
} from "./claim.ts";
import { all, isPrinted, measuredValue } from "./criteria.ts";
import { type Drawing, figureOf } from "./draw.ts";
import { numberText } from "./words.ts";

/** What an item is written with, beside its bench. */
export interface ItemPage extends Bench {
  /** Values that its texts may speak of, beside the declared runs. */
  tell(values: TextValues): void;
  claims(judged: Readonly<Record<string, Judged>>): void;
  draw(figure: string, drawing: Drawing): void;
}

type Judge<R> = (ran: Ran<R>, page: ItemPage) => void | Promise<void>;

interface Texts {
  /** Runs that are declared, and what they and whatever else is computed say about the claims. */
  item<R extends Runs = Record<never, never>>(
    name: string,
    runs?: R | ((bench: Bench) => R),
  ): (judge: Judge<R>) => void;
  /** All items, in the order of the texts. */
  items(): readonly Reproduction[];
  /** A field of a key, with its values put in; null leaves the placeholders. */
  say(key: string, field: string, values?: TextValues | null): string;
  /** The item below which each claim and figure stands. */
  readonly keys: ReadonlyMap<string, string>;
}

const known = new Map<string, Texts>();

export function textsOf(paper: Reproduction["paper"]): Texts {
  const texts = known.get(paper) ?? read(paper);
  known.set(paper, texts);
  return texts;
}

const fileOf = (name: string) => readFileSync(codeFile(`reproduce/texts/${name}.txt`), "utf8");

export const PAPERS = ["lecture", "ramanathan", "kutten", "gupta", "raz"] as const;
/** Items of each text. */
export const [lecture, ramanathan, kutten, gupta, raz] = PAPERS.map((paper) => textsOf(paper).item);

function keysOf(text: string): Map<string, string> {
  let item = "";
  const keys = new Map<string, string>();
  for (const [, marks, key] of text.matchAll(/^(##?) (.*)$/gm)) {
    if (marks === "#") item = key;
    else keys.set(key, item);
  }
  return keys;
}

export function sayingsOf(file: string): Texts["say"] {
  const blocks = parseTexts(fileOf(file));
  return (key, field, values = {}) => {
    const block = blocks.get(key);
    if (block === undefined) throw new Error(`texts/${file}.txt has no "${key}"`);
    const text = block.get(field) ?? "";
    return values === null ? text : filled(text, values, key);
  };
}

function read(paper: Reproduction["paper"]): Texts {
  const say = sayingsOf(paper);
  const keys = keysOf(fileOf(paper));
  const order = [...new Set(keys.values())];
  const items: Reproduction[] = [];
  return {
    say,
    keys,
    items: () => items.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name)),
    item: (name, runs) => (judge) => {
      const judged = async (bench: Bench) => {
        const ran = await bench.runs((typeof runs === "function" ? runs(bench) : runs) ?? ({} as never));
        const values: Record<string, unknown> = { ...ran };
        const claims: [string, Judged][] = [];
        const drawings: [string, Drawing][] = [];
        await judge(ran, {
          ...bench,
          tell: (more) => Object.assign(values, more),
          claims: (judged) => claims.push(...Object.entries(judged)),
          draw: (key, drawing) => drawings.push([key, drawing]),
        });
        return { values, claims, drawings };
      };
      const run = async (bench: Bench): Promise<ReproductionResult> => {
        const { values, claims, drawings } = await judged(bench);
        return {
          claims: claims.map(([key, judged]) => claimOf(say, key, judged, values)),
          figures: drawings.map(([key, drawing]) => figureOf(key, drawing, (field) => say(key, field, values))),
          text: say(name, "text", values),
        };
      };
      const judgements = async (bench: Bench) => Object.fromEntries((await judged(bench)).claims);
      items.push({ paper, name, title: say(name, "title"), run, judgements });
    },
  };
}

function claimOf(say: Texts["say"], key: string, judged: Judged, common: TextValues): PaperClaim {
  const words = key.split("/")[0];
  const [found, test, own] = Array.isArray(judged) ? judged : [null, judged as Test];
  const values = own === undefined ? common : { ...common, ...own };
  const field = (name: string) => say(words, name, values);
  const { ours, interval } = measuredValue(found ?? field("ours"));
  const [section, paper, note] = [field("section"), field("paper"), field("note")];
  const digits = test === "digits" ? paper.length - paper.indexOf(".") - 1 : 0;
  const decided =
    test === "digits"
      ? isPrinted(ours as number, Number(paper), digits)
      : typeof test === "function"
        ? test(ours as number)
        : typeof test === "object"
          ? test.decide(test.facts)
          : test;
  return {
    key,
    section,
    says: field("says"),
    statement: field("statement"),
    paper,
    ours,
    interval,
    verdict: all(decided),
    severity: (field("severity") || severityOf(section)) as Severity,
    kind: (field("kind") || "claim") as PaperClaim["kind"],
    criterion: field("criterion"),
    error: field("error"),
    note: test === "digits" ? `${(ours as number).toFixed(digits + 1)} to one digit more. ${note}`.trim() : note,
  };
}

/** By where it stands, unless the texts say it. */
function severityOf(section: string): Severity {
  if (/proof|equation|footnote/i.test(section)) return "proof step";
  if (/Theorem|Lemma|Corollary|Algorithm|Table/.test(section)) return "theorem";
  return /Fig/.test(section) ? "number" : "wording";
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

export function filled(text: string, values: TextValues, key: string): string {
  return text.replace(/\$\{([\w.]+)(?::([^}]+))?\}/g, (_, path: string, format = "") => {
    const value = path.split(".").reduce<unknown>((of, name) => (of as TextValues | undefined)?.[name], values);
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
