/** The page as static files under dist/lab, with relative paths, so that any web server can hold it under any path. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/** Rules as attributes: the page's policy refuses styles inside of a figure. A figure that asks for the theme stays as it is. */
function withoutStyles(svg: string): string {
  const [whole, sheet] = /<style>([^@]*?)<\/style>/.exec(svg) ?? [];
  if (whole === undefined) return svg;
  const rules = [...sheet.matchAll(/([^{}]+)\{([^}]*)\}/g)].flatMap(([, selectors, body]) =>
    selectors.split(",").map((selector) => [selector.trim(), declarationsIn(body)] as const),
  );
  return svg.replace(whole, "").replace(/<(\w+)((?: [\w-]+="[^"]*")*)/g, (_, tag: string, text: string) => {
    const own = new Map([...text.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    const classes = (own.get("class") ?? "").split(" ").map((name) => `.${name}`);
    const ruled = rules.flatMap(([selector, all]) => (selector === tag || classes.includes(selector) ? all : []));
    const inline = declarationsIn(own.get("style") ?? "");
    own.delete("style");
    const attributes = new Map([...own, ...ruled, ...inline]);
    return `<${tag}${[...attributes].map(([name, value]) => ` ${name}="${value}"`).join("")}`;
  });
}

/** The letters are the page's, their size is the figure's. */
const declarationsIn = (body: string): [string, string][] =>
  body.split(";").flatMap((one): [string, string][] => {
    const [name, value] = one.split(":").map((part) => part.trim());
    if (value === undefined) return [];
    return name === "font" ? [["font-size", value.split(" ")[0]]] : [[name, value]];
  });

/** The figures of the papers without what only a page's own SVG would use: half of their bytes. */
const plainFigures: Plugin = {
  name: "plain-figures",
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== "asset" || !file.fileName.endsWith(".svg")) continue;
      file.source = withoutStyles(Buffer.from(file.source).toString())
        .replace(/ (?:class|role|aria-[a-z]+|pointer-events)="[^"]*"/g, "")
        .replace(/<path d="(?:M0,0h0v0h0Z)?"(?: display="none")?\/>/g, "")
        .replace(/(\d\.\d{2})\d+/g, "$1")
        // Places on the page, to a tenth of a pixel.
        .replace(/ (?:d|transform)="[^"]*"/g, (places) =>
          places.replace(/(\d\.\d)\d/g, "$1").replace(/\.0(?!\d)/g, ""),
        );
    }
  },
};

/** Claims without what the page does not show (lab/papers/claims.ts). */
const shownClaims: Plugin = {
  name: "shown-claims",
  enforce: "pre",
  async load(id) {
    const [file, query] = id.split("?");
    if (query !== "raw" || !file.endsWith("/claims.jsonl")) return null;
    const lines = (await readFile(file, "utf8")).split("\n").filter(Boolean);
    const shown = lines.map((line) =>
      JSON.stringify(JSON.parse(line), (key, value) => (UNSHOWN.has(key) ? undefined : value)),
    );
    return `export default ${JSON.stringify(shown.join("\n"))}`;
  },
};
const UNSHOWN = new Set(["key", "severity", "kind", "criterion", "error"]);

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  plugins: [svelte({ configFile: false }), plainFigures, shownClaims],
  worker: { format: "es" },
  build: {
    outDir: fileURLToPath(new URL("../dist/lab", import.meta.url)),
    emptyOutDir: true,
    rolldownOptions: { input: ["index.html", "own.html"].map((page) => fileURLToPath(new URL(page, import.meta.url))) },
    target: "es2023",
    // Inlined files would be data: addresses, which the page's policy does not allow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
