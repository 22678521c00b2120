/** A page that can be followed: what is typed, what is then seen, and which files are written, in this order. */

export type Step =
  | { readonly kind: "type"; readonly command: string; readonly seen: readonly string[] }
  | { readonly kind: "write"; readonly file: string; readonly text: string };

/** Blocks marked `console` hold commands after "$ " (continued after "> ") and what they print; others, whose first line names a file, are that file. */
export function stepsOf(page: string): Step[] {
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, language, block]) => {
    if (language === "console") return typed(block);
    const file = /^(?:\/\/|#) ([\w.-]+\.\w+)\n/.exec(block)?.[1];
    return file === undefined ? [] : [{ kind: "write", file, text: block } as const];
  });
}

function typed(block: string): Step[] {
  const steps: { kind: "type"; command: string; seen: string[] }[] = [];
  for (const line of block.trimEnd().split("\n")) {
    if (line.startsWith("$ ")) steps.push({ kind: "type", command: line.slice(2), seen: [] });
    else if (line.startsWith("> ") && steps.at(-1)?.seen.length === 0) steps.at(-1)!.command += `\n${line.slice(2)}`;
    else steps.at(-1)!.seen.push(line);
  }
  return steps;
}

/** What is another one each time, and how wide columns are, which follows from it. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME"],
  [/\b\d\d:\d\d:\d\d(\.\d+)?\b/g, "TIME"],
  [/\b1[789]\d{11}\b/g, "TOKEN"],
  // On a busy machine an election may need more than one term.
  [/("?\bterm"?:? ?)\d+/g, "$1N"],
  [/^(leader +)\d+( +TOKEN)/, "$1N$2"],
  [/\b[\d.]+ (ms|s)\b/g, "A WHILE"],
  [/("validForMs": ?)\d+/g, "$1N"],
  [/("at": ?)\d+/g, "$1N"],
  [/\b(?=[a-f]*\d)[0-9a-f]{8}\b/g, "KEY"],
  [/\bentries \d+ to \d+/g, "entries N to N"],
  [/[ \t]+/g, " "],
];

const plain = (line: string) => VARYING.reduce((text, [pattern, word]) => text.replace(pattern, word), line).trimEnd();

/** Whether this was seen; a line "..." stands for any number of lines. */
export function agrees(seen: readonly string[], shown: readonly string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return seen.length === 0;
  if (first === "...") return seen.some((_, i) => agrees(seen.slice(i), rest)) || agrees([], rest);
  return seen.length > 0 && plain(seen[0]) === plain(first) && agrees(seen.slice(1), rest);
}
