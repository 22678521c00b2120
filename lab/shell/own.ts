/**
 * The page for protocols of the reader's own, own.html. It is the same page under another policy: the worker may run a file that
 * somebody opened, and neither the worker nor the page may connect to anything. The other page runs no code but its own.
 */
export const isOwnPage = "own" in document.documentElement.dataset;

export interface OwnFile {
  readonly name: string;
  readonly text: string;
}

const KEY = "sortition-lab-own";

/** Kept for this tab, so that the file is there after a reload, and after the way from the other page. */
export function keepOwn(file: OwnFile): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(file));
  } catch {
    // It has to be opened again then.
  }
}

export function keptOwn(): OwnFile | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Partial<OwnFile> | null;
    return typeof kept?.name === "string" && typeof kept.text === "string"
      ? { name: kept.name, text: kept.text }
      : null;
  } catch {
    return null;
  }
}

export const isCode = (name: string): boolean => /\.(m?js|tsx?)$/.test(name);
