/** The repository's own rules, kept by a test (see docs/decisions/contract.md for their reasons). */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { PROGRAMS } from "../src/package-files.ts";
import { catalogue } from "../src/protocols/catalogue.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
const tracked = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").filter((file) =>
  existsSync(join(root, file)),
);
const text = new Map(
  tracked
    .filter((file) => /\.(ts|js|mjs|json|md|svelte|yml|txt)$/.test(file))
    .map((file) => [file, readFileSync(join(root, file), "utf8")]),
);
const sources = [...text].filter(([file]) => file.startsWith("src/") && file.endsWith(".ts"));
const code = sources.filter(([file]) => !file.endsWith(".test.ts"));
const lab = [...text].filter(([file]) => file.startsWith("lab/") && /\.(ts|svelte)$/.test(file));

/** Every offending place as "file: what", so that a red test says where to look. */
function offenders(files: readonly (readonly [string, string])[], pattern: RegExp): string[] {
  return files.flatMap(([file, content]) =>
    content.split("\n").flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
  );
}

function importsOf(content: string): string[] {
  return [...content.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, path]) => path);
}

describe("imports", () => {
  // A folder may import from itself and from those before it (docs/decisions/contract.md).
  const order = [
    "errors.ts",
    "values.ts",
    "setting.ts",
    "version.ts",
    "narrator.ts",
    "protocol.ts",
    "wire",
    "random",
    "theory",
    "topology",
    "protocols",
    "properties",
    "host",
    "explorer",
    "kernels",
    "registry",
    "settings",
    "simulation",
    "statistics",
    "trace",
    "events",
    "api",
    "elector",
    "flight",
    "planner",
    "package-files.ts",
    "campaign",
    "plot",
    "reproduce",
    "live",
    "cli",
    "entries",
  ];
  const rank = (file: string) => order.indexOf(relative("src", file).split("/")[0]);

  test("every folder of src has its place in the order", () => {
    expect(code.filter(([file]) => rank(file) < 0).map(([file]) => file)).toEqual([]);
  });

  test("point only upwards", () => {
    const wrong = code.flatMap(([file, content]) =>
      importsOf(content)
        .map((path) => join(dirname(file), path))
        .filter((target) => rank(target) > rank(file))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test("go round in no circle, those of types included", () => {
    const files = new Map([...code, ...lab]);
    const targets = (file: string) => importsOf(files.get(file)!).map((path) => join(dirname(file), path));
    const done = new Set<string>();
    /** A circle that begins and ends at a file on the way. */
    function circle(file: string, way: readonly string[]): readonly string[] | null {
      if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
      if (done.has(file) || !files.has(file)) return null;
      for (const target of targets(file)) {
        const found = circle(target, [...way, file]);
        if (found !== null) return found;
      }
      done.add(file);
      return null;
    }
    expect([...files.keys()].flatMap((file) => circle(file, []) ?? [])).toEqual([]);
  });

  // Types of globals are checked by tsconfig.core.json, which knows of no Node; this is the quick half of it.
  test("nothing above the line needs Node", () => {
    const above = code.filter(([file]) => rank(file) < order.indexOf("package-files.ts"));
    expect(above.length).toBeGreaterThan(100);
    const node = /\bfrom "node:|import\("node:|\bBuffer\b|\bprocess\.|\bsetImmediate\b|\brequire\(|\bNodeJS\./;
    expect(offenders(above, node)).toEqual([]);
    const packages = above.flatMap(([, content]) => [...content.matchAll(/^import .*from "([^."][^"]*)"/gm)]);
    expect([...new Set(packages.map(([, name]) => name))].sort()).toEqual(["fastest-levenshtein", "sax", "valibot"]);
  });

  test("the version is the one in package.json", () => {
    expect(text.get("src/version.ts")).toContain(`version = "${JSON.parse(text.get("package.json")!).version}"`);
  });

  test("no file is dead: each is imported by another, or is an entry", () => {
    const entries = [
      "src/cli/main.ts",
      ...Object.values(PROGRAMS).map((program) => `src/${program}.ts`),
      ...exported(),
    ];
    const imported = new Set(
      [...text]
        .filter(([file]) => file.endsWith(".ts"))
        .flatMap(([file, content]) => importsOf(content).map((path) => join(dirname(file), path))),
    );
    expect(
      code
        .map(([file]) => file)
        .filter((file) => !imported.has(file) && !entries.includes(file) && !file.endsWith(".d.ts")),
    ).toEqual([]);
  });

  /** Also of what the build writes, which git does not know. */
  const contentOf = (file: string) => text.get(file) ?? readFileSync(join(root, file), "utf8");

  /** All files that one file needs before it runs. */
  function reachedFrom(entry: string): string[] {
    const reached = new Set([entry]);
    for (const file of reached) {
      const imported = [...contentOf(file).matchAll(/^(?:import|export|\}) (?!type)(?:.*from )?"(\.[^"]+)"/gm)];
      for (const [, path] of imported) reached.add(join(dirname(file), path));
    }
    return [...reached];
  }

  test("the command line loads no command before it is called", () => {
    const light = ["errors.ts", "version.ts", "cli/io.ts", "cli/main.ts", "cli/program.ts", "cli/text/terminal.ts"];
    const reached = reachedFrom("src/cli/main.ts").map((file) => relative("src", file));
    expect(reached.filter((file) => !light.includes(file))).toEqual([]);
  });

  test("all entries but the first and live load in a page", () => {
    for (const entry of ["protocol", "simulate", "explore", "plan", "theory", "trace"]) {
      const reached = reachedFrom(`src/entries/${entry}.ts`).map((file) => [file, contentOf(file)] as const);
      expect(reached.length).toBeGreaterThan(10);
      expect(offenders(reached, /^(?:import|export|\}) .*from "(?:node:|piscina)/)).toEqual([]);
    }
  });

  function exported(): string[] {
    const { exports } = JSON.parse(text.get("package.json")!) as {
      exports: Record<string, string | { import: { default: string } }>;
    };
    return Object.values(exports).map((target) =>
      (typeof target === "string" ? target : target.import.default).replace("./dist/", "src/").replace(/\.js$/, ".ts"),
    );
  }
});

describe("protocols", () => {
  const protocols = code.filter(([file]) => file.startsWith("src/protocols/") || file === "src/protocol.ts");

  test("are free of clocks, randomness, async and Node modules", () => {
    // Examples in comments are for people.
    const impure =
      /^(?! \*).*(?:Math\.random|Date\.now|new Date\b|performance\.now|setTimeout|setInterval|queueMicrotask|\basync (?:function\b|\(|\w+ =>)|\bawait\b|\bPromise\b|from "node:|\bprocess\.)/;
    expect(offenders(protocols, impure)).toEqual([]);
  });

  test("begin with a citation, a model and a cost", () => {
    const algorithms = protocols.filter(([, content]) => /^export const \w+: Protocol</m.test(content));
    expect(algorithms.length).toBeGreaterThan(0);
    const bare = algorithms.filter(([, content]) => {
      const header = /^\/\*\*[\s\S]*?\*\//.exec(content)?.[0] ?? "";
      return !/\d{4}/.test(header) || !/Model:/.test(header) || !/Cost:/.test(header);
    });
    expect(bare.map(([file]) => file)).toEqual([]);
  });
});

describe("exported names", () => {
  const parts = ["src/elector/council/councils.ts", "src/elector/watch/watch.ts"];
  const twice: readonly { name: string; in: (file: string) => boolean; why: string }[] = [
    ...["receive", "expire", "leave"].map((name) => ({
      name,
      in: (file: string) => parts.includes(file),
      why: "two parts of the elector that are called alike: councils.receive, watch.receive",
    })),
    {
      name: "define",
      in: (file) => file.startsWith("src/cli/"),
      why: "each command defines itself, and program.ts loads all of them alike",
    },
    {
      name: "Address",
      in: (file) => ["src/protocol.ts", "src/live/world.ts"].includes(file),
      why: "public in two entries: an opaque text in a protocol, host and port in `sortition/live`",
    },
  ];

  test("mean one thing: none is defined in two files, but for a few", () => {
    const files = new Map<string, string[]>();
    const definition =
      /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
    for (const [file, content] of code) {
      const names = new Set([...content.matchAll(definition)].map(([, name]) => name));
      for (const name of names) files.set(name, [...(files.get(name) ?? []), file]);
    }
    const found = [...files].filter(([, defined]) => defined.length > 1);
    const allowed = (name: string, defined: readonly string[]) =>
      twice.some((one) => one.name === name && defined.every(one.in));
    const wrong = found.filter(([name, defined]) => !allowed(name, defined));
    expect(wrong.map(([name, defined]) => `${name}: ${defined.join(", ")}`)).toEqual([]);
    // What is no longer needed does not stay on the list.
    expect(twice.map(({ name }) => name).filter((name) => !found.some(([one]) => one === name))).toEqual([]);
  });

  test("and terms are explained in the glossary, in order", () => {
    const terms = [...text.get("docs/glossary.md")!.matchAll(/^- \*\*(.+?)\*\*: /gm)].map(([, term]) => term);
    expect(terms.length).toBeGreaterThan(40);
    expect(terms).toEqual([...terms].sort((a, b) => a.localeCompare(b, "en")));
  });
});

test("a protocol is named where it stands, in its entry, and nowhere else", () => {
  const elsewhere = code.filter(([file]) => !/^src\/(registry|reproduce)\//.test(file));
  const wrong = [...catalogue.map(({ name }) => name), "council-"].flatMap((name) =>
    offenders(
      elsewhere.filter(([, content]) => !content.includes(`\n  name: "${name}",\n`)),
      new RegExp(`^(?!\\s*\\*).*["'\`]${name}["'\`]`),
    ),
  );
  expect(wrong).toEqual([]);
});

test("commands take streams, environment, status and signals from the io that is passed in", () => {
  const programs = ["clerk", "leash", "warden"].map((program) => `src/cli/commands/demo/${program}.ts`);
  const commands = code.filter(
    ([file]) => file.startsWith("src/cli/") && file !== "src/cli/io.ts" && !programs.includes(file),
  );
  const direct =
    /\bprocess\.(?:stdin|stdout|stderr|env|exit|exitCode|on|once|off|emit|(?:add|remove)Listener)\b|\b(?:std\w+|env|exit\w*)\b.*\} = process\b|\bconsole\.|\bavailableParallelism\b/;
  expect(offenders(commands, direct)).toEqual([]);
});

test("a new protocol needs no change in the Lab: only lessons and links to experiments name protocols", () => {
  const elsewhere = lab.filter(([file]) => !file.startsWith("lab/lessons/") && file !== "lab/papers/here.ts");
  const names = [...catalogue.map(({ name }) => name), "council-"];
  expect(offenders(elsewhere, new RegExp(`["'\`=,](?:${names.join("|")})["'\`,&]`))).toEqual([]);
});

test("live elections take clock, timers and randomness from the world that is passed in", () => {
  // The last one has a method of that name, as every socket of Node has.
  const real = ["src/live/real-world.ts", "src/live/testing/real-time.ts", "src/live/agent/http/paced-socket.ts"];
  const live = code.filter(([file]) => file.startsWith("src/live/") && !real.includes(file));
  const direct =
    /performance\.now|Date\.now|new Date\b(?!\([^)])|hrtime|(?<![.\w])set(?:Timeout|Interval|Immediate)\b|queueMicrotask|nextTick|Math\.random|randomBytes|randomFill|randomInt|randomUUID|getRandomValues/;
  expect(offenders(live, direct)).toEqual([]);
});

describe("every file", () => {
  const prose = [...text].filter(([file]) => file !== "test/tidy.test.ts" && file !== "package-lock.json");

  test("leaves nothing to do behind, and no test skipped or alone", () => {
    expect(offenders(prose, /\b(TODO|FIXME|XXX)\b|\b(it|test|describe)\.(skip|only|todo)\(/)).toEqual([]);
  });

  test("names no absolute path of a machine and no registry host", () => {
    const all = [...text].filter(([file]) => file !== "test/tidy.test.ts");
    expect(offenders(all, /["'`\s(]\/(work|farm|root|home|tmp)\/|registry\.npmjs|deb\.debian/)).toEqual([]);
  });

  test("packs no object literals: `...{ a, b }` inside one says nothing that `a, b` does not", () => {
    expect(
      offenders(
        [...text].filter(([file]) => /\.(ts|svelte)$/.test(file) && file !== "test/tidy.test.ts"),
        /\.\.\.\{/,
      ),
    ).toEqual([]);
  });
});

test("comments name files that exist", () => {
  // One is written by the build, one is an example's.
  const paths = [...text.keys(), "src/random/assembly-bytes.ts", "mine.ts"].map((file) => `/${file}`);
  const wrong = [...text]
    .filter(([file]) => /^(src|lab|test|bench|scripts)\/.*\.(ts|js|svelte)$/.test(file))
    .flatMap(([file, content]) =>
      content
        .split("\n")
        .flatMap((line) => /^\s*(?:\/?\*|\/\/)(.*)/.exec(line)?.[1] ?? [])
        .flatMap((comment) => comment.match(/(?<!\.)\b[\w-][\w./-]*\.(?:ts|svelte)\b/g) ?? [])
        .filter((named) => !paths.some((path) => path.endsWith(`/${named}`)))
        .map((named) => `${file}: ${named}`),
    );
  expect(wrong).toEqual([]);
});

test("a drawn test names its seed, so that a failure repeats", () => {
  const drawn = [...text].filter(([file]) => /^(src|test)\/.*\.ts$/.test(file) && file !== "test/tidy.test.ts");
  const unnamed = drawn.filter(([, content]) =>
    content
      .split(/\bfc\.(?:assert|check)\(/)
      .slice(1)
      .some((draw) => !/\bseed\b/.test(draw)),
  );
  expect(unnamed.map(([file]) => file)).toEqual([]);
});

test("each page of decisions is in the index and has at most 900 words", () => {
  const folder = join(root, "docs/decisions");
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const pages = readdirSync(folder).filter((name) => name !== "README.md");
  const index = read("README.md");
  expect(pages.filter((name) => !index.includes(`(${name})`))).toEqual([]);
  const words = pages.map((name) => [name, read(name).split(/\s+/).filter(Boolean).length] as const);
  expect(words.filter(([, count]) => count > 900)).toEqual([]);
});

test("all pages have at most 75,000 words, and those of decisions at most 12,000", () => {
  const wordsOf = (pages: RegExp) =>
    [...text].reduce((sum, [file, page]) => sum + (pages.test(file) ? page.split(/\s+/).length : 0), 0);
  expect(wordsOf(/\.md$/)).toBeLessThanOrEqual(75_000);
  expect(wordsOf(/^docs\/decisions\//)).toBeLessThanOrEqual(12_000);
});

test("exact versions only", () => {
  const { dependencies, devDependencies } = JSON.parse(text.get("package.json")!);
  const versions = Object.entries({ ...dependencies, ...devDependencies });
  expect(
    versions.filter(([, version]) => !/^(npm:[\w-]+@)?\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version as string)),
  ).toEqual([]);
});

test("the README shows the two commands, and CI runs the second", () => {
  expect(text.get("README.md")).toContain("npm ci && npm start");
  expect(text.get("README.md")).toContain("npm ci && npm test");
  expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("npm ci && npm test");
});
