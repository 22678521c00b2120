/**
 * Bundles src into a folder: every entry, the command line and every program of a thread or a process, with the code that they share in chunks,
 * so that a class is the same in all of them. Runs on the project's own Node, which reads TypeScript.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { basename, join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { esmExternalRequirePlugin } from "rolldown/plugins";
import { PROGRAMS } from "../src/package-files.ts";

const [folder] = process.argv.slice(2);

const { dependencies, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));

const entries = globSync("src/entries/*.ts").map((file) => [`entries/${basename(file, ".ts")}`, file]);
const programs = Object.entries(PROGRAMS).map(([name, source]) => [`programs/${name}`, `src/${source}.ts`]);
const input = Object.fromEntries([["cli/main", "src/cli/main.ts"], ...entries, ...programs]);

/** What users install stays outside; of what only the build installs, the code comes along. */
const installed = Object.keys({ ...dependencies, ...peerDependencies });
const isOutside = (id) =>
  (id.startsWith("node:") && id !== "node:process") ||
  installed.some((name) => id === name || id.startsWith(`${name}/`));

/** Members of groups; `join` loads them when it is called. */
const MEMBERS = ["live/join/open", "src/live/join/open.ts"];

/** Files that load little. What they share with others is a chunk of its own, so that they do not load the others. */
const SMALL = [
  "cli/main",
  "entries/index",
  "entries/guards",
  ...["guardian", "clerk", "sqlite-thread", "http-thread"].map((name) => `programs/${name}`),
];
const STUDIES = ["explore", "plan", "simulate", "theory", "trace"].map((name) => `entries/${name}`);

/** Few chunks instead of one for each set of files that share a module. A page can load `base`, `core`, `groups`, `checks` and `studies`. */
function chunkOf(reached) {
  const count = (...names) => names.filter((name) => reached.has(name)).length;
  const isInPages = count("entries/protocol", ...STUDIES) > 0;
  const isShared = count(...SMALL) > 0 && (count("entries/protocol", MEMBERS[0]) > 0 || count(...SMALL) > 1);
  if (isShared) return isInPages ? "base" : "node-base";
  // What only HTTP and studies share: how the shape of JSON is checked.
  if (count(...SMALL) > 0 && isInPages) return "checks";
  if (count("entries/protocol") > 0) return "core";
  // Groups as machines, which flight records run again.
  if (count(MEMBERS[0]) > 0 && isInPages) return count(...STUDIES) > 1 ? "core" : "groups";
  if (count(MEMBERS[0]) > 0) return "member";
  return count(...STUDIES) > 1 ? "studies" : null;
}

let known = null;

/** By module: which of these files load it before they run. */
function reachedBy(infoOf) {
  const reached = new Map();
  for (const [name, file] of [...Object.entries(input), MEMBERS]) {
    const seen = new Set([resolve(file)]);
    for (const id of seen) {
      if (!reached.has(id)) reached.set(id, new Set());
      reached.get(id).add(name);
      for (const next of infoOf(id)?.importedIds ?? []) if (!isOutside(next)) seen.add(next);
    }
  }
  return reached;
}

/** What packages ask for and is not used here: streams of sax, which no page has; of prom-client clusters, gateways, summaries and traces. */
const UNUSED = [
  [/[\\/]sax[\\/]lib[\\/]/, /require\('stream'\)/g],
  [/[\\/]prom-client[\\/]index\.js$/, /require\('\.\/lib\/(?:summary|pushgateway|cluster)'\)/g],
  [/[\\/]prom-client[\\/]lib[\\/]metrics[\\/]processCpuTotal\.js$/, /require\('@opentelemetry\/api'\)/g],
];
const withoutUnused = {
  name: "without-unused",
  transform(code, id) {
    const [, asked] = UNUSED.find(([file]) => file.test(id)) ?? [];
    if (asked === undefined) return null;
    if (code.search(asked) < 0) throw new Error(`${id} does not ask for ${asked} any more`);
    return code.replace(asked, "({})");
  },
};

/**
 * `import` of Node's module "process" reads all its properties, `stdin` too, which makes a pipe there non-blocking. A shell that reads its
 * commands from that pipe ends then. So "process" is the global object.
 */
const GLOBAL_PROCESS = "\0global-process";
const globalProcess = {
  name: "global-process",
  resolveId: (id) => (/^(node:)?process$/.test(id) ? GLOBAL_PROCESS : null),
  load: (id) => (id === GLOBAL_PROCESS ? { code: "module.exports = process;", moduleType: "js" } : null),
};

/** The packages whose code came along, each with its licence, which asks for that. */
function notices(output) {
  const files = output.flatMap(({ modules = {} }) => Object.keys(modules));
  const folders = new Set(
    files.flatMap((file) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0] ?? []),
  );
  return [...folders].sort().map((folder) => {
    const { name, version, license, repository } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const [file] = globSync(join(folder, "{LICENSE,LICENCE,license}*"));
    const text = file === undefined ? (repository?.url ?? "") : readFileSync(file, "utf8").trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
}

const bundle = await rolldown({
  input,
  plugins: [
    globalProcess,
    withoutUnused,
    esmExternalRequirePlugin({
      external: [...builtinModules.filter((name) => name !== "process"), /^node:(?!process$)/],
    }),
  ],
  external: isOutside,
  platform: "node",
  preserveEntrySignatures: "allow-extension",
});
const { output } = await bundle.write({
  dir: folder,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      {
        debugName: "shared code",
        name(id, context) {
          known ??= reachedBy((id) => context.getModuleInfo(id));
          const reached = known.get(id);
          return reached === undefined || context.getModuleInfo(id).isEntry ? null : chunkOf(reached);
        },
      },
    ],
  },
  // Names of classes and methods stay: they are in the traces of errors, and users see them. Those of functions are 19 kB of the archive.
  minify: {
    compress: true,
    mangle: { keepNames: { class: true, function: false } },
    codegen: { removeWhitespace: true },
  },
});
await bundle.close();
writeFileSync(join(folder, "bundled-licences.txt"), notices(output).join(`\n${"-".repeat(80)}\n\n`));
