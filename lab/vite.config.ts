/** The page as static files under dist/lab, with relative paths, so that any web server can hold it under any path. */
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  plugins: [svelte({ configFile: false })],
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
