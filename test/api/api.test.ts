/** What the package exports: the list is reviewed as a diff (`npx vitest run test/api -u` writes it), each name says what it is. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { MEMBER, MEMBER_KEYS } from "../../src/settings/member.ts";
import { root } from "../cli/run.ts";
import { env, folderWithin, packed, run } from "../support/packed.ts";

const { name, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
type Target = string | { readonly import: { readonly types: string } };
const entries = Object.entries(exports as Record<string, Target>).flatMap(([path, target]) =>
  typeof target === "string"
    ? []
    : [
        {
          path: path.replace(".", name),
          file: join(root, target.import.types),
        },
      ],
);

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config,
  ts.sys,
  root,
);
/** The declarations that users get: the compiler reads them in a fraction of the time that the sources take. */
const program = ts.createProgram(
  entries.map(({ file }) => file),
  { ...options, types: [] },
);
const checker = program.getTypeChecker();

function exportsOf(file: string) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
  return checker.getExportsOfModule(module).map((found) => {
    const symbol = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
    return {
      name: found.name,
      kind: kindOf(symbol),
      about: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
      examples: symbol
        .getJsDocTags(checker)
        .filter((tag) => tag.name === "example")
        .map(
          (tag) =>
            /^```ts\n([\s\S]*)\n```$/.exec(ts.displayPartsToString(tag.text))?.[1] ??
            `throw new Error("the example of ${found.name} is no block of ts")`,
        ),
    };
  });
}

function kindOf({ flags }: ts.Symbol): string {
  if (flags & ts.SymbolFlags.Function) return "function";
  if (flags & ts.SymbolFlags.Class) return "class";
  if (flags & ts.SymbolFlags.Interface) return "interface";
  return flags & ts.SymbolFlags.TypeAlias ? "type" : "const";
}

const found = entries.map(({ path, file }) => ({ path, names: exportsOf(file) }));

test("the names that each entry exports are those of the list", async () => {
  const order = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  const list = found.map(
    ({ path, names }) =>
      `${path}\n${names
        .sort(order)
        .map(({ kind, name }) => `  ${kind} ${name}\n`)
        .join("")}`,
  );
  await expect(list.join("\n")).toMatchFileSnapshot("exports.txt");
});

test("each has a sentence that says what it is", () => {
  const bare = found.flatMap(({ path, names }) =>
    names.filter(({ about }) => about === "").map(({ name }) => `${path}: ${name}`),
  );
  expect(bare).toEqual([]);
});

test("editors show the sentence of every option of join", () => {
  const module = checker.getSymbolAtLocation(program.getSourceFile(join(root, "dist/types/index.d.ts"))!)!;
  const symbol = checker.getExportsOfModule(module).find(({ name }) => name === "JoinOptions")!;
  const shown = checker.getDeclaredTypeOfSymbol(symbol).getProperties();
  const sentences = new Map(
    shown.map((each) => [each.name, ts.displayPartsToString(each.getDocumentationComment(checker)).toLowerCase()]),
  );
  const missing = MEMBER_KEYS.filter((key) => !sentences.get(key)?.includes(MEMBER[key].about.toLowerCase()));
  expect(missing).toEqual(["name"]);
  expect(sentences.get("name")).toContain("unique in the group");
});

test("every example runs as it stands", async () => {
  const folder = folderWithin(await packed());
  const programs = new Map(
    found.flatMap(({ names }) => names.flatMap(({ name, examples }) => examples.map((text) => [text, `${name}.ts`]))),
  );
  expect(programs.size).toBeGreaterThan(10);
  for (const [text, file] of programs) writeFileSync(join(folder, file), `${text}\n`);
  const all = [...programs.values()].map((file) => `await import("./${file}");`);
  writeFileSync(join(folder, "all.js"), all.join("\n"));
  const { stderr } = await run(process.execPath, ["all.js"], { cwd: folder, env });
  expect(stderr).toBe("");
});
