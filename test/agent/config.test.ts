/** Settings from flags, environment and file: who is heard first, where each value comes from, and what is said of a wrong one. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addMemberOptions, configured } from "../../src/cli/options/member.ts";
import { InputError } from "../../src/errors.ts";
import { checkMeans } from "../../src/live/agent/check.ts";
import { checkAgent } from "../../src/live/agent/settings.ts";
import { newKeyText } from "../../src/live/net/keyring.ts";
import { AGENT_KEYS, memberFlag, variableOf } from "../../src/settings/member.ts";

let folder: string;
let last = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sortition-config-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string, mode = 0o600, name = `${++last}.yaml`): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function read(args: readonly string[] = [], env: Record<string, string> = {}, config?: string) {
  const command = new Command("agent").exitOverride().configureOutput({ outputError: () => {} });
  addMemberOptions(command);
  command.parse([...args, ...(config === undefined ? [] : ["--config", config])], { from: "user" });
  return configured(command.opts(), {}, env);
}

/** As the command line would print it. */
function refusal(args: readonly string[], env: Record<string, string> = {}, config?: string): string {
  try {
    read(args, env, config);
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as InputError).message.replaceAll(`${folder}/`, "");
  }
  return "none";
}

test("nothing has to be said: the host's name, loopback, and a warning that there is no key", () => {
  const { settings, origins, warnings } = read();
  expect(settings).toMatchObject({ name: hostname().slice(0, 64), bind: "127.0.0.1:0", http: "127.0.0.1:7070" });
  expect([settings.log, settings.logLevel, origins.size]).toEqual(["auto", "info", 0]);
  expect(warnings).toEqual([expect.stringContaining("there is no key, so every process of this machine")]);
});

test("flags come before the environment, that before a file, and each value says where it comes from", () => {
  const config = file(
    "name: a\nzone: south\nweight: 2\nseeds: [c:1, d:2]\noffices: [x, 'y:3']\npreemptible: false\nhttp: off\n",
  );
  const env = { SORTITION_ZONE: "east", SORTITION_WEIGHT: "3", SORTITION_SEEDS: "a:1, b:2", SORTITION_GROUP: " " };
  const { settings, origins } = read(["--zone", "north"], env, config);
  expect(settings).toMatchObject({ name: "a", zone: "north", weight: 3, seeds: ["a:1", "b:2"], group: "sortition" });
  expect(settings).toMatchObject({ offices: ["x", "y:3"], preemptible: false, http: "off" });
  expect(["name", "zone", "weight", "seeds", "offices", "group"].map((key) => origins.get(key as "name"))).toEqual([
    ...[`${config}, line 1`, "--zone", "SORTITION_WEIGHT", "SORTITION_SEEDS", `${config}, line 5`, undefined],
  ]);
  expect(read([], { SORTITION_CONFIG: config }).settings.name).toBe("a");
  expect(read(["--seeds", "a:1,b:2", "--seeds", "c:3"]).settings.seeds).toEqual(["a:1", "b:2", "c:3"]);
});

test("a key, a lease and a token are said once: the first who says it is heard", () => {
  const key = file(newKeyText(), 0o600, "group.key");
  const { settings } = read(["--key-file", key], { SORTITION_KEY: newKeyText(), SORTITION_LEASE: "sqlite:a.db" });
  expect([settings.keyFile, settings.key, settings.lease]).toEqual([key, undefined, "sqlite:a.db"]);
  const env = { SORTITION_KEY: "x", SORTITION_KEY_FILE: "y" };
  expect(refusal([], env)).toContain('"key", "keyFile" and "insecure" all say which key is used');
});

test("JSON is read too; names of files count from the folder of the file that names them", () => {
  const config = file('{ "keyFile": "group.key", "lease": "sqlite:leases.db", "state": "/var/s" }', 0o600, "a.json");
  const { settings, origins } = read([], {}, config);
  expect(settings).toMatchObject({ keyFile: join(folder, "group.key"), lease: `sqlite:${join(folder, "leases.db")}` });
  expect([settings.state, origins.get("lease")]).toEqual(["/var/s", `${config}, line 1`]);
});

test("the file that the docs show is one", () => {
  const docs = readFileSync(new URL("../../docs/agent.md", import.meta.url), "utf8");
  const [, text] = /^```yaml\n(.*?)^```$/ms.exec(docs)!;
  const { settings, warnings } = read([], {}, file(text));
  expect([settings.name, settings.seeds.length, settings.keyFile, warnings]).toEqual([
    "db-1",
    3,
    join(folder, "group.key"),
    [],
  ]);
});

describe("what is wrong is said with where it stands", () => {
  test.each<[string, readonly string[], Record<string, string>, string?]>([
    ['1.yaml, line 2: there is no setting "profil"; did you mean "profile"?', [], {}, "name: a\nprofil: lan\n"],
    ['there is no setting "self"; did you mean "name"?', [], {}, "self: a\n"],
    ['there is no setting "key-file"; did you mean "keyFile"?', [], {}, "key-file: a\n"],
    ['line 1: there is no setting "nothingLikeIt": there are name, group', [], {}, "nothingLikeIt: 1\n"],
    ["line 2: weight must be a number of at least 0: it is -1", [], {}, "name: a\nweight: -1\n"],
    ["line 1: name must be a text of 1 to 64 bytes: it is 7, a number: write it in quotes", [], {}, "name: 7\n"],
    ["line 2: seeds, number 2 of them, must be an address", [], {}, "name: a\nseeds:\n  - a:1\n  - here\n"],
    ["line 3: this is neither YAML nor JSON", [], {}, "name: a\nzone: b\nname: c\n"],
    ["line 1: settings are written as", [], {}, "- a\n"],
    ['SORTITION_WEIGHT must be a number of at least 0: it is "x"', [], { SORTITION_WEIGHT: "x" }],
    ['SORTITION_INSECURE must be true or false: it is "maybe"', [], { SORTITION_INSECURE: "maybe" }],
    ["--lease-ttl must be milliseconds or a time such as 2s or 500ms, at least 500 ms", ["--lease-ttl", "1"], {}],
    ['--http must be an address, HOST:PORT, a Unix socket, unix:PATH, or "off": it is "here"', ["--http", "here"], {}],
    ["--lease has a password in it", ["--lease", "postgres://a:b@c/d"], {}],
    ["there is no file", ["--config", "nosuch.yaml"], {}],
    ["there is no key, and 10.0.0.7:1 can be reached by others", ["--bind", "10.0.0.7:1"], {}],
    ["there is no key, and a.example:1 can be reached", ["--advertise", "a.example:1"], {}],
    ["HTTP at 0.0.0.0:80 can be reached by others: give a file with a token", ["--http", "0.0.0.0:80"], {}],
    ["tlsCert and tlsKey go together", ["--tls-cert", "a"], {}],
    ["--lease-ttl is for leases: give lease too", ["--lease-ttl", "2000"], {}],
    ["SORTITION_PREEMPTIBLE is for leases", [], { SORTITION_PREEMPTIBLE: "yes" }],
    ["--no-migrate is for leases", ["--no-migrate"], {}],
    ['"council-naive" does not elect a leader in a group', ["--protocol", "council-naive"], {}],
    ['unknown protocol "refere"', ["--protocol", "refere"], {}],
    ['"expected" is for the policy "majority"', ["--expected", "3"], {}],
  ])("%s", (message, args, env, text) => {
    expect(refusal(args, env, text === undefined ? undefined : file(text, 0o600, "1.yaml"))).toContain(message);
  });

  test("secrets are not shown, and not read from a file that others can read", () => {
    const secret = "hunter2-hunter2-hunter2";
    for (const text of [
      `key: ${secret}\n`,
      `httpToken: ${secret}\n`,
      `lease: postgres://a:${secret}@b/c\n`,
      `lease: postgres://a@b/c?password=${secret}\n`,
    ]) {
      const said = refusal([], {}, file(text, 0o644));
      expect(said).toContain("can be read by others than its owner: chmod 600");
      expect(said).not.toContain(secret);
    }
    expect(refusal([], { SORTITION_HTTP_TOKEN: "" })).toBe("none");
    expect(refusal([], {}, file(`httpToken: [${secret}]\n`))).toContain("it is something else");
  });

  test("a variable with nearly one of our names gives a warning; other variables do not", () => {
    const { warnings } = read([], {
      SORTITION_SEED: "a:1",
      SORTITION_PORT: "tcp://10.0.0.1:80",
      SORTITION_KEY: newKeyText(),
    });
    expect(warnings).toEqual(["Sortition has no variable SORTITION_SEED; did you mean SORTITION_SEEDS?"]);
  });
});

test("beyond loopback: --insecure is said, and so is HTTP without TLS", () => {
  const { settings } = read(["--bind", "10.0.0.7:1", "--insecure", "--http", "0.0.0.0:80"], {
    SORTITION_HTTP_TOKEN: "x".repeat(16),
  });
  expect(checkAgent(settings)).toEqual([
    expect.stringContaining("10.0.0.7:1 can be reached by others: every host that reaches it can become a member"),
    expect.stringContaining("HTTP at 0.0.0.0:80 is not encrypted"),
  ]);
});

test("every setting has its variable, and a flag unless it is a secret", () => {
  expect(variableOf("httpTokenFile")).toBe("SORTITION_HTTP_TOKEN_FILE");
  expect(AGENT_KEYS.filter((key) => memberFlag(key) === null)).toEqual(["key", "httpToken"]);
  expect(new Set(AGENT_KEYS.map(variableOf)).size).toBe(AGENT_KEYS.length);
});

describe("--check looks at what is named, without making anything", () => {
  const found = async (...args: string[]) => {
    const findings = await checkMeans(read([...args, "--http", "127.0.0.1:0"]).settings);
    return Object.fromEntries(findings.map(({ about, is, why }) => [about, `${is}: ${why}`]));
  };

  test("all well", async () => {
    const key = file(newKeyText(), 0o600, "well.key");
    const lease = `sqlite:${join(folder, "well.db")}`;
    expect(await found("--key-file", key, "--state", join(folder, "new"), "--lease", lease)).toEqual({
      key: expect.stringMatching(/^well: seals with [0-9a-f]{8}$/),
      bind: "well: can be listened at",
      seeds: "noted: none: this member is alone until another member joins it",
      state: "well: can be written",
      lease: `noted: ${lease} is not there yet, and will be made`,
      http: "well: can be served",
    });
  });

  test("much amiss", async () => {
    const folderless = `sqlite:${join(folder, "nosuch/a.db")}`;
    expect(
      await found(
        "--key-file",
        file("short"),
        "--bind",
        "192.0.2.7:7001",
        "--lease",
        folderless,
        "--seeds",
        "x.invalid:1",
      ),
    ).toMatchObject({
      key: expect.stringContaining("wrong: "),
      bind: expect.stringContaining("wrong: cannot listen at 192.0.2.7:7001: this machine has no such address"),
      seeds: expect.stringContaining("noted: nobody knows an address of x.invalid now"),
      lease: expect.stringContaining("wrong: "),
    });
    expect((await found("--bind", "0.0.0.0:7001", "--insecure")).bind).toMatch(
      /^wrong: .*: add --advertise HOST:PORT$/,
    );
  });
});

test("a name that every object has, and aliases that lead in circles or multiply, are refused in a sentence", () => {
  for (const name of ["constructor", "__proto__", "toString"]) {
    expect(refusal([], {}, file(`${name}: 1\n`))).toContain(`there is no setting "${name}"`);
  }
  expect(refusal([], {}, file("name: &x [*x]\n"))).toMatch(
    /line 1: name has too many aliases, or some that lead in circles/,
  );
  const many = (of: number) => `[${Array(9).fill(`*a${of}`).join(", ")}]`;
  const bomb = ["seeds: &a0 [x, x]", "offices: &a1 ", "name: &a2 ", "group: &a3 ", "zone: &a4 "];
  const text = bomb.map((line, at) => (at === 0 ? line : line + many(at - 1))).join("\n");
  expect(refusal([], {}, file(text))).toContain("has too many aliases");
});
