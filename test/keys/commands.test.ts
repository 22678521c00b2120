/** `sortition keys`: what each step does to the file, when it is refused and whom it names, and what force does. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addKey, remove, use } from "../../src/cli/commands/keys/edit.ts";
import { listKeys } from "../../src/cli/commands/keys/keys.ts";
import { idsOf, keyIdText, loadKeyring } from "../../src/live/net/keyring.ts";
import { TestIo } from "../support/io.ts";
import { FakeAgent, gone, member } from "./fake-agent.ts";
import { idOf, secret } from "./scene.ts";

const key = (number: number) => Buffer.from(secret(number)).toString("base64url");
const [one, two, three] = [1, 2, 3].map((number) => keyIdText(idOf(number)));

let agent: FakeAgent;
let folder: string;
let keyFile: string;
let io: TestIo;
beforeEach(async () => {
  agent = await FakeAgent.start();
  folder = mkdtempSync(join(tmpdir(), "sortition-keys-"));
  keyFile = join(folder, "group.key");
  writeFileSync(keyFile, `# ours\n${key(1)}\n${key(2)}\n`, { mode: 0o600 });
  io = new TestIo();
});
afterEach(async () => {
  await agent.stop();
  rmSync(folder, { recursive: true });
});

const flags = (more = {}) => ({ keyFile, agent: agent.url, ...more });
const said = () => io.stdout.text;
const ids = () => idsOf(loadKeyring(keyFile)).map(keyIdText);
const refusal = (step: Promise<void>): Promise<string> =>
  step.then(
    () => "it was not refused",
    (error: Error) => error.message,
  );

test("add: a new key at the end of the file, which stays its owner's alone; nobody has to be asked", async () => {
  await addKey(io, flags({ agent: "127.0.0.1:9" }));
  expect(ids()).toHaveLength(3);
  expect(ids().slice(0, 2)).toEqual([one, two]);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(readFileSync(keyFile, "utf8")).toMatch(/^# ours\n/);
  expect(said()).toContain(`Added ${ids()[2]} to ${keyFile}: it opens, and does not seal yet.`);
  expect(said()).toContain(`Then: sortition keys use ${ids()[2]}`);
  expect(said()).not.toContain(readFileSync(keyFile, "utf8").trim().split("\n").at(-1)!);
});

test("add --from: those keys of another file that are missing; no more than members tell each other of", async () => {
  const from = join(folder, "other.key");
  writeFileSync(from, `${key(2)}\n${key(3)}\n`, { mode: 0o600 });
  await addKey(io, flags({ from }));
  expect(ids()).toEqual([one, two, three]);
  expect(await refusal(addKey(io, flags({ from })))).toContain("has all keys of");
  chmodSync(from, 0o644);
  expect(await refusal(addKey(io, flags({ from })))).toContain("chmod 600");
  for (let i = 4; i <= 16; i++) await addKey(io, flags());
  expect(await refusal(addKey(io, flags()))).toContain("would hold 17 keys, and members tell each other of 16");
});

describe("use", () => {
  test("lets a key seal that every member opens, by the first digits of its id", async () => {
    agent.members = [member("a", [one, two]), member("b", [two, one])];
    agent.recent = [gone("x", [one, two], "failed")];
    await use(io, two.slice(0, 4), flags());
    expect(ids()).toEqual([two, one]);
    expect(readFileSync(keyFile, "utf8")).toBe(`# ours\n${key(2)}\n${key(1)}\n`);
    expect(said()).toContain(`${two} seals from now on in ${keyFile}; ${one} still opens.`);
    await use(io, two, flags());
    expect(said()).toContain(`${two} is the first key of ${keyFile} already`);
  });

  test("is refused while somebody does not open it, has failed without it, or does not say; all are named", async () => {
    agent.members = [member("a", [one, two]), member("b", [one]), member("c", [one]), member("d", null)];
    agent.members.push(member("e", [one], { state: "suspected" }));
    agent.recent = [gone("x", [one], "failed"), gone("left", [one], "left")];
    const why = await refusal(use(io, two, flags()));
    expect(why).toBe(
      `cannot use ${two}, by what the agent at ${agent.url} knows: ${two} is not opened (only ${one}) by b, c; the keys are not known, since it runs an earlier version, of d; ${two} is not opened (only ${one}) by e (which does not answer just now); ${two} is not opened (only ${one}) by x (failed within a day, and may come back as it was). Copy ${keyFile} to them and have them read it (kill -HUP, or POST /v1/rekey); or add --force`,
    );
    expect(ids()).toEqual([one, two]);
    await use(io, two, flags({ force: true }));
    expect(said()).toContain(`Forced, although ${two} is not opened (only ${one}) by b, c;`);
    expect(ids()).toEqual([two, one]);
  });

  test("is refused where no agent can be asked, unless forced; an agent of another group does not count", async () => {
    expect(await refusal(use(io, two, flags({ agent: "127.0.0.1:9" })))).toMatch(
      new RegExp(`^cannot use ${two}, since nobody can say who has which key: no agent answers at http://127.0.0.1:9 `),
    );
    agent.members = [member("a", [three])];
    expect(await refusal(use(io, two, flags()))).toContain(
      `that agent, a of the group "g", has none of these keys but ${three}: it may be of another group`,
    );
    expect(ids()).toEqual([one, two]);
    await use(io, two, flags({ agent: "127.0.0.1:9", force: true }));
    expect(said()).toContain("Forced, without knowing who has which key: no agent answers");
    expect(ids()).toEqual([two, one]);
  });

  test("a member that left gracefully without it is only noted", async () => {
    agent.members = [member("a", [one, two])];
    agent.recent = [gone("gone-1", [one], "left"), gone("gone-2", [two], "left")];
    await use(io, two, flags());
    expect(said()).toContain("Note: gone-1 left the group lately without the key");
    expect(ids()).toEqual([two, one]);
  });
});

describe("remove", () => {
  test("a key that nobody seals with any more", async () => {
    writeFileSync(keyFile, `${key(2)}\n# old\n${key(1)}\n`);
    agent.members = [member("a", [two, one]), member("b", [two])];
    await remove(io, one, flags());
    expect(readFileSync(keyFile, "utf8")).toBe(`${key(2)}\n`);
    expect(await refusal(remove(io, two, flags()))).toContain(
      `${two} is the only key of ${keyFile}: add another one first`,
    );
  });

  test("is refused while somebody seals with it or lacks the one that is left, and for who has failed so", async () => {
    writeFileSync(keyFile, `${key(2)}\n${key(1)}\n`);
    agent.members = [member("a", [two, one]), member("b", [one, two]), member("c", [three, one])];
    agent.recent = [gone("x", [one, two], "failed")];
    expect(await refusal(remove(io, one, flags()))).toContain(
      `${one} still seals what is sent by b; ${two} is not opened (only ${three}, ${one}) by c; ${one} still seals what is sent by x (failed within a day, and may come back as it was).`,
    );
    expect(ids()).toEqual([two, one]);
    await remove(io, one, flags({ force: true }));
    expect(ids()).toEqual([two]);
  });

  test("the key that seals goes only if the next one is opened by all", async () => {
    agent.members = [member("a", [one, two]), member("b", [one, two])];
    expect(await refusal(remove(io, one, flags()))).toContain(`${one} still seals what is sent by a, b`);
    agent.members = [member("a", [two, one]), member("b", [two])];
    await remove(io, one, flags());
    expect(ids()).toEqual([two]);
  });
});

test("--rekey: the agent reads its keys again, and where it does not the file is changed all the same", async () => {
  agent.rekeyed = [one, two];
  await addKey(io, flags({ rekey: true }));
  expect(said()).toContain(`has read its keys again: it seals with ${one} and opens ${one}, ${two}.`);
  expect(said()).toContain(`copy ${keyFile} to every other member`);
  agent.rekeyed = null;
  expect(await refusal(addKey(io, flags({ rekey: true })))).toMatch(
    /is changed, but its agent has not read it again: the agent at .* wants a bearer token/,
  );
  expect(ids()).toHaveLength(4);
});

test("names cannot write on the terminal", async () => {
  agent.members = [member("a", [one, two]), member("\u001b[2Jb\u202e\u200b", [one])];
  expect(await refusal(use(io, two, flags()))).toContain("by \\u{1b}[2Jb\\u{202e}\\u{200b}.");
  await listKeys(io, flags());
  expect(said()).not.toContain("\u001b");
});

test("ls: ids of the file, who seals and opens with which; without an agent the ids alone", async () => {
  agent.members = [member("a", [one, two]), member("b", [one]), member("c", [three, one]), member("d", null)];
  agent.recent = [gone("x", [one], "failed")];
  await listKeys(io, flags());
  expect(said()).toBe(
    [
      "key       in the file  seal with it  open it",
      `${one}  seals        2             all`,
      `${two}  opens        none          1, not b, c`,
      `${three}  -            1             1, not a, b`,
      "",
      '4 members of the group "g", as a knows it.',
      "",
      "Of an earlier version, so that their keys are not known: d.",
      "",
      `Failed within a day: x (sealed with ${one}, opened ${one}).`,
      "",
    ].join("\n"),
  );
  io = new TestIo();
  await listKeys(io, flags({ json: true }));
  expect(JSON.parse(said())).toMatchObject({
    file: keyFile,
    group: "g",
    recent: [{ name: "x" }],
    keys: [
      { id: one, inFile: "seals", openedBy: ["a", "b", "c"], sealedBy: ["a", "b"] },
      { id: two, inFile: "opens", openedBy: ["a"], sealedBy: [] },
      { id: three, inFile: null, openedBy: ["c"], sealedBy: ["c"] },
    ],
  });
  io = new TestIo();
  await listKeys(io, flags({ agent: "127.0.0.1:9" }));
  expect(said()).toContain(`${one}  seals\n${two}  opens\n\nWho has which is not known: no agent answers`);
});

test("remove, while somebody else removes the key that would be left: nothing is removed, and a key stays", async () => {
  agent.members = [member("a", [two, one])];
  agent.asked = () => writeFileSync(keyFile, `${key(1)}\n`);
  expect(await refusal(remove(io, one, flags()))).toContain("was changed meanwhile");
  expect(ids()).toEqual([one]);
});
