/** Every transcript is what the group does today. `npm run scenarios` writes them anew: read the difference before you commit it. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { catalogue, protocolNamed } from "../../src/protocols/catalogue.ts";
import { playScenario } from "../../src/trace/scenario.ts";

const folder = join(import.meta.dirname, "../../examples/scenarios");
const play = (text: string) => playScenario(text, protocolNamed).transcript;
const files = readdirSync(folder).filter((name) => name.endsWith(".txt"));
const transcript = (name: string) => readFileSync(join(folder, name), "utf8");

test.each(files)("%s", (name) => {
  const written = transcript(name);
  const played = play(written);
  if (process.env.SCENARIOS === "write") writeFileSync(join(folder, name), played);
  else expect(played).toBe(written);
});

test("every ring protocol has one", () => {
  const texts = files.map(transcript).join("\n");
  const missing = catalogue.filter(
    ({ name, assumes }) => assumes.topology === "ring" && !texts.includes(`\nnetwork ${name} `),
  );
  const commands = missing.map(
    ({ name, title }) =>
      `printf '# ${title}\\n\\nnetwork ${name} n=4\\nstart\\nrun\\n' > examples/scenarios/${name}.txt`,
  );
  expect(
    missing.map(({ name }) => name),
    `run ${[...commands, "npm run scenarios"].join(" && ")}`,
  ).toEqual([]);
});

test.each(catalogue.filter(({ assumes }) => assumes.topology !== "connected"))("$name can be played", ({ name }) => {
  expect(play(`network ${name} n=3 choices=1\nmessages\n`)).toContain("no messages were sent");
});

test("a protocol of any graph is refused in words", () => {
  expect(() => play("network random-walks n=4\n")).toThrow("scenarios have rings, complete graphs and stars");
});

test("what the page shows is what the files say", () => {
  const page = readFileSync(join(folder, "../../docs/explore.md"), "utf8");
  const shown = [...page.matchAll(/`(\S+\.txt)`[^`]*```text\n([\s\S]*?)```/g)];
  expect(shown.length).toBeGreaterThan(0);
  for (const [, name, block] of shown) expect(transcript(basename(name))).toContain(block);
});

describe("mistakes in a transcript", () => {
  test.each([
    ["start\n----\n", 'line 1: "start" comes before any network'],
    ["network chang-roberts ids=1,2\n----\n\ndeliver 0->1\n----\n", 'line 4: "deliver 0->1" cannot happen now'],
    ["network chang-roberts ids=1,2\n----\n\nlaunch\n----\n", 'line 4: no scenario knows "launch"'],
    ["network itai-rodeh n=2\n----\n\nstart 0\n----\n", "line 4: a node draws here, one of 0,1"],
    ["network chang-roberts ids=1,2\n----\n\nstart 0 with 1\n----\n", "nobody drew 1"],
    ["network chang-roberts ids=1,2\n----\n\nstart\n", '"start" has no line ----'],
    ["network\n", "network needs the name of a protocol"],
    ["network chang-robert n=3\n", "line 1: unknown protocol"],
    ["network chang-roberts\n", "line 1: say how many nodes there are"],
    ["network chang-roberts n=3 all\n", '"all" is no setting of a network'],
    ["network chang-roberts n=3\nstart\nstate 0 rank\n", 'line 3: node 0 knows nothing that is called "rank"'],
    ["network chang-roberts n=3\nstart\nstate\n", "line 3: which node?"],
  ])("%j", (text, complaint) => {
    expect(() => play(text)).toThrow(complaint);
  });
});

test("commands alone are enough: the rest is filled in, and then stays as it is", () => {
  const filled = play("# two nodes\nnetwork chang-roberts ids=1,2 names=A,B\nstart\nrun quietly\n");
  expect(filled).toBe(`# two nodes
network chang-roberts ids=1,2 names=A,B
----
a ring of 2: A has id 1, B has id 2

start
----
A starts and contends with its id, 1
  sends elect (id 1) to B
B starts and contends with its id, 2
  sends elect (id 2) to A

run quietly
----
A is not elected, follows id 2
B is elected
5 messages were sent
`);
  expect(play(filled)).toBe(filled);
});
