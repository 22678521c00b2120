import { describe, expect, test } from "vitest";
import { explore } from "../explorer/explore.ts";
import type { AnyProtocol } from "../protocol.ts";
import { catalogue } from "../protocols/catalogue.ts";
import { findProtocol } from "../protocols/registry.ts";
import { resolve, written } from "../simulation/settings.ts";
import { conformanceWords } from "./conformance.ts";
import type { TraceEvent } from "./events.ts";
import type { TraceFile } from "./file.ts";
import { conforms, tellPath, traceTrial } from "./replay.ts";

/** A simulated trial as a file would have it. */
function trace(protocol: string, more: Partial<Parameters<typeof resolve>[0]> = {}): TraceFile {
  const settings = resolve({ protocol, n: 5, seed: 4, ...more });
  const header = { sortition: "", trace: "simulation", settings: written(settings), trial: 0 } as const;
  return { header, events: traceTrial(settings, 0).events };
}

const changed = ({ header, events }: TraceFile, number: number, event: TraceEvent): TraceFile => ({
  header,
  events: events.map((known, i) => (i === number ? event : known)),
});

describe("a simulated run", () => {
  test.each(catalogue.map(({ name }) => name))("of %s is never called one that the explorer does not know", (name) => {
    const found = conforms(trace(name));
    expect(found).toMatchObject({ is: expect.stringMatching(/^(known|undecided)$/) });
    if (found.is === "undecided") expect(found.why).toMatch(/^(draws can|the explorer|the node can be)/);
  });

  test("of a protocol that draws little or nothing is known as a whole", () => {
    for (const name of ["chang-roberts", "peterson", "franklin", "hirschberg-sinclair", "le-lann", "itai-rodeh"]) {
      expect([name, conforms(trace(name)).is]).toEqual([name, "known"]);
    }
  });

  test("with losses and crashes is known: what the network does is taken as it was", () => {
    for (const seed of [1, 2, 3]) {
      expect(conforms(trace("chang-roberts", { n: 7, seed, loss: 0.2, crash: 0.2 })).is).toBe("known");
    }
  });

  test("in which one message was changed is not: the first step is named, and what the machine does instead", () => {
    const run = trace("chang-roberts");
    const number = run.events.findIndex(({ do: what }, i) => what === "send" && i > 10);
    const send = run.events[number] as Extract<TraceEvent, { do: "send" }>;
    const found = conforms(changed(run, number, { ...send, message: { kind: "id", id: 99 } }));
    expect(found).toEqual({ is: "unknown", event: send.cause, instead: [expect.stringMatching(/^sends /)] });
    expect(conformanceWords(found)).toMatch(/^event #\d+ is not one that the explorer knows: there the node sends /);
  });

  test("in which a message arrives that nobody sends there, or at a node that is none", () => {
    const run = trace("chang-roberts");
    const number = run.events.findIndex(({ do: what }) => what === "deliver");
    const heard = run.events[number] as Extract<TraceEvent, { do: "deliver" }>;
    const elsewhere = conforms(changed(run, number, { ...heard, from: (heard.node + 2) % 5 }));
    expect(elsewhere).toEqual({ is: "unknown", event: number, instead: [] });
    expect(conforms(changed(run, number, { ...heard, node: 17 }))).toMatchObject({ is: "unknown", event: number });
  });

  test("of another machine is not, from the first step on that the machine does not make", () => {
    const { protocol } = findProtocol("chang-roberts");
    // It passes on what it should swallow.
    const wrong = {
      ...protocol,
      receive(state: unknown, port: number, message: unknown, ctx: never) {
        protocol.receive(state, port, message, ctx);
        (ctx as { send(port: number, message: unknown): void }).send(0, message);
      },
    } as AnyProtocol;
    const run = trace("chang-roberts");
    const found = conforms(run, wrong);
    const first = run.events.findIndex(({ do: what }) => what === "deliver");
    expect(found).toMatchObject({ is: "unknown", event: first });
  });
});

test("a path of the explorer itself is known", () => {
  const request = { n: 3, crashes: 1 };
  const { problem, network, steps } = explore("chang-roberts", request).violation!;
  const header = {
    sortition: "",
    trace: "exploration" as const,
    protocol: "chang-roberts",
    request,
    path: [],
    property: "",
    what: "",
  };
  expect(conforms({ header, events: tellPath(problem, network, steps).events }).is).toBe("known");
});
