/** What the search of the site knows: every section of every page, but for tables of results that nobody searches by word. */
import MiniSearch from "minisearch";
import type { Page } from "./pages.ts";

const OPTIONS = { fields: ["title", "page", "text"], storeFields: ["title", "page", "href"] };
/** Characters of a section that are searched: more make the index long and the results no better. */
const LONGEST = 4000;

/** A script for pages: the index, and the options with which `site.js` reads it. */
export function searchScript(pages: readonly Page[]): string {
  const index = new MiniSearch(OPTIONS);
  let id = 0;
  for (const { file, title: page, sections } of pages) {
    for (const { anchor, title, text } of sections) {
      const href = anchor === "" ? file : `${file}#${anchor}`;
      index.add({ id: id++, title, page, href, text: text.slice(0, LONGEST) });
    }
  }
  return `window.sortitionSearch = ${JSON.stringify({ index: JSON.stringify(index), options: OPTIONS })};\n`;
}
