/** What the search of the site knows: every section of every page, but for tables of results that nobody searches by word. */
import MiniSearch from "minisearch";
import type { Page } from "./pages.ts";

/** `site.js` reads the index with the same options. */
const OPTIONS = { fields: ["title", "page", "text"], storeFields: ["title", "page", "href"] };
/** Characters of a section that are searched: more make the index long and the results no better. */
const LONGEST = 4000;

export function searchIndex(pages: readonly Page[]): MiniSearch {
  const index = new MiniSearch(OPTIONS);
  let id = 0;
  for (const { file, title: page, sections } of pages) {
    for (const { anchor, title, text } of sections) {
      const href = anchor === "" ? file : `${file}#${anchor}`;
      index.add({ id: id++, title, page, href, text: text.slice(0, LONGEST) });
    }
  }
  return index;
}
