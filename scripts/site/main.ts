/**
 * `npm run site [-- --out FOLDER] [-- --no-api]`: the pages as a static, searchable site, with the reference of the API and the Lab in it.
 * All addresses are relative, so the folder works under any path of any web server; pages and search also work without a server.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brokenLinks } from "./links.ts";
import { type Page, readPages } from "./pages.ts";
import { searchScript } from "./search.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { resolve: resolveModule } = createRequire(import.meta.url);
const { values } = parseArgs({
  options: { out: { type: "string", default: "site" }, api: { type: "boolean", default: true } },
  allowNegative: true,
});
const out = resolve(values.out);

const pathTo = (page: Page, target: string): string => relative(dirname(page.file), target) || ".";

/** The menu of every page is the list of pages in docs/README.md: a section for each heading, an entry for each link. */
function menu(page: Page, all: ReadonlyMap<string, Page>): string {
  const sections = all.get("docs/README.md")!.menu.map(
    ({ title, entries }) =>
      `<h2>${title}</h2><ul>${entries
        .map(({ file, name }) => {
          const here = file === page.file ? ' aria-current="page"' : "";
          return `<li><a href="${pathTo(page, file)}"${here}>${name}</a></li>`;
        })
        .join("")}</ul>`,
  );
  return sections.join("");
}

function document(page: Page, all: ReadonlyMap<string, Page>, hasApi: boolean): string {
  const to = (target: string) => pathTo(page, target);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title === "Sortition" ? "Sortition" : `${page.title}, Sortition`}</title>
<link rel="icon" href="${to("assets/icon.svg")}">
<link rel="stylesheet" href="${to("assets/site.css")}">
<script defer src="${to("assets/minisearch.js")}"></script>
<script defer src="${to("assets/site.js")}" data-root="${pathTo(page, "index.html").replace(/index\.html$/, "")}"></script>
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header><a class="home" href="${to("index.html")}">Sortition</a>
<nav aria-label="Parts"><a href="${to("docs/index.html")}">Docs</a><a href="${to("lab/index.html")}">Lab</a>${hasApi ? `<a href="${to("api/index.html")}">API</a>` : ""}</nav>
<div class="search" role="search"><input type="search" aria-label="Search the docs" placeholder="Search (/)" autocomplete="off"><ol hidden></ol></div></header>
<div class="columns"><nav class="menu" aria-label="Pages">${menu(page, all)}</nav>
<main id="content">${page.html}</main></div>
</body>
</html>
`;
}

const pages = readPages(root);
const byId = new Map(pages.map((page) => [page.source, page]));
rmSync(out, { recursive: true, force: true });
const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(out, file)), { recursive: true });
  writeFileSync(join(out, file), text);
};
for (const page of pages) write(page.file, document(page, byId, values.api));
// Figures, data and programs that a page links to.
for (const file of new Set(pages.flatMap(({ files }) => files))) {
  if (existsSync(join(root, file))) cpSync(join(root, file), join(out, file), { recursive: true });
}
write("assets/index.js", searchScript(pages));
const here = fileURLToPath(new URL(".", import.meta.url));
for (const name of ["site.css", "site.js"]) cpSync(join(here, name), join(out, "assets", name));
cpSync(join(root, "lab/icon.svg"), join(out, "assets/icon.svg"));
cpSync(resolveModule("minisearch").replace(/dist\/.*/, "dist/umd/index.js"), join(out, "assets/minisearch.js"));
const font = resolveModule(
  "@fontsource-variable/atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-wght-normal.woff2",
);
cpSync(font, join(out, "assets/text.woff2"));

if (!existsSync(join(root, "dist/lab/index.html"))) throw new Error("the Lab is not built: run npm run build first");
cpSync(join(root, "dist/lab"), join(out, "lab"), { recursive: true });
if (values.api) {
  const typedoc = resolveModule("typedoc/package.json").replace("package.json", "bin/typedoc");
  const { status } = spawnSync(process.execPath, [typedoc, "--out", join(out, "api")], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

const broken = brokenLinks(
  out,
  pages.map(({ file }) => file),
  (file) => readFileSync(join(out, file), "utf8"),
);
for (const { page, link, why } of broken) process.stderr.write(`${page}: ${link}: ${why}\n`);
process.stdout.write(
  `${pages.length} pages in ${values.out}${broken.length === 0 ? "; every link leads somewhere" : `; ${broken.length} links lead nowhere`}\n`,
);
process.exitCode = broken.length === 0 ? 0 : 1;
