import { expect, test } from "vitest";
import type { AnyProtocol } from "../protocol.ts";
import type { Attempt, PlanSetting } from "../registry/planning.ts";
import type { Carriage } from "./carriage.ts";
import { PlanSearch } from "./search.ts";

const LARGEST = 20;

test("the smallest size that meets the target is found, whichever it is; without one, the largest is tried", () => {
  for (let smallest = 1; smallest <= LARGEST + 1; smallest++) {
    const setting = { success: 0.5, none: 1, several: 1, latency: 10, within: 10 } as PlanSetting;
    const search = new PlanSearch({ setting } as Carriage, {} as AnyProtocol);
    search.addSmallest(LARGEST, (size) => {
      const pNone = size < smallest ? 0.9 : 0;
      return { pNone, pMany: 0, method: "exact", delays: 1, time: 1, datagrams: size } as Attempt;
    });
    expect(search.best?.datagrams).toBe(Math.min(smallest, LARGEST));
    expect(search.found).toBe(smallest > LARGEST ? null : search.best);
  }
});
