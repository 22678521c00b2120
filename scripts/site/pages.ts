/** The pages of the repository as HTML: README.md of a folder becomes its index.html, and links between pages follow. */
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import MarkdownIt from "markdown-it";
import type Token from "markdown-it/lib/token.mjs";
import { reproductionPages } from "./reproduction.ts";

export interface Section {
  /** The anchor of its heading; "" before the first one. */
  readonly anchor: string;
  readonly title: string;
  readonly text: string;
}

export interface MenuSection {
  readonly title: string;
  readonly entries: readonly { readonly file: string; readonly name: string }[];
}

export interface Page {
  /** Where it is in the repository. */
  readonly source: string;
  /** Where it is in the site. */
  readonly file: string;
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
  /** Pages it links to, by heading. */
  readonly menu: readonly MenuSection[];
  /** Files of the repository it links to or shows. */
  readonly files: readonly string[];
}

const SOURCES = ["*.md", "docs/**/*.md", "examples/**/*.md", "clients/**/*.md"];

export function readPages(root: string): Page[] {
  const found = globSync(SOURCES, {
    cwd: root,
    exclude: (name) => /(^|\/)(node_modules|api)(\/|$)/.test(name),
  });
  const written = reproductionPages(root);
  const textOfPage = (source: string) => written.get(source) ?? readFileSync(join(root, source), "utf8");
  const sources = [...new Set([...found, ...written.keys()])].sort();
  return sources.map((source) => readPage(root, source, textOfPage(source)));
}

export const fileOf = (source: string): string =>
  source.replace(/(^|\/)README\.md$/, "$1index.html").replace(/\.md$/, ".html");

/** As on the sites that show Markdown of a repository, so that links work there and here. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

const isOutside = (link: string): boolean => /^([a-z]+:|\/\/)/i.test(link);

function readPage(root: string, source: string, text: string): Page {
  const markdown = new MarkdownIt({ html: true, linkify: false });
  const tokens = markdown.parse(text, {});
  const files: string[] = [];
  const menu: { title: string; entries: { file: string; name: string }[] }[] = [];
  const sections: { anchor: string; title: string; text: string }[] = [];
  const used = new Map<string, number>();
  let title = source;

  const follow = (link: string): string => {
    if (isOutside(link) || link.startsWith("#")) return link;
    const [path, anchor] = link.split("#");
    const target = normalize(join(dirname(source), decodeURI(path))).replace(/\/$/, "");
    const hash = anchor === undefined ? "" : `#${anchor}`;
    if (target.endsWith(".md")) return `${fileOf(path)}${hash}`;
    const isFolder = existsSync(join(root, target)) && statSync(join(root, target)).isDirectory();
    if (isFolder && existsSync(join(root, target, "README.md"))) return `${path.replace(/\/?$/, "/")}index.html${hash}`;
    files.push(target);
    return link;
  };

  const inline = (token: Token): void => {
    for (const [i, child] of token.children!.entries()) {
      const name = child.type === "link_open" ? "href" : child.type === "image" ? "src" : null;
      if (name === null) continue;
      const link = follow(child.attrGet(name)!);
      child.attrSet(name, link);
      if (name === "href" && link.split("#")[0].endsWith(".html") && !isOutside(link)) {
        const file = normalize(join(dirname(source), link.split("#")[0]));
        menu.at(-1)?.entries.push({ file, name: token.children![i + 1].content });
      }
    }
  };

  for (const [i, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const heading = textOf(tokens[i + 1]);
      const times = used.get(anchorOf(heading)) ?? 0;
      used.set(anchorOf(heading), times + 1);
      const anchor = times === 0 ? anchorOf(heading) : `${anchorOf(heading)}-${times}`;
      token.attrSet("id", anchor);
      if (token.tag === "h1") title = heading;
      if (token.tag === "h2") menu.push({ title: markdown.utils.escapeHtml(heading), entries: [] });
      sections.push({ anchor: token.tag === "h1" ? "" : anchor, title: heading, text: "" });
    } else if (token.type === "inline") {
      inline(token);
      const section = sections.at(-1);
      if (section !== undefined && tokens[i - 1].type !== "heading_open") section.text += `${textOf(token)} `;
    } else if (token.type === "fence") {
      const section = sections.at(-1);
      if (section !== undefined) section.text += `${token.content} `;
    }
  }
  const html = markdown.renderer
    .render(tokens, markdown.options, {})
    .replaceAll("<table>", '<div class="wide"><table>')
    .replaceAll("</table>", "</table></div>");
  const shown = menu.map((section) => ({ ...section, entries: distinct(section.entries) }));
  return { source, file: fileOf(source), title, html, sections, menu: shown.filter(hasEntries), files };
}

const hasEntries = ({ entries }: MenuSection): boolean => entries.length > 0;

const distinct = <T extends { file: string }>(entries: readonly T[]): T[] =>
  entries.filter(({ file }, i) => entries.findIndex((other) => other.file === file) === i);

const textOf = (token: Token): string =>
  (token.children ?? []).map(({ type, content }) => (type === "softbreak" ? " " : content)).join("");
