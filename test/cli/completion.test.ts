/** What the Tab key offers: asked of the program itself, and through the script that bash is given. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { bin, sortitionProcess as sortition } from "./run.ts";

async function offered(...words: string[]): Promise<string[]> {
  const { stdout } = await sortition("complete", "--", ...words);
  const lines = stdout.trimEnd().split("\n");
  // The last line tells the shell what to do with the others: 4, no file names.
  expect(lines.pop()).toBe(":4");
  return lines.map((line) => line.split("\t")[0]);
}

const names = catalogue.map(({ name }) => name);

describe("the program offers", () => {
  test("commands, as the help lists them", async () => {
    const { stdout } = await sortition("--help");
    const listed = [...stdout.matchAll(/^ {2}(\w+)(?: \[command\])? {2,}/gm)].map(([, name]) => name);
    expect(listed).toContain("run");
    expect(await offered("")).toEqual(listed);
  });

  test("names of protocols", async () => {
    expect(await offered("simulate", "")).toEqual(names);
    expect(await offered("protocols", "pe")).toEqual(["peterson"]);
    expect(await offered("explore", "")).toEqual(names);
    expect(await offered("sweep", "itai")).toEqual(["itai-rodeh"]);
  });

  test("options and their values", async () => {
    expect(await offered("simulate", "peterson", "--ho")).toEqual(["--host"]);
    expect(await offered("simulate", "peterson", "--host", "")).toEqual(["auto", "lockstep", "events"]);
    expect(await offered("simulate", "peterson", "--ids", "in")).toEqual(["increasing"]);
    expect(await offered("explore", "peterson", "--initiators", "")).toEqual(["all", "any"]);
  });

  test("parameters of the protocol on the line, with their values", async () => {
    expect(await offered("simulate", "chang-roberts", "--param", "")).toEqual(
      expect.arrayContaining(["passive=relay", "passive=join", "spread=", "reading=printed"]),
    );
    expect(await offered("simulate", "itai-rodeh", "--param", "")).toEqual(["range="]);
  });
});

/** Sources the script in a real bash and presses Tab after `line`; bash-completion's word splitter is stood in for. */
async function tab(line: string): Promise<string[]> {
  const words = line.split(" ");
  const script = `
    sortition() { "$NODE" "$BIN" "$@"; }
    _get_comp_words_by_ref() { cur=\${COMP_WORDS[COMP_CWORD]}; words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD; }
    compopt() { :; }
    source <(sortition completion bash)
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
    __sortition_complete
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, NODE: process.execPath, BIN: bin };
  const { stdout } = await promisify(execFile)("bash", ["-c", script], { env });
  return stdout.trimEnd().split("\n");
}

test("bash completes", async () => {
  expect(await tab("sortition sim")).toEqual(["simulate"]);
  expect(await tab("sortition simulate chang")).toEqual(["chang-roberts"]);
  expect(await tab("sortition simulate chang-roberts --param pass")).toEqual(["passive=relay", "passive=join"]);
});

test.each(["bash", "zsh", "fish"])("there is a script for %s", async (shell) => {
  const { status, stdout } = await sortition("completion", shell);
  expect(status).toBe(0);
  expect(stdout).toContain("sortition complete --");
});
