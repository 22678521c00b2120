/** The commands around `simulate`: help, catalogue, tour, version, and too old a Node. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { tour } from "../../src/cli/commands/tour.ts";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { effort } from "../support/effort.ts";
import { TestIo } from "../support/io.ts";
import { bin, ended, root, sortition, sortitionProcess, start } from "./run.ts";

const names = catalogue.map(({ name }) => name);

describe("help", () => {
  test("sortition alone shows it", async () => {
    const [alone, asked] = await Promise.all([sortition(), sortition("--help")]);
    expect(alone.status).toBe(0);
    expect(alone.stdout).toContain("Usage: sortition [options] [command]");
    expect(alone).toEqual(asked);
  });

  test.each(["tour", "protocols", "simulate", "completion"])(
    "%s has examples and says where to read on",
    async (name) => {
      const { status, stdout } = await sortition(name, "--help");
      expect(status).toBe(0);
      expect(stdout).toContain("\nExamples:\n");
      expect(stdout).toMatch(/\nRead on: \S+\.md\n/);
      expect(
        Math.max(
          ...stdout
            .split("\n")
            .filter((line) => !line.startsWith("  sort"))
            .map((line) => line.length),
        ),
      ).toBeLessThanOrEqual(80);
    },
  );

  test("the examples in it run", async () => {
    const pages = await Promise.all(["protocols", "simulate"].map((name) => sortition(name, "--help")));
    const lines = pages.flatMap(({ stdout }) => [...stdout.matchAll(/^ {2}sortition (.*)$/gm)].map(([, line]) => line));
    expect(lines.length).toBe(6);
    for (const line of lines)
      expect({ line, status: (await sortition(...line.split(" "))).status }).toEqual({ line, status: 0 });
  });
});

test("a shell that reads its commands from a pipe goes on beside an agent: nothing built imports Node's process, which would open standard input", () => {
  const built = globSync("dist/**/*.js", { cwd: root });
  expect(built.length).toBeGreaterThan(10);
  const imports = /(from ?|import\(|require\()["'](node:)?process["']/;
  expect(built.filter((file) => imports.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
});

test("--version is the package's, built and from the sources", async () => {
  const { stdout } = await sortitionProcess("--version");
  const sources = await ended(spawn(process.execPath, ["src/cli/main.ts", "--version"], { cwd: root }));
  expect(sources).toEqual({ status: 0, stdout, stderr: "" });
  expect(stdout).toBe(`${JSON.parse(readFileSync("package.json", "utf8")).version}\n`);
});

describe("protocols", () => {
  test("lists every protocol on a line of its own", async () => {
    const { stdout } = await sortition("protocols");
    const listed = stdout
      .split("\n")
      .slice(1)
      .map((line) => line.split(" ")[0]);
    expect(listed.slice(0, names.length)).toEqual(names);
  });

  test("describes one", async () => {
    const { stdout } = await sortition("protocols", "chang-roberts");
    for (const part of ["CACM 22(5), 1979", "n(n+1)/2", "relay|join", "unidirectional ring, ids, asynchronous"]) {
      expect(stdout).toContain(part);
    }
  });

  test("--json is one object with the parameters and their defaults", async () => {
    const { protocols } = JSON.parse((await sortition("protocols", "--json")).stdout);
    expect(protocols.map(({ name }: { name: string }) => name)).toEqual(names);
    const [{ parameters }] = JSON.parse((await sortition("protocols", "itai-rodeh", "--json")).stdout).protocols;
    expect(parameters).toContainEqual(expect.objectContaining({ name: "range", derived: { n: 100, value: 100 } }));
  });
});

test("the tour elects with every protocol", async () => {
  const io = new TestIo();
  await tour(io, effort(50, 1000));
  for (const name of names) expect(io.stdout.text).toMatch(new RegExp(`^ *${name} +(100|9\\d\\.?\\d*)%`, "m"));
});

test("the command of the tour begins with one election, and goes on to a thousand of each", async () => {
  const child = start(["tour"]);
  let said = "";
  for await (const text of child.stdout!.setEncoding("utf8")) {
    said += text;
    if (said.includes("Every protocol")) break;
  }
  child.kill("SIGKILL");
  await once(child, "close");
  expect(said).toContain("8 leads, after");
  expect(said).toContain("Every protocol: 100 processes, 1000 elections each");
});

describe("bin/sortition.js", () => {
  const source = readFileSync(bin, "utf8").replace(/^#!.*/, "");

  function runOn(version: string) {
    const said: string[] = [];
    const statuses: number[] = [];
    const loaded: string[] = [];
    runInNewContext(source, {
      process: {
        versions: { node: version },
        argv: [],
        stderr: { write: (text: string) => said.push(text) },
        exit: (status: number) => statuses.push(status),
      },
      require: (path: string) => {
        loaded.push(path);
        return { main: () => {} };
      },
    });
    return { said, statuses, loaded };
  }

  test.each(["0.10.48", "8.17.0", "20.20.2", "22.12.0"])("on Node %s says in one line what is needed", (version) => {
    const { said, statuses, loaded } = runOn(version);
    expect(said).toEqual([`sortition: needs Node 22.13 or later, this is ${version}; see https://nodejs.org\n`]);
    expect([statuses, loaded]).toEqual([[2], []]);
  });

  test.each(["22.13.0", "24.0.0", "100.0.0"])("on Node %s starts", (version) => {
    expect(runOn(version)).toEqual({ said: [], statuses: [], loaded: ["../dist/cli/main.js"] });
  });

  test("has no syntax that came after the first Nodes", () => {
    expect(source).not.toMatch(/=>|`|\b(let|const|import|class|async)\b/);
  });
});
