import { expect, test } from "vitest";
import { Silence } from "./silence.ts";

const moduleOf = (id: string, testTimeout: number) => ({ id, project: { config: { testTimeout } } });

test("a file that says nothing for long is named, and one that has ended is not", async () => {
  const [ended, silent] = [moduleOf("ended", 1), moduleOf("silent", 5)];
  const named = await new Promise<unknown[]>((name) => {
    const silence = new Silence((...found) => name(found));
    for (const module of [ended, silent, silent]) silence.hear(module);
    silence.end(ended);
  });
  expect(named).toEqual([silent, 15]);
});
