import { expect, test } from "vitest";
import { openEngine } from "../../src/live/engines/open.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { life } from "../support/register.ts";
import { conformance } from "./conformance.ts";
import { rowBench } from "./row-bench.ts";
import { forEachStore } from "./stores.ts";

await forEachStore("the conformance of leases", ({ name, open }) =>
  conformance(rowBench({ name, open: () => open("g") })),
);

await forEachStore(
  "who only looks",
  ({ name, address }) => {
    test(`${name}: who only looks makes nothing, and is told that there is nothing`, async () => {
      const options = { group: "nobody's", requestTimeout: 10_000, migrate: false, world: realWorld };
      const engine = await openEngine(address(), options);
      expect(engine.trouble).toBeUndefined();
      const A = life("A", 1);
      expect(await engine.ask(A.look())).toMatchObject({ kind: "seen", seats: [] });
      await expect(engine.ask(A.acquire("leader", "A1"))).rejects.toThrow("this process must not make it");
      await engine.close();
    });
  },
  ["NATS", "Kubernetes"],
);
