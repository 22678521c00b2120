/**
 * Faults planted into the text of a protocol, one at a time: every one must be complained of, and the protocol as it is must
 * not. A fault of any kind can be planted so, without a copy of the protocol.
 */
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { describe, expect, test } from "vitest";
import type { AnyProtocol } from "../../src/protocol.ts";

/**
 * A module after the change of a file, as text in an address: itself, or one that it imports, through files of its own folder. `was` must be
 * there exactly once, so that a table of faults cannot grow stale.
 */
export function editedModule(file: URL, was: string, becomes: string, changed: URL = file): string {
  const pieces = readFileSync(changed, "utf8").split(was);
  if (pieces.length !== 2) throw new Error(`${changed.pathname} has ${pieces.length - 1} places with: ${was}`);
  const beside = new URL("./", file).href;
  const sources = new Map<string, string>();
  /** The address of a file: its own, or its text where the change reaches it. */
  const address = (of: URL): string => {
    const known = sources.get(of.href);
    if (known !== undefined) return known;
    const text = of.href === changed.href ? pieces.join(becomes) : readFileSync(of, "utf8");
    let reached = of.href === changed.href || of.href === file.href;
    const placed = stripTypeScriptTypes(text).replaceAll(/from "(\..*?)"/g, (_, path) => {
      const target = new URL(path, of);
      const at = target.href.startsWith(beside) && changed !== file ? address(target) : target.href;
      reached ||= at !== target.href;
      return `from "${at}"`;
    });
    const found = reached ? `data:text/javascript,${encodeURIComponent(placed)}` : of.href;
    sources.set(of.href, found);
    return found;
  };
  return address(file);
}

/** What it exports. */
export const edited = <Exports = Record<string, AnyProtocol>>(
  ...change: Parameters<typeof editedModule>
): Promise<Exports> => import(editedModule(...change));

/** A fault: what it is, in words, the text of the protocol, and what stands there instead. */
export type PlantedFault = readonly [mistake: string, was: string, becomes: string];

/** `complaint`: the first thing that is wrong with a protocol, found in little time; what it throws is a complaint too. */
export function plantedFaults(
  file: URL,
  name: string,
  faults: readonly PlantedFault[],
  complaint: (protocol: AnyProtocol) => string | null,
): void {
  const said = (protocol: AnyProtocol): string | null => {
    try {
      return complaint(protocol);
    } catch (error) {
      return String(error);
    }
  };
  describe("planted faults", () => {
    test("there are ten at least, and there is nothing to complain of without", async () => {
      expect(faults.length).toBeGreaterThanOrEqual(10);
      const [, was] = faults[0];
      expect(said((await edited(file, was, was))[name])).toBeNull();
    });

    test.each(faults)("%s", async (_mistake, was, becomes) => {
      expect(said((await edited(file, was, becomes))[name])).not.toBeNull();
    });
  });
}
