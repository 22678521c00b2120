/**
 * Coverage of the sources that a fuzz target runs: every branch gets a counter. A hook of Node puts the counters in while a file is loaded,
 * so that nothing has to be built.
 */
import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";

/** What has run, and words that the sources compare with. */
export interface Coverage {
  /** How often each branch was taken, modulo 256. */
  readonly counters: Uint8Array;
  /** How many counters are in use. */
  used: number;
  /** Texts that stand in the sources: a mutation that is one of them passes a comparison. */
  readonly words: Set<string>;
}

const MOST_COUNTERS = 1 << 16;
const LONGEST_WORD = 24;
/** The name of the counters in an instrumented file, and of the global that they come from. */
const NAME = "fuzzCounters";

export const noCoverage = (): Coverage => ({ counters: new Uint8Array(MOST_COUNTERS), used: 0, words: new Set() });

/** From here on, files of `src` are loaded with counters. */
export function countBranches(coverage: Coverage): void {
  (globalThis as Record<string, unknown>)[NAME] = coverage.counters;
  registerHooks({
    load(url, context, next) {
      if (!/\/src\/.*\.ts$/.test(url)) return next(url, context);
      const source = instrumented(readFileSync(fileURLToPath(url), "utf8"), coverage);
      return { format: "module", source: stripTypeScriptTypes(source), shortCircuit: true };
    },
  });
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** The source of a module with a counter in every function and every branch. */
export function instrumented(source: string, coverage: Coverage): string {
  const inserts: [at: number, text: string][] = [];
  const count = () => `${NAME}[${coverage.used++ % MOST_COUNTERS}]++`;
  const wrap = ({ start, end }: Node) => inserts.push([start, `(${count()},(`], [end, "))"]);
  const statement = (node: Node) => {
    if (node.type === "BlockStatement") inserts.push([node.start + 1, `${count()};`]);
    else inserts.push([node.start, `{${count()};`], [node.end, "}"]);
  };
  const visit = (node: Node) => {
    for (const branch of branchesOf(node)) (isStatement(branch) ? statement : wrap)(branch);
    if (node.type === "Literal" && typeof node.value === "string" && node.value.length <= LONGEST_WORD)
      coverage.words.add(node.value);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parseAst(source, { lang: "ts" }) as unknown as Node);
  // A later insert at the same place is of an inner node: it stays inside.
  const parts: string[] = [];
  let at = 0;
  const ordered = inserts.map(([place, text], i) => ({ place, text, i, isEnd: text.startsWith(")") || text === "}" }));
  ordered.sort((a, b) => a.place - b.place || Number(b.isEnd) - Number(a.isEnd) || (a.isEnd ? b.i - a.i : a.i - b.i));
  for (const { place, text } of ordered) {
    parts.push(source.slice(at, place), text);
    at = place;
  }
  return `const ${NAME} = globalThis.${NAME}; ${parts.join("")}${source.slice(at)}`;
}

/** What a node may run or leave out. */
function branchesOf(node: Node): Node[] {
  const of = (...fields: string[]) => fields.map((field) => node[field] as Node | null).filter((part) => part !== null);
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
    case "ForStatement":
    case "ForOfStatement":
    case "ForInStatement":
    case "WhileStatement":
    case "CatchClause":
      return of("body");
    case "IfStatement":
    case "ConditionalExpression":
      return of("consequent", "alternate");
    case "LogicalExpression":
      return of("right");
    case "SwitchCase":
      return (node.consequent as Node[]).slice(0, 1);
    default:
      return [];
  }
}

const isStatement = ({ type }: Node): boolean => type.endsWith("Statement");

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** Types have no branches. */
function childrenOf(node: Node): Node[] {
  if (/^TS(?!AsExpression|SatisfiesExpression|NonNullExpression)/.test(node.type)) return [];
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}
