/** Promises that a lease is not given back, under a member that says what the test wants it to say. */
import { expect, test } from "vitest";
import type { GroupReport, OfficeReport } from "../../elector/report.ts";
import type { GroupCommand } from "../../elector/talk/messages.ts";
import { VirtualNetwork } from "../virtual-world.ts";
import { Leading } from "./leading.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const held = { mine: true, term: 1, token: 7, lease: "lease 7", lapse: "lease/lapse#1" };
const bare = { mine: true, term: 1, token: null, lease: null, lapse: null };

function scene() {
  const network = new VirtualNetwork(1);
  const said: GroupCommand[] = [];
  let left: number | null = 1000;
  let offices: Record<string, OfficeReport> = {};
  const report = () => ({ offices, news: [] }) as unknown as GroupReport;
  const leading = new Leading({
    world: network.machine({ host: "10.0.0.1", port: 1 }).world,
    offices: ["leader"],
    settleWithin: 500,
    releaseWithin: 250,
    report,
    look: () => {},
    fence: () => null,
    threw: () => {},
    unsettled: () => {},
    left: () => left,
    command: (command) => void said.push(command),
  });
  return {
    leading,
    network,
    settled: () => said.filter(({ kind }) => kind === "settled"),
    setLeft(ms: number | null) {
      left = ms;
    },
    say(leader: Partial<OfficeReport>) {
      offices = { leader: leader as OfficeReport };
      leading.follow(report());
      leading.proceed();
    },
  };
}

test.each([false, true])("a lease is not given back while it is promised, with work: %s", async (works) => {
  const { leading, say, setLeft, settled, network } = scene();
  if (works) leading.lead("leader", ({ signal }) => new Promise((done) => signal.addEventListener("abort", done)));
  say(held);
  setLeft(400);
  expect(leading.promise("leader")).toBe(400);
  network.runFor(100);
  // Given up: nothing more is promised, and what was is kept.
  say({ settling: true });
  await turn();
  expect(leading.promise("leader")).toBe(0);
  network.runFor(299);
  await turn();
  expect(settled()).toEqual([]);
  network.runFor(3);
  expect(settled()).toEqual([{ kind: "settled", office: "leader", token: 7 }]);
});

test("no more is promised than is left, nor than work is waited for; nothing without a lease, or to its end", () => {
  const { leading, say, setLeft } = scene();
  expect(leading.promise("leader")).toBe(0);
  say(held);
  for (const [left, promised] of [
    [5000, 450],
    [120.7, 120],
    [0, 0],
    [-3, 0],
    [null, 0],
  ] as const) {
    setLeft(left);
    expect(leading.promise("leader")).toBe(promised);
  }
  say(bare);
  setLeft(5000);
  expect(leading.promise("leader")).toBe(0);
});
