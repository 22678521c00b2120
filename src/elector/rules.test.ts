/** Rules of the elector that simulations under faults hardly notice when they are broken: each was, by a reviewer, on purpose. */
import { describe, expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { groupStateOf, livesBetween, officeOf, requestStand } from "../../test/support/elector-run.ts";
import { runGroup } from "../../test/support/group-run.ts";
import { apart, runStrict } from "../../test/support/strict-run.ts";

describe.each([
  ["without leases", runGroup],
  ["with leases", runStrict],
])("several seats, %s", (_, open) => {
  const SEATS = ["shards#1", "shards#2", "shards#3"];

  test.each(Array.from({ length: effort(3, 40) }, (_, i) => i + 1))(
    "two of three fall vacant, and nobody takes a second one while a member has none: seed %i",
    (seed) => {
      const run = open({ n: 5, seed, params: { offices: ["shards:3"] }, delay: [5, 20] });
      const holders = () => SEATS.map((seat) => run.agreed(seat));
      expect(run.until(() => new Set(holders()).size === 3 && !holders().includes(null), 20_000)).toBe(true);
      run.pass(3000);
      const [, second, third] = holders();
      for (const node of [second, third]) run.run.inject({ crash: node! });
      expect(run.until(() => run.alive().length === 3 && !holders().includes(null), run.run.time + 20_000)).toBe(true);
      expect(new Set(holders()).size).toBe(3);
    },
  );
});

test.each([1, 2, 3])(
  "a member with a seat leaves another one to others, also when it is asked to stand: seed %i",
  (seed) => {
    const run = runGroup({ n: 5, seed, params: { offices: ["shards:2"] } });
    run.settle(9000, "shards#1");
    run.settle(9000, "shards#2");
    run.pass(3000);
    const [first, second] = [run.agreed("shards#1")!, run.agreed("shards#2")!];
    const other = run.alive().find((node) => node !== first && node !== second)!;
    requestStand(run, first, other, { office: "shards#2" });
    const stands = () => officeOf(run, first, "shards#2").election?.stands === true;
    expect(run.until(stands, run.run.time + 2000)).toBe(false);
  },
);

describe("requests to stand", () => {
  test("for an office that nobody knows change nothing", () => {
    const run = runGroup({ n: 8, until: 300_000 });
    run.settle(9000);
    const [node, other] = run.alive();
    requestStand(run, node, other, { office: "ghost" });
    run.pass(30_000);
    expect(run.alive().filter((each) => groupStateOf(run, each).offices.has("ghost"))).toEqual([]);
  });

  test("do not keep a member that cannot follow them from reminding others", () => {
    const run = runGroup({ n: 5, until: 300_000 });
    run.settle(9000);
    run.pass(3000);
    const [node, other] = run.alive().filter((each) => each !== run.agreed());
    const between = livesBetween(run, other, node);
    run.command(node, { kind: "term", office: "unwanted", term: 1, ...between } as never);
    run.pass(5);
    for (let i = 0; i < 40; i++) {
      requestStand(run, node, other, { office: "unwanted", position: 1 });
      run.pass(100);
    }
    expect(officeOf(run, node, "unwanted").failedTries).toBeGreaterThan(0);
  });
});

describe("a term that a user asks for", () => {
  // Seeds in which a member waits for its place in line: in every fifth nobody has to.
  test.each([1, 3, 4])("is forgotten when somebody leads: seed %i", (seed) => {
    const run = runGroup({ n: 5, seed });
    run.settle(9000);
    run.pass(3000);
    const first = run.agreed()!;
    run.run.inject({ crash: first });
    const isWaiting = (node: number) => {
      const { requestedTerm, term, waitingPlace } = officeOf(run, node);
      return requestedTerm > term && (waitingPlace ?? 0) > 0;
    };
    const waiting = () => run.alive().find((node) => node !== first && isWaiting(node));
    expect(run.until(() => waiting() !== undefined, run.run.time + 10_000)).toBe(true);
    const node = waiting()!;
    run.command(node, { kind: "elect", office: "leader" });
    run.pass(10);
    run.settle(20_000);
    run.pass(2000);
    expect(officeOf(run, node).isUrgent).toBe(false);
  });

  test("is forgotten by an applicant too, when the lease is granted", () => {
    const run = runStrict({ n: 3, until: 60_000, lease: { ttl: 8000 } });
    const first = run.begin();
    run.run.inject({ crash: first });
    const applicant = () => run.alive().find((node) => node < 3 && groupStateOf(run, node).applications.has("leader"));
    expect(run.until(() => applicant() !== undefined, run.run.time + 5000)).toBe(true);
    const node = applicant()!;
    const other = run.alive().find((each) => each !== node)!;
    const term = officeOf(run, node).term + 1;
    run.command(node, { kind: "term", office: "leader", term, ...livesBetween(run, other, node) } as never);
    run.command(node, { kind: "elect", office: "leader" });
    run.pass(1);
    expect(officeOf(run, node).isUrgent).toBe(true);
    run.settle(20_000);
    expect(officeOf(run, node).isUrgent).toBe(false);
  });

  test("does not shorten the waits after it", () => {
    const run = runGroup({ n: 3 });
    for (let node = 0; node < 3; node++) run.command(node, { kind: "eligible", eligible: false });
    run.pass(5000);
    for (let node = 0; node < 3; node++) run.command(node, { kind: "elect", office: "leader" });
    run.pass(10_000);
    expect(officeOf(run, 0).failedTries).toBeLessThan(20);
  });
});

test("a member without a majority names no leader whom it has never met", () => {
  const run = runGroup({ n: 5, params: { policy: "majority", expected: 5 } });
  run.settle(9000);
  const [node, other, ...rest] = run.alive();
  for (const each of rest) run.run.inject({ crash: each });
  const quorate = () => groupStateOf(run, node).report.quorate;
  expect(run.until(() => !quorate(), run.run.time + 20_000)).toBe(true);
  const told = { holder: "ghost", life: 99, setting: null, former: null, heir: null, invitation: null };
  const claim = { office: "leader", term: officeOf(run, node).term + 1, number: 0, ...told };
  run.command(node, { kind: "claim", claim, passes: 0, ...livesBetween(run, other, node) } as never);
  run.pass(10);
  expect(officeOf(run, node).claim?.holder).toBe("ghost");
  expect(groupStateOf(run, node).report.offices.leader.leader).toBeNull();
});

describe("a fail-over", () => {
  test("a watcher that declares the holder dead asks those who come first to stand", () => {
    const run = runGroup({ n: 20, delay: [1, 1] });
    run.settle(9000);
    run.pass(3000);
    const first = run.agreed()!;
    const { term } = officeOf(run, first);
    run.run.inject({ crash: first });
    const others = run.alive().filter((node) => node !== first);
    let isAsked = false;
    run.until(() => {
      isAsked ||= others.some((node) => officeOf(run, node).requestedTerm === term + 1);
      return others.some((node) => officeOf(run, node).term > term);
    }, run.run.time + 10_000);
    expect(isAsked).toBe(true);
  });

  test("a holder that dies after the lease store has named it is announced by the applicant", () => {
    const run = runStrict({ n: 5, until: 120_000, lease: { ttl: 20_000, preemptible: true } });
    const first = run.begin();
    const [node, other] = run.alive().filter((each) => each !== first);
    run.run.inject({ crash: first });
    requestStand(run, node, other);
    const application = () => run.state(node).applications.get("leader");
    expect(run.until(() => application()?.holder != null, run.run.time + 300)).toBe(true);
    expect(run.until(() => application()?.claim.behind !== undefined, run.run.time + 3000)).toBe(true);
  });

  test("the token of a lease that was denied is saved, also where its holder was never heard", () => {
    const run = runStrict({ n: 3, faults: { losses: apart(0, [1, 2], 300) }, lease: { ttl: 20_000 } });
    run.pass(1000);
    const holder = () => run.state(0).applications.get("leader")?.holder ?? null;
    expect(run.until(() => holder() !== null, 20_000)).toBe(true);
    expect(officeOf(run, 0).claim).toBe(null);
    expect(run.state(0).kept.tokens?.leader).toBe(holder()!.token);
  });
});

describe("giving up", () => {
  test("a member that leaves says that its claim is over before it says that it leaves", () => {
    const run = runGroup({ n: 5, delay: [1, 1] });
    run.settle(9000);
    run.pass(3000);
    const first = run.agreed()!;
    const others = run.alive().filter((node) => node !== first);
    const { term } = officeOf(run, first);
    run.run.inject({ leave: first });
    const ended = new Set<number>();
    run.until(() => {
      for (const node of others) {
        const { claim } = officeOf(run, node);
        if (claim?.term === term && claim.holder === null) ended.add(node);
      }
      return ended.size === others.length;
    }, run.run.time + 50);
    expect(ended.size).toBe(others.length);
  });

  test("work that does not end in time keeps nobody waiting, also while the lease store is silent", () => {
    const run = runStrict({ n: 5, until: 120_000, lease: { ttl: 10_000, settles: true, settleWithin: 1000 } as never });
    const first = run.begin();
    run.run.inject({ crash: run.engine });
    run.pass(100);
    run.command(first, { kind: "resign", office: "leader" });
    run.pass(1500);
    expect(officeOf(run, first).claim!.holder).toBe(null);
  });

  test("a holder with an heir asks nobody else to stand", () => {
    const run = runStrict({ n: 5 });
    const first = run.begin();
    const heir = run.alive().find((node) => node !== first)!;
    run.command(first, { kind: "transfer", office: "leader", to: `m${heir}` });
    const others = run.alive().filter((node) => node !== first && node !== heir);
    let isAsked = false;
    run.until(() => {
      isAsked ||= others.some((node) => officeOf(run, node).requestedTerm > 0);
      return run.agreed() === heir;
    }, run.run.time + 5000);
    expect(run.agreed()).toBe(heir);
    expect(isAsked).toBe(false);
  });
});

describe("on the smaller side of a partition", () => {
  /** `asked`: those who have asked somebody to stand. */
  function openMajority(open: typeof runGroup | typeof runStrict) {
    const asked = new Set<number>();
    const run = open({
      n: 5,
      until: 120_000,
      params: { policy: "majority", expected: 5 },
      onHandled({ node, sent }) {
        if (sent.some(({ message }) => (message as { kind?: string }).kind === "stand")) asked.add(node);
      },
      ...(open === runStrict ? { lease: { ttl: 20_000 } } : {}),
    });
    run.settle(9000);
    run.pass(3000);
    return { run, asked };
  }

  test.each([
    ["without leases", runGroup],
    ["with leases", runStrict],
  ])("a holder gives up, and asks nobody to stand: %s", (_, open) => {
    const { run, asked } = openMajority(open);
    const first = run.agreed()!;
    const other = run.alive().find((node) => node !== first)!;
    asked.clear();
    run.run.inject({ cut: [open === runStrict ? [first, other, 5] : [first, other]] });
    expect(run.until(() => run.office(first)!.mine === false, run.run.time + 15_000)).toBe(true);
    run.pass(1000);
    expect([...asked]).not.toContain(first);
  });

  test("an applicant withdraws, and asks nobody to stand", () => {
    const { run, asked } = openMajority(runStrict);
    const first = run.agreed()!;
    const applies = (node: number) => groupStateOf(run, node).applications.has("leader");
    run.run.inject({ crash: first });
    const applicant = () => run.alive().find((node) => node !== first && applies(node));
    expect(run.until(() => applicant() !== undefined, run.run.time + 10_000)).toBe(true);
    const node = applicant()!;
    run.pass(100);
    asked.clear();
    run.run.inject({ cut: [[node, 5]] });
    expect(run.until(() => !applies(node), run.run.time + 15_000)).toBe(true);
    run.pass(1000);
    expect([...asked]).not.toContain(node);
  });
});
