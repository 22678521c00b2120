/** Every protocol of the catalogue, watched while it runs, on every host that takes it. */
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/errors.ts";
import { Watch } from "../../src/host/watch.ts";
import { agreement, atMostOneLeader, type Property, promisesOf } from "../../src/properties/properties.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { type Request, requestOf, resolve, type Settings } from "../../src/simulation/settings.ts";
import { openTrial, runSetup, setUp } from "../../src/simulation/trial.ts";

const N = 7;
const SAFETY: readonly Property[] = [atMostOneLeader, agreement];

const PLANS = [
  {},
  { loss: 0.15, multicastLoss: 0.15, crash: 0.1 },
  { crashes: [{ node: 2, at: 2 }], restarts: [{ node: 2, at: 4, saved: true }], duplicate: 0.2 },
];

function settingsOf(protocol: AnyProtocol, request: Partial<Request>): Settings[] {
  return (["lockstep", "events"] as const).flatMap((host) => {
    try {
      return [resolve({ protocol: protocol.name, n: N, kernel: "off", host, ...request })];
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
      return [];
    }
  });
}

function watched(settings: Settings, trial: number, properties: readonly Property[]) {
  const watch = new Watch(properties);
  runSetup(settings, { ...setUp(settings, trial), observer: watch });
  return watch.breach;
}

/** The first event after which a property does not hold, by asking after every one. */
function asked(settings: Settings, trial: number): number | null {
  const run = openTrial(settings, trial, { frames: 0 });
  do {
    if (SAFETY.some((property) => property.violated(run.view) !== null)) return run.event;
  } while (run.step() !== null);
  return null;
}

describe.each(catalogue.map((protocol) => [protocol.name, protocol] as const))("%s", (_name, protocol) => {
  test("a monitor that looks at what has changed sees what one sees who asks after every event", () => {
    for (const settings of PLANS.flatMap((faults) => settingsOf(protocol, { faults }))) {
      for (const trial of [0, 1]) {
        const found = watched(settings, trial, SAFETY)?.event ?? null;
        expect(found, `trial ${trial} of ${JSON.stringify(requestOf(settings))}`).toBe(asked(settings, trial));
      }
    }
  });

  test.runIf(protocol.assumes.topology === "ring")(
    "rings: what is promised holds at every event and in the end",
    () => {
      for (const settings of settingsOf(protocol, {})) {
        expect(watched(settings, 0, promisesOf(protocol)), JSON.stringify(requestOf(settings))).toBeNull();
      }
    },
  );
});
