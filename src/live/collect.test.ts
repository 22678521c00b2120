/** What an agent's process keeps of memory, whatever the machine has. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Objects that outlive some collections, as those of requests under way: without a bound V8 doubles the room for young objects. */
const program = `
  import { getHeapSpaceStatistics } from "node:v8";
  import { spareMemory } from ${JSON.stringify(new URL("./collect.ts", import.meta.url).href)};
  spareMemory();
  let kept = [];
  for (let n = 0; n < 400_000; n++) {
    kept.push({ n, all: [n, n, n] });
    if (kept.length > 40_000) kept = kept.slice(20_000);
  }
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  process.stdout.write(String(young.space_size / 1024 / 1024));
`;

test("the room for young objects does not grow with the memory of the machine", () => {
  const megabytes = Number(
    execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }),
  );
  expect(megabytes).toBeGreaterThan(0);
  expect(megabytes).toBeLessThanOrEqual(8);
});
