import { expect, test } from "vitest";
import { openEngine } from "../../src/live/engines/open.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { life } from "../support/register.ts";
import { conformance } from "./conformance.ts";
import { rowBench } from "./row-bench.ts";
import { forEachStore } from "./stores.ts";

await forEachStore("the conformance of leases", ({ name, open }) => {
  const bench = rowBench({ name, open: () => open("g") });
  test.each(["goes back", "is emptied"])(
    "%s under members that run: nothing is granted for one longest TTL",
    async (how) => {
      const [A, B, C] = [life("A", 1, 100), life("B", 2, 100), life("C", 3, 300)];
      const engine = await bench.begin();
      await engine.ask(A.acquire("leader", "A1"), 0);
      await engine.snapshot();
      await engine.ask(C.acquire("other", "C1"), 2);
      // All that B ever sees of the lease that is forgotten.
      await engine.ask(B.look(), 1);
      await (how === "goes back" ? engine.restore("running") : engine.empty());
      const asked = B.acquire("third", "B1");
      expect(await engine.ask(asked, 1)).toMatchObject({ kind: "denied", why: "barred", wait: 300 });
      await engine.turn(299);
      expect(await engine.ask(asked, 1)).toMatchObject({ kind: "denied", why: "barred", wait: 1 });
      await engine.turn(1);
      expect(await engine.ask(asked, 1)).toMatchObject({ kind: "granted" });
    },
  );

  conformance(bench);
});

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
