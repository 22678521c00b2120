/** What the package weighs, in numbers that do not depend on the machine: files, threads, packages and bytes. */
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { env, folderWithin, type Packed, packed, run } from "../support/packed.ts";
import { root } from "./run.ts";

let made: Packed;
let folder: string;
beforeAll(async () => {
  made = await packed();
  folder = folderWithin(made);
  // What a process loads and which threads it starts, a line each.
  writeFileSync(
    join(folder, "tell.mjs"),
    `import { registerHooks } from "node:module";
     import { isMainThread } from "node:worker_threads";
     process.on("worker", () => process._rawDebug("thread"));
     if (isMainThread) registerHooks({
       load(url, context, next) {
         if (url.startsWith("file:")) process._rawDebug("file " + url);
         return next(url, context);
       },
     });`,
  );
});

/** Files of the package and of what it depends on that a program loads, and the threads that it starts. */
async function told(...args: string[]) {
  const tell = ["--import", pathToFileURL(join(folder, "tell.mjs")).href];
  const { stderr, stdout } = await run(process.execPath, [...tell, ...args], { cwd: folder, env });
  const lines = stderr.split("\n");
  return {
    stdout,
    files: lines.filter((line) => line.startsWith("file ") && !line.includes("/use-")),
    threads: lines.filter((line) => line === "thread").length,
  };
}

const sortition = (line: string) =>
  told(join(made.folder, "node_modules/sortition/bin/sortition.js"), ...line.split(" "));

const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  dependencies: Record<string, string>;
};

describe("files", () => {
  test("that an import of join loads: at most 12", async () => {
    writeFileSync(join(folder, "import.mjs"), 'import { join } from "sortition"; console.log(typeof join);');
    const { files, stdout } = await told("import.mjs");
    expect(stdout).toBe("function\n");
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThanOrEqual(12);
  });

  test("that a member which leads has loaded: at most 12", async () => {
    writeFileSync(
      join(folder, "member.mjs"),
      `import { join } from "sortition";
       const member = await join({ name: "a", insecure: true, profile: "local", log: false });
       await member.lead(() => {}).done;
       await member.leave();
       console.log("led");`,
    );
    const { files, threads, stdout } = await told("member.mjs");
    expect(stdout).toBe("led\n");
    expect(files.length).toBeLessThanOrEqual(12);
    expect(threads).toBe(0);
  });

  const lines: [string, number][] = [
    ["simulate chang-roberts --n 10", 40],
    ["--help", 15],
    ["theory peterson --n 10", 30],
    ["protocols", 30],
  ];
  test.each(lines.slice(0, effort(2, lines.length)))(
    "and threads of sortition %s: few and none",
    async (line, most) => {
      const { files, threads, stdout } = await sortition(line);
      expect(stdout).not.toBe("");
      expect(files.length).toBeLessThanOrEqual(most);
      expect(threads).toBe(0);
    },
  );
});

describe("packages", () => {
  test("that come along: at most 8, of exact versions, none at 0.0", () => {
    expect(Object.keys(dependencies).length).toBeLessThanOrEqual(8);
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^(?!0\.0\.)\d+\.\d+\.\d+$/);
  });

  test("whose code is in the bundle have their licences in it", () => {
    const text = readFileSync(join(root, "dist/bundled-licences.txt"), "utf8");
    for (const name of ["prom-client", "valibot", "sax", "@bomb.sh/tab"]) expect(text).toContain(`${name} `);
  });
});

describe("bytes", () => {
  const sizeOf = (folder: string) =>
    globSync("**", { cwd: folder, exclude: ["node_modules"] })
      .map((file) => statSync(join(folder, file)))
      .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);

  /** Folders of the packages that one brings along, at any depth. */
  function broughtBy(description: string, found = new Set<string>()): Set<string> {
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(description, "utf8"));
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const folder = createRequire(description)
        .resolve.paths(name)!
        .map((path) => join(path, name))
        .find(existsSync);
      // Missing: for another system.
      if (folder === undefined || found.has(folder)) continue;
      found.add(folder);
      broughtBy(join(folder, "package.json"), found);
    }
    return found;
  }

  // The Lab and the code of the studies are 1.2 of them.
  test("of the archive: at most 1.5 MB, as npm rounds it", () => {
    expect(made.size).toBeLessThan(1_550_000);
  });

  test("of an install without optional parts: at most 8 MB", () => {
    const brought = [...broughtBy(join(root, "package.json"))];
    expect(brought.length).toBeGreaterThanOrEqual(Object.keys(dependencies).length);
    expect(brought.reduce((sum, folder) => sum + sizeOf(folder), made.unpackedSize)).toBeLessThanOrEqual(8_000_000);
  });
});

/** A program of a user, in one file. */
const PROGRAM = `import { join } from "sortition";
const file = process.argv[2];
try {
  const member = await join({ name: "a", insecure: true, profile: "local", log: false, lease: file ? "sqlite:" + file : undefined });
  await member.lead(({ token }) => console.log("leads with a token: " + (token !== null))).done;
  await member.leave();
} catch (error) {
  console.log(error.code + ": " + error.message);
}`;

describe("a program that is bundled", () => {
  const refused =
    /^BAD_LEASE: sortition was bundled, and its file programs\/sqlite-thread\.js is not beside the bundle: /;
  const bundles: Record<string, () => Promise<unknown>> = {
    "esbuild.mjs": () => bundledByEsbuild("esm"),
    "esbuild.cjs": () => bundledByEsbuild("cjs"),
    "rolldown.mjs": async () => {
      const bundle = await rolldown({ input: join(folder, "program.js"), platform: "node", logLevel: "silent" });
      await bundle.write({ file: join(folder, "rolldown.mjs"), format: "esm", codeSplitting: false });
    },
  };
  const bundledByEsbuild = (format: "esm" | "cjs") =>
    build({
      stdin: {
        contents:
          format === "cjs"
            ? `(async () => {${PROGRAM.replace(/^import .*/, 'const { join } = require("sortition");')}})()`
            : PROGRAM,
        resolveDir: folder,
      },
      bundle: true,
      platform: "node",
      format,
      logLevel: "silent",
      outfile: join(folder, format === "esm" ? "esbuild.mjs" : "esbuild.cjs"),
    });

  test.each(Object.keys(bundles).slice(0, effort(1, 3)))(
    "as %s leads; with leases in SQLite, join rejects with what to do",
    async (file) => {
      writeFileSync(join(folder, "program.js"), PROGRAM);
      await bundles[file]();
      const plain = await run(process.execPath, [file], { cwd: folder, env });
      expect(plain.stdout).toBe("leads with a token: false\n");
      const strict = await run(process.execPath, [file, "leases.db"], { cwd: folder, env });
      expect(strict.stdout).toMatch(refused);
    },
  );

  test("without the package itself holds leases in SQLite", async () => {
    const options = { bundle: true, platform: "node", format: "esm", external: ["sortition"] } satisfies BuildOptions;
    await build({ ...options, stdin: { contents: PROGRAM, resolveDir: folder }, outfile: join(folder, "beside.mjs") });
    const { stdout } = await run(process.execPath, ["beside.mjs", "leases.db"], { cwd: folder, env });
    expect(stdout).toBe("leads with a token: true\n");
  });
});
