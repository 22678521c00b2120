/**
 * One suite for every protocol on every host that can grant its assumptions. A protocol joins it by being in the
 * catalogue. What it checks is the contract: plain data, immutable messages, declared measures, quiet passive nodes,
 * deterministic runs that end, and verdicts that fit the promise.
 */
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/errors.ts";
import { canonicalText } from "../../src/explorer/space/plain.ts";
import { RecordingContext } from "../../src/explorer/space/recording.ts";
import type { Delay } from "../../src/host/delays.ts";
import type { Observer } from "../../src/host/observer.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { catalogue } from "../../src/protocols/catalogue.ts";
import {
  type HostName,
  type Request,
  requestOf,
  resolve,
  type Settings,
  written,
} from "../../src/simulation/settings.ts";
import { runSetup, runTrial, setUp } from "../../src/simulation/trial.ts";
import { NEXT } from "../../src/topology/ring.ts";
import type { Topology } from "../../src/topology/topology.ts";
import { firstDifference, traceTrial } from "../../src/trace/replay.ts";

const SIZES = [1, 2, 3, 4, 9];
const TRIALS = 5;
const STATUSES: readonly string[] = ["undecided", "elected", "not-elected"];

const DELAYS: readonly Delay[] = [
  { kind: "fixed", value: 1 },
  { kind: "uniform", min: 0.2, max: 1 },
  { kind: "exponential", mean: 1 },
];

/** Every combination of host and delay that the protocol accepts; a refusal must be one that a user can act upon. */
function settingsOf(protocol: AnyProtocol, n: number, extra: Partial<Request> = {}): Settings[] {
  const hosts: readonly HostName[] = ["lockstep", "events"];
  return hosts.flatMap((host) =>
    DELAYS.flatMap((delay, i) => {
      if (host === "lockstep" && i > 0) return [];
      try {
        return [resolve({ protocol: protocol.name, n, host, delay, kernel: "off", ...extra })];
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
        return [];
      }
    }),
  );
}

function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const field of Object.values(value)) deepFreeze(field);
}

/** As `expect`, a hundred times quicker: it is asked at every event of every run. */
function must(holds: boolean, what: () => string): void {
  if (!holds) expect.fail(what());
}

/** A failure says in which run it was found. */
function inRun<T>(settings: Settings, trial: number, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof Error)
      error.message = `${error.message}\nin trial ${trial} of ${JSON.stringify(requestOf(settings))}`;
    throw error;
  }
}

/** Fails at the moment when a handler breaks the contract. */
function inspector(protocol: AnyProtocol, topology: Topology): Observer {
  const oneWay = protocol.assumes.direction === "unidirectional";
  return {
    started: () => {},
    sent(_flight, from, to, message) {
      if (oneWay) must(to === topology.neighbour(from, NEXT), () => `${from} sends backwards, to ${to}`);
      const encoded = canonicalText(message);
      const bits = protocol.bits(message);
      must(Number.isSafeInteger(bits) && bits >= 0, () => `${bits} bits of ${encoded}`);
      deepFreeze(message);
    },
    lost: () => {},
    delivered: () => {},
    expired: () => {},
    roundEnded: () => {},
    settled(_node, _time, state) {
      const before = canonicalText(state);
      const { status, leader, term } = protocol.verdict(state);
      must(STATUSES.includes(status), () => `status ${status}`);
      must(leader === null || Number.isSafeInteger(leader), () => `leader ${leader}`);
      must(Number.isSafeInteger(term), () => `term ${term}`);
      must(canonicalText(state) === before, () => "the verdict is no projection: it changes the state");
    },
  };
}

describe.each(catalogue.map((protocol) => [protocol.name, protocol] as const))("%s", (_name, protocol) => {
  test("some host runs it at some size", () => {
    expect(SIZES.flatMap((n) => settingsOf(protocol, n))).not.toEqual([]);
  });

  test("keeps the contract on every host, with and without faults", () => {
    for (const n of SIZES) {
      const plans = [{}, { faults: { loss: 0.2, multicastLoss: 0.2, crash: 0.2 } }];
      for (const settings of plans.flatMap((plan) => settingsOf(protocol, n, plan))) {
        for (let trial = 0; trial < TRIALS; trial++) {
          inRun(settings, trial, () => {
            const setup = setUp(settings, trial);
            const result = runSetup(settings, { ...setup, observer: inspector(protocol, setup.topology) });
            expect(Object.values(result.measures).every(Number.isFinite)).toBe(true);
            expect(Object.keys(result.measures)).toEqual(expect.arrayContaining(Object.keys(protocol.measures)));
            expect(result.rounds).toBeGreaterThanOrEqual(0);
          });
        }
      }
    }
  });

  test("same seed, same run; being watched changes nothing; a trace replays", () => {
    for (const settings of settingsOf(protocol, 4)) {
      inRun(settings, 3, () => {
        const result = runTrial(settings, 3);
        expect(runTrial(settings, 3)).toEqual(result);
        const traced = traceTrial(settings, 3);
        expect(traced.result).toEqual(result);
        const header = { sortition: "", trace: "simulation", settings: written(settings), trial: 3 } as const;
        expect(firstDifference({ header, events: traced.events })).toBeNull();
      });
    }
  });

  test.runIf(protocol.assumes.start === "any")(
    "a node that neither starts nor stands does nothing at its creation",
    () => {
      const [settings] = settingsOf(protocol, 4);
      const ctx = new RecordingContext({ protocol, degree: 3, peer: () => null }, [], 2);
      const id = protocol.assumes.identity === "ids" ? 7 : null;
      protocol.init(
        settings.params,
        { id, initiator: false, candidate: false, n: 4, highest: 9, election: 1, life: 0, role: "member", seeds: [] },
        null,
        ctx,
      );
      expect(ctx.effects).toEqual({ sends: [], messages: 0, timers: [], measures: [] });
      expect(ctx.choices).toEqual([]);
    },
  );

  test.runIf(protocol.assumes.topology === "ring")("rings: exactly one leader, known to all, at every size", () => {
    for (const n of SIZES) {
      for (const settings of settingsOf(protocol, n)) {
        for (let trial = 0; trial < TRIALS; trial++) {
          inRun(settings, trial, () => {
            expect(runTrial(settings, trial)).toMatchObject({ outcome: "one", measures: { undecided: 0 } });
          });
        }
      }
    }
  });
});
