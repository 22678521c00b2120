/** docs/your-own-protocol.md, followed word by word in an empty folder with the packed package. */
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { isLong } from "../support/effort.ts";
import { env, folderWithin, type Packed, packed, run, typeErrors } from "../support/packed.ts";
import { root } from "./run.ts";

const page = readFileSync(join(root, "docs/your-own-protocol.md"), "utf8");
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, kind, text]) => ({ kind, text }));

let made: Packed;
let folder: string;
const file = (name: string) => join(folder, name);
beforeAll(async () => {
  made = await packed();
  folder = folderWithin(made);
  writeFileSync(file("package.json"), '{ "type": "module", "private": true }');
});

test.runIf(isLong)("every step leads to what the page shows", async () => {
  const path = `${join(made.folder, "node_modules", ".bin")}${delimiter}${env.PATH}`;
  let commands = 0;
  for (const { kind, text } of blocks) {
    if (kind === "text") writeFileSync(file("group.txt"), text);
    if (kind === "ts") {
      const [, name, atItsEnd] = /^\/\/ ([\w.-]+)(, at its end)?\n/.exec(text)!;
      const before = atItsEnd === undefined ? "" : `${readFileSync(file(name), "utf8")}\n`;
      writeFileSync(file(name), before + text);
    }
    if (kind === "diff") {
      const lines = (sign: string) =>
        text
          .split("\n")
          .filter((line) => line.startsWith(sign))
          .map((line) => line.slice(1))
          .join("\n");
      const old = readFileSync(file("my-ring.ts"), "utf8");
      expect(old).toContain(lines("-"));
      writeFileSync(
        file("my-ring.ts"),
        old.replace(lines("-"), () => lines("+")),
      );
    }
    if (kind === "console" && !text.includes("npm install")) {
      const lines = text.trimEnd().split("\n");
      const script = lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2).replace("npx ", ""));
      const shell = { cwd: folder, env: { ...env, PATH: path } };
      const { stdout } = await run("sh", ["-c", `${script.join("\n")}\nwait`], shell).catch((error) => error);
      for (const line of lines.filter((shown) => !shown.startsWith("$ "))) expect(stdout).toContain(line);
      commands += script.length;
    }
  }
  expect(commands).toBe(13);
  expect(readFileSync(file("bug.svg"), "utf8")).toContain("<svg");
  expect(readFileSync(file("my-ring.ts"), "utf8")).toBe(readFileSync(join(root, "examples/my-ring.ts"), "utf8"));
});

test("its program has the types of the package", async () => {
  writeFileSync(file("my-ring.ts"), readFileSync(join(root, "examples/my-ring.ts")));
  expect(await typeErrors(folder, ["my-ring.ts"])).toBe("");
});
