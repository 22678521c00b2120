import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { fenceRefusal, isNews, type Newest, readFence } from "../../src/live/guards/fence.ts";
import { sqliteGuard } from "../../src/live/guards/sqlite.ts";
import * as real from "../../src/live/guards/store.ts";
import { everyOrder, Gate } from "./interleave.ts";
import { expectFenced, FORGED, NEW, OLD, type Outcome, outcomeOf, RIVAL, type Scenario, scenarios } from "./leaders.ts";
import { fence, guarding, keys, type Lease } from "./lease-fences.ts";
import { planted } from "./planted.ts";

type Guards = Pick<typeof real, "admit" | "guardedUpdate">;

const [unsafe] = planted.filter(({ bug }) => bug.includes("not locked"));
const leaseOf = ({ token, lease }: Newest): Lease => ({ token: Number(token), lease });

/** A ledger whose entries lie beside the newest fence; a version is what it is compared by. */
class Cell {
  private kept = { newest: null as Newest | null, value: [] as readonly Lease[], version: 0 };
  private readonly compares: boolean;

  constructor(compares: boolean) {
    this.compares = compares;
  }

  read = async () => this.kept;

  replace = async (before: { readonly version: number }, after: { newest: Newest; value: readonly Lease[] }) => {
    if (this.compares && before.version !== this.kept.version) return false;
    this.kept = { ...after, version: this.kept.version + 1 };
    return true;
  };

  through(gate: Gate): Pick<Cell, "read" | "replace"> {
    return {
      read: async () => {
        await gate.pass();
        return this.kept;
      },
      replace: async (before, after) => {
        await gate.pass();
        return this.replace(before, after);
      },
    };
  }
}

/** Where the newest lease is remembered apart from what is guarded: entries are admissions, in their order. */
class Memory {
  readonly entries: Lease[] = [];
  private newest: Newest | null = null;

  through(gate: Gate, compares: boolean): real.GuardStore {
    return {
      read: async () => {
        await gate.pass();
        return this.newest;
      },
      replace: async (_, before, after) => {
        await gate.pass();
        if (compares && before !== this.newest) return false;
        this.newest = after;
        this.entries.push(leaseOf(after));
        return true;
      },
    };
  }
}

const free = () => ({ pass: async () => {} }) as unknown as Gate;

class Leader {
  outcome: Outcome | null = null;
  readonly failed: Promise<void>;
  private readonly gate: Gate;

  constructor(gate: Gate, act: () => Promise<unknown>) {
    this.gate = gate;
    this.failed = outcomeOf(act).then((outcome) => {
      this.outcome = outcome;
      gate.end();
    });
  }

  step = async () => this.gate.step();

  standing = async () => {
    while (this.gate.standing === null) await Promise.race([this.failed, Promise.resolve()]);
    return this.gate.standing;
  };
}

function updates({ guardedUpdate }: Guards, scenario: Scenario, compares = true): Promise<number> {
  return everyOrder(
    async () => {
      const cell = new Cell(compares);
      const add = (lease: Lease, gate: Gate) =>
        guardedUpdate({ ...guarding, cell: cell.through(gate) }, fence(lease), (value) => [...value, lease]);
      for (const lease of scenario.before) await add(lease, free());
      const writers = scenario.writers.map((lease) => {
        const gate = new Gate();
        return new Leader(gate, () => add(lease, gate));
      });
      return { cell, writers };
    },
    async ({ cell, writers }, order) =>
      expectFenced(
        scenario,
        (await cell.read()).value,
        writers.map(({ outcome }) => outcome!),
        order,
      ),
  );
}

afterEach(() => void vi.doUnmock("../../src/live/guards/fence.ts"));

/** The module with the rule replaced by one with a bug. */
async function withRule(rule: typeof isNews): Promise<Guards> {
  vi.resetModules();
  vi.doMock("../../src/live/guards/fence.ts", async (original) => ({ ...(await original<object>()), isNews: rule }));
  return import("../../src/live/guards/store.ts");
}

const bugs: Readonly<Record<string, typeof isNews>> = {
  "< for <=": (newest, shown) => {
    if (newest === null || newest.token < shown.token) return true;
    throw fenceRefusal(newest, shown);
  },
  "an equal token with another lease id accepted": (newest, shown) => {
    if (newest === null || newest.token <= shown.token) return newest?.token !== shown.token;
    throw fenceRefusal(newest, shown);
  },
  "no comparison at all": () => true,
};

describe("a value beside its newest fence, in every order of reads and writes", () => {
  test.each(scenarios)("$name", async (scenario) => {
    expect(await updates(real, scenario)).toBeGreaterThan(5);
  });

  test.each(Object.entries(bugs))("planted and caught: %s", async (bug, rule) => {
    const { scenario } = planted.find((each) => each.bug === bug)!;
    await expect(updates(await withRule(rule), scenario)).rejects.toThrow();
  });

  test("planted and caught: a store that does not compare", async () => {
    await expect(updates(real, unsafe.scenario, false)).rejects.toThrow();
  });
});

describe("admission, in every order of reads and writes", () => {
  const admissions = (compares: boolean) => {
    const scenario: Scenario = { ...scenarios[0], before: [] };
    return everyOrder(
      async () => {
        const memory = new Memory();
        const writers = scenario.writers.map((lease) => {
          const gate = new Gate();
          const store = memory.through(gate, compares);
          return new Leader(gate, () => real.admit({ ...guarding, store }, fence(lease)));
        });
        return { memory, writers };
      },
      ({ memory, writers }, order) =>
        expectFenced(
          scenario,
          memory.entries,
          writers.map(({ outcome }) => outcome!),
          order,
        ),
    );
  };

  test("who comes after a newer one is refused", async () => {
    expect(await admissions(true)).toBeGreaterThan(5);
  });

  test("planted and caught: a store that does not compare", async () => {
    await expect(admissions(false)).rejects.toThrow();
  });
});

test("a paused old leader, a rival and a forged token are refused and not remembered", async () => {
  const store = new Memory().through(free(), true);
  const come = (text: string | null) => outcomeOf(() => real.admit({ ...guarding, store }, text));
  expect(await come(FORGED)).toMatchObject({ code: "forged", newest: null });
  expect(await come(null)).toMatchObject({ code: "missing" });
  expect(await come(fence(OLD))).toBe("written");
  expect(await come(fence(NEW))).toBe("written");
  expect(await come(FORGED)).toMatchObject({ code: "forged" });
  expect(await come(fence(OLD))).toMatchObject({ code: "old", newest: 6n });
  expect(await come(fence(RIVAL))).toMatchObject({ code: "rival", newest: 6n });
  expect(await come(fence(NEW))).toBe("written");
});

test("a store that never agrees is told from one that is busy", async () => {
  const store = { read: async () => null, replace: async () => false };
  await expect(real.admit({ ...guarding, store }, fence(OLD))).rejects.toThrow("is it one that compares and sets?");
});

test("the rule in SQL is the rule", () => {
  const database = new DatabaseSync(":memory:");
  const guard = sqliteGuard(guarding);
  const leases = fc.array(fc.record({ token: fc.integer({ min: 1, max: 4 }), lease: fc.constantFrom("a", "b") }));
  fc.assert(
    fc.property(leases, (drawn) => {
      database.exec("DROP TABLE IF EXISTS sortition_guards");
      let newest: Newest | null = null;
      for (const lease of drawn) {
        const shown = readFence(keys, "leader", fence(lease));
        const said = codeOf(() => void guard.guarded(database, fence(lease), () => {}));
        expect(said).toBe(codeOf(() => void isNews(newest, shown)));
        if (said === "admitted") newest = shown;
      }
    }),
    { seed: 14, numRuns: 100 },
  );
});

function codeOf(act: () => void): string {
  try {
    act();
    return "admitted";
  } catch (error) {
    return (error as { code: string }).code;
  }
}
