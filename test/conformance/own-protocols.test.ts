/** Protocols of the users' own, by every door of the house: as objects, and from their module. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { campaign, openPool, simulate } from "../../src/campaign/campaign.ts";
import { loadProtocol } from "../../src/campaign/load-protocol.ts";
import { openRows } from "../../src/campaign/rows.ts";
import { sweep } from "../../src/campaign/sweep.ts";
import { InputError, ProtocolError } from "../../src/errors.ts";
import { explore } from "../../src/explorer/explore.ts";
import { openRun } from "../../src/host/stepping/stepping.ts";
import { VirtualGroup } from "../../src/live/once/virtual-group.ts";
import { plan } from "../../src/planner/plan.ts";
import { checkProtocol, defineProtocol } from "../../src/protocols/check.ts";
import type { ProtocolChoice } from "../../src/protocols/registry.ts";
import { predict, register } from "../../src/registry/all.ts";
import { questionOf } from "../../src/simulation/question.ts";
import { type Request, resolve, written } from "../../src/simulation/settings.ts";
import { runTrial, setUp } from "../../src/simulation/trial.ts";
import type { Report } from "../../src/statistics/report.ts";
import { diagram } from "../../src/trace/diagram/diagram.ts";
import { parseTrace, traceText } from "../../src/trace/file.ts";
import { firstDifference, tellTrial, traceTrial } from "../../src/trace/replay.ts";
import * as odd from "../support/odd-protocols.ts";

const module = new URL("../support/odd-protocols.ts", import.meta.url).href;

interface Case {
  readonly protocol: ProtocolChoice & { readonly name: string };
  readonly export: string;
  /** Whether every election of it ends with one leader. */
  readonly certain: boolean;
  readonly request?: Omit<Request, "protocol">;
  /** Why the explorer, or a live group, cannot take it. */
  readonly unexplored?: RegExp;
  readonly lasting?: true;
  /** Why a live election cannot take it: it saves state and has no folder for it, or has no list of members. */
  readonly unlive?: RegExp;
}

const cases: readonly Case[] = [
  { protocol: odd.bigLots, export: "bigLots", certain: true },
  { protocol: odd.roundCounter, export: "roundCounter", certain: true, request: { topology: "er:0.9" } },
  { protocol: odd.appointed, export: "appointed", certain: true },
  { protocol: odd.savedVotes, export: "savedVotes", certain: false, unlive: /keeps state that must survive a crash/ },
  { protocol: odd.patient, export: "patient", certain: true, request: { delay: "uniform:0.5..1.5" } },
  { protocol: odd.heartbeat, export: "heartbeat", certain: true, request: { until: 40 }, lasting: true },
  {
    protocol: odd.acquaintance,
    export: "acquaintance",
    certain: true,
    unexplored: /./,
    unlive: /makes its links itself/,
  },
];

let pool: Awaited<ReturnType<typeof openPool>>;
beforeAll(async () => {
  pool = await openPool(1);
});
afterAll(() => pool.close());

/** Everything but what the clock decides, and where the protocol came from. */
const numbersOf = ({ seconds: _, messagesPerSecond: __, setting: ___, ...rest }: Report): unknown => rest;

describe.each(cases.map((one) => [one.protocol.name, one] as const))("%s", (_name, one) => {
  const { protocol, certain, request = {}, lasting = false } = one;
  const n = 7;
  const asked = { ...request, protocol, n };

  test("simulate, campaign, runTrial, rows: as an object and from its module, here and on a thread", async () => {
    const here = await simulate({ ...asked, trials: 12 });
    expect(here.protocol).toBe(protocol.name);
    if (certain) expect(here.outcomes).toEqual({ none: 0, one: 12, many: 0 });
    const source = { module, export: one.export };
    await loadProtocol(source);
    const there = await campaign(resolve({ ...asked, protocol: source }), { trials: 12, pool, check: true });
    expect(numbersOf(there)).toEqual(numbersOf(here));
    expect(there.setting.protocol).toEqual(source);
    expect(numbersOf(await simulate({ ...JSON.parse(JSON.stringify(there.setting)), trials: 12 }))).toEqual(
      numbersOf(here),
    );

    const folder = mkdtempSync(join(tmpdir(), "sortition-own-"));
    const rows = await openRows(join(folder, "rows.csv"));
    const settings = resolve(asked);
    await campaign(settings, { trials: 3, onTrials: (some) => rows.write(some) });
    rows.finish();
    const { outcome, messages } = runTrial(settings, 0);
    const [, first, ...others] = readFileSync(join(folder, "rows.csv"), "utf8").trim().split("\n");
    expect([first.split(",").slice(0, 2), others.length]).toEqual([["0", outcome], 2]);
    expect(Number(first.split(",")[3])).toBe(messages);
    rmSync(folder, { recursive: true });
  });

  test("threads need its module", async () => {
    const nowhere = defineProtocol({ ...checkProtocol(protocol) });
    await expect(campaign(resolve({ ...asked, protocol: nowhere }), { trials: 2, pool })).rejects.toThrow(
      /give its module/,
    );
  });

  test("sweep", async () => {
    const points = [4, 8].map((size) => ({
      labels: { n: size },
      settings: resolve({ ...asked, n: size }),
      comparedWith: null,
    }));
    const { points: found } = await sweep(points, { trials: 3 });
    expect(found.map(({ trials }) => trials)).toEqual([3, 3]);
  });

  test("a host that steps", () => {
    const settings = resolve(asked);
    const run = openRun(setUp(settings, 0));
    let steps = 0;
    while (steps < 10 && run.step() !== null) steps++;
    expect(steps).toBeGreaterThan(1);
  });

  test("a trace, written, read, run again and drawn", () => {
    const settings = resolve(asked);
    const { events } = traceTrial(settings, 1);
    const text = traceText({ trace: "simulation", settings: written(settings), trial: 1 }, events);
    const file = parseTrace(text, "own.jsonl");
    expect(firstDifference(file, protocol)).toBeNull();
    expect(() => firstDifference(file)).toThrow(InputError);
    expect(diagram(tellTrial(settings, 1), { title: protocol.name })).toContain("<svg");
  });

  test("explore", () => {
    const run = () => explore(protocol, { n: 3, crashes: lasting ? 0 : 1, maxStates: 20_000, choices: 2 });
    if (one.unexplored !== undefined) expect(run).toThrow(one.unexplored);
    else expect(run().states).toBeGreaterThan(2);
  });

  test("a live group", async () => {
    const ids = [1, 2, 3, 4];
    const electing = async () => new VirtualGroup({ seed: 1, ids }).electAll(checkProtocol(protocol));
    if (one.unlive !== undefined) return expect(electing()).rejects.toThrow(one.unlive);
    const outcomes = await electing();
    if (certain) expect(outcomes.filter(({ status }) => status === "elected")).toHaveLength(1);
  });
});

test("plan and predict", async () => {
  for (const { protocol } of cases)
    expect(predict(questionOf({ protocol, n: 7 }))).toMatchObject({ method: "none", reason: expect.any(String) });
  const { candidates, rejected } = await plan({ n: 7, success: 0.9, protocols: cases.map(({ protocol }) => protocol) });
  for (const { protocol, certain, lasting = false } of cases) {
    const found = candidates.find((candidate) => candidate.protocol === protocol.name);
    const reason = rejected.find((rejection) => rejection.protocol === protocol.name)?.reason;
    if (certain && !lasting) expect(found).toMatchObject({ method: "pilot", pNone: 0, pMany: 0 });
    else
      expect(reason).toMatch(
        lasting ? /it does not end within/ : /theory has no prediction, and \d+ simulated elections/,
      );
  }
});

test("one that fails says so on every host, and on threads too", async () => {
  const words = /^protocol clumsy fails in receive .*: TypeError: Cannot read properties of undefined/;
  const asked = { n: 4, until: 20, trials: 2 };
  const source = { module, export: "clumsy" };
  for (const failing of [
    () => simulate({ ...asked, protocol: odd.clumsy }),
    async () => {
      await loadProtocol(source);
      const { trials, ...request } = asked;
      return campaign(resolve({ ...request, protocol: source }), { trials, pool });
    },
    async () => new VirtualGroup({ seed: 1, ids: [1, 2] }).electAll(checkProtocol(odd.clumsy)),
    async () => explore(odd.clumsy, { n: 2, initiators: [0], properties: [] }),
  ]) {
    const error = await failing().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error.message).toMatch(words);
    expect(error.stack).toContain("odd-protocols");
  }
});

test("an entry of the user's own: its prediction is asked for by simulation, theory and plan", async () => {
  const protocol = checkProtocol({ ...odd.patient, name: "foretold" });
  register({
    protocol,
    predict: ({ n }) => ({ method: "exact", success: 1, pNone: 0, pMany: 0, messages: n * (n - 1), rounds: 3 }),
  });
  expect(predict(questionOf({ protocol, n: 5 }))).toMatchObject({ messages: 20, factors: null });
  const { candidates } = await plan({ n: 5, success: 0.99, protocols: [protocol] });
  expect(candidates.find(({ protocol: name }) => name === "foretold")).toMatchObject({ method: "exact", messages: 20 });
});

test("a module that is not loaded, or has no such export, is an error in words", async () => {
  expect(() => resolve({ protocol: { module: "file:///nowhere.ts", export: "x" }, n: 3 })).toThrow(/is not loaded yet/);
  await expect(loadProtocol({ module, export: "nothing" })).rejects.toThrow(/exports no "nothing"; it has/);
  await expect(loadProtocol({ module })).rejects.toThrow(/exports several protocols \(.*bigLots/);
});
