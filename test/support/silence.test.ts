import { expect, test } from "vitest";
import { Silence } from "./silence.ts";

const moduleOf = (id: string, testTimeout: number) => ({ id, project: { config: { testTimeout } } });

test("a file that says nothing for long is named, and one that has ended is not, also if it is heard once more", async () => {
  const [ended, silent] = [moduleOf("ended", 1), moduleOf("silent", 5)];
  // The timers of a run that has ended keep no process alive.
  const awake = setInterval(() => {}, 1000);
  const named = await new Promise<unknown[]>((name) => {
    const silence = new Silence((...found) => name(found));
    for (const module of [ended, silent]) silence.begin(module);
    silence.end(ended);
    for (const module of [ended, silent]) silence.hear(module);
  });
  clearInterval(awake);
  expect(named).toEqual([silent, 15]);
});
