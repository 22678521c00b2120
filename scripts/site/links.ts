/** Links of the finished site that lead nowhere: to a file that is not there, or to an anchor that its page does not have. */
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

interface BrokenLink {
  readonly page: string;
  readonly link: string;
  readonly why: string;
}

const LINK = /(?:href|src)="([^"]*)"/g;

export function brokenLinks(out: string, pages: readonly string[], read: (file: string) => string): BrokenLink[] {
  const texts = new Map(pages.map((page) => [page, read(page)]));
  const anchors = new Map(
    [...texts].map(([page, text]) => [page, new Set([...text.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id))]),
  );
  return [...texts].flatMap(([page, text]) =>
    [...text.matchAll(LINK)].flatMap(([, link]) => {
      if (/^[a-z]+:/i.test(link)) return [];
      const [path, anchor] = link.replaceAll("&amp;", "&").split("#");
      const target = path === "" ? page : normalize(join(dirname(page), decodeURI(path)));
      if (!existsSync(join(out, target))) return [{ page, link, why: "there is no such file" }];
      const ids = anchors.get(target);
      if (anchor === undefined || ids === undefined || ids.has(decodeURIComponent(anchor))) return [];
      return [{ page, link, why: "the page has no such heading" }];
    }),
  );
}
