/** The page as static files under dist/lab, with relative paths, so that any web server can hold it under any path. */
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/** The figures of the papers without what only a page's own SVG would use: half of their bytes. */
const plainFigures: Plugin = {
  name: "plain-figures",
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== "asset" || !file.fileName.endsWith(".svg")) continue;
      file.source = Buffer.from(file.source)
        .toString()
        .replace(/ (?:class|role|aria-[a-z]+|pointer-events)="[^"]*"/g, "")
        .replace(/<path d="(?:M0,0h0v0h0Z)?"(?: display="none")?\/>/g, "")
        .replace(/(\d\.\d{2})\d+/g, "$1");
    }
  },
};

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  plugins: [svelte({ configFile: false }), plainFigures],
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
