import { afterEach, expect, test, vi } from "vitest";

afterEach(() => vi.unstubAllGlobals());

/** What streams and coins say whose modules are loaded anew. */
async function drawn() {
  vi.resetModules();
  const [{ HostStream }, { Coins }] = [await import("./streams.ts"), await import("./coins.ts")];
  const stream = new HostStream(3, 1, "ids");
  const coins = new Coins(3, 1, "losses", 0.1);
  return Array.from({ length: 3000 }, () => [stream.word(), coins.flip()]);
}

const forbidden = {
  Module: class {
    constructor() {
      throw new Error("a page's policy forbids it");
    }
  },
};

test.each([
  ["missing", undefined],
  ["forbidden", forbidden],
])("where WebAssembly is %s, the same draws come from JavaScript", async (_, instead) => {
  const before = await drawn();
  vi.stubGlobal("WebAssembly", instead);
  const { assembledBulk } = await import("./bulk.ts");
  expect(assembledBulk).toThrow();
  expect(await drawn()).toEqual(before);
});
