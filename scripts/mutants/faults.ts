/** Small faults that can be planted in a source file: one operator, number or condition changed, or one call left out. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as TypeScript from "typescript";

const ts: typeof TypeScript = createRequire(import.meta.url)("typescript");

export interface Fault {
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
  /** The same as long as the text of its line is: other changes of the file do not change which faults a seed draws. */
  readonly id: string;
}

const { SyntaxKind: Kind } = ts;
const SWAPS = new Map<TypeScript.SyntaxKind, string>([
  [Kind.LessThanToken, "<="],
  [Kind.LessThanEqualsToken, "<"],
  [Kind.GreaterThanToken, ">="],
  [Kind.GreaterThanEqualsToken, ">"],
  [Kind.EqualsEqualsEqualsToken, "!=="],
  [Kind.ExclamationEqualsEqualsToken, "==="],
  [Kind.PlusToken, "-"],
  [Kind.MinusToken, "+"],
  [Kind.AsteriskToken, "/"],
  [Kind.AmpersandAmpersandToken, "||"],
  [Kind.BarBarToken, "&&"],
]);

type Change = readonly [node: TypeScript.Node, after: string];

const isText = (node: TypeScript.Node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

/** The changes at one node. */
function* changesAt(node: TypeScript.Node): Generator<Change> {
  if (ts.isBinaryExpression(node)) {
    const { operatorToken: operator, left, right } = node;
    const swap = SWAPS.get(operator.kind);
    const joinsText = operator.kind === Kind.PlusToken && (isText(left) || isText(right));
    if (swap !== undefined && !joinsText) yield [operator, swap];
  }
  if (ts.isNumericLiteral(node)) yield [node, `(${node.text} + 1)`];
  if (ts.isIfStatement(node)) yield [node.expression, `!(${node.expression.getText()})`];
  if (ts.isConditionalExpression(node)) yield [node.condition, `!(${node.condition.getText()})`];
  if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) yield [node, "{}"];
  if (node.kind === Kind.TrueKeyword) yield [node, "false"];
  if (node.kind === Kind.FalseKeyword) yield [node, "true"];
}

/** Types, imports and the words of errors are no behaviour. */
const isLeftOut = (node: TypeScript.Node) =>
  ts.isTypeNode(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isImportDeclaration(node) ||
  ts.isThrowStatement(node);

/** Every fault that can be planted in a file. */
export function faultsIn(root: string, file: string): Fault[] {
  const text = readFileSync(join(root, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = text.split("\n");
  const faults: Fault[] = [];
  const alike = new Map<string, number>();
  const visit = (node: TypeScript.Node): void => {
    if (isLeftOut(node)) return;
    for (const [changed, after] of changesAt(node)) {
      const [start, end] = [changed.getStart(), changed.end];
      const { line, character } = source.getLineAndCharacterOfPosition(start);
      const code = lines[line].trim();
      const column = character - lines[line].indexOf(code);
      const name = `${file} ${code} ${column} ${after}`;
      alike.set(name, (alike.get(name) ?? 0) + 1);
      const id = `${name} ${alike.get(name)}`;
      faults.push({ file, line: line + 1, start, end, before: text.slice(start, end), after, id });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return faults;
}

/** The text of the file with the fault in it. */
export const planted = (text: string, { start, end, after }: Fault): string =>
  text.slice(0, start) + after + text.slice(end);

const short = (text: string) => text.replace(/\s+/g, " ").slice(0, 70);

export const inWords = ({ file, line, before, after }: Fault): string =>
  `${file}:${line}  ${short(before)}  →  ${short(after)}`;
