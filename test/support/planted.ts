/**
 * Faults planted into the text of a protocol, one at a time: every one must be complained of, and the protocol as it is must
 * not. A fault of any kind can be planted so, without a copy of the protocol.
 */
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { AnyProtocol } from "../../src/protocol.ts";

/** The module after the change, as text in an address. `was` must be there exactly once, so that a table of faults cannot grow stale. */
export function editedModule(file: URL, was: string, becomes: string): string {
  const pieces = readFileSync(file, "utf8").split(was);
  if (pieces.length !== 2) throw new Error(`${file.pathname} has ${pieces.length - 1} places with: ${was}`);
  const plain = stripTypeScriptTypes(pieces.join(becomes));
  const placed = plain.replaceAll(
    /from "(\..*?)"/g,
    (_, path) => `from "${new URL(path, pathToFileURL(file.pathname))}"`,
  );
  return `data:text/javascript,${encodeURIComponent(placed)}`;
}

/** What it exports. */
export const edited = <Exports = Record<string, AnyProtocol>>(
  file: URL,
  was: string,
  becomes: string,
): Promise<Exports> => import(editedModule(file, was, becomes));

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
