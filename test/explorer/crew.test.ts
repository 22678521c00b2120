/** Cases on threads: whatever the number, the same verdict, the same counts and the same run. */
import { expect, test } from "vitest";
import { Threads } from "../../src/cli/commands/explore/crew.ts";
import {
  caseProblem,
  chosenProperties,
  type Exploration,
  type ExploreRequest,
  exploring,
} from "../../src/explorer/explore.ts";
import { pathOrdinals } from "../../src/explorer/ordinals.ts";
import type { SearchAnswer, SearchCrew, SearchOrder } from "../../src/explorer/search/crew.ts";
import { searchingCase } from "../../src/explorer/search/search.ts";
import type { Paused } from "../../src/explorer/search/search-terms.ts";
import { promisesOf } from "../../src/properties/properties.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { protocolNamed } from "../../src/protocols/catalogue.ts";
import { expectRun } from "../support/found-runs.ts";
import * as mutants from "./mutants.ts";

/** A crew in this thread: its workers do a little whenever the caller waits for one, the last one first. */
class Neighbours implements SearchCrew {
  readonly hands: number;
  readonly after = 0;
  sent = 0;
  private readonly protocol: AnyProtocol;
  private readonly request: ExploreRequest;
  private readonly working: (() => boolean)[] = [];

  constructor(hands: number, protocol: AnyProtocol, request: ExploreRequest) {
    this.hands = hands;
    this.protocol = protocol;
    this.request = request;
  }

  send({ open, choices, limits, reduction, maxBytes }: SearchOrder) {
    this.sent++;
    const problem = caseProblem(this.protocol, { ...this.request, choices, limits }, open);
    const far = { pauses: 0, states: 0, draws: false };
    let stopped = false;
    let answer: SearchAnswer | null = null;
    const work = searchingCase(problem, {
      properties: chosenProperties(this.request.properties ?? promisesOf(this.protocol)),
      reduction,
      maxBytes,
      onProgress: (states) => {
        far.states = states;
        return !stopped;
      },
    });
    this.working.push(() => {
      const { done, value } = work.next();
      if (done !== true) far.pauses++;
      else {
        const { violation, ...counts } = value;
        const path = violation === null ? [] : pathOrdinals(violation);
        const { property, what, shortest } = violation ?? {};
        answer = {
          ...counts,
          violation: violation && ({ property, what, shortest, path } as never),
          pauses: far.pauses,
        };
      }
      return done === true;
    });
    return {
      far: () => far,
      answer: () => answer,
      wait: async () => {
        for (let i = this.working.length - 1; i >= 0; i--) if (this.working[i]()) this.working.splice(i, 1);
      },
      stop: () => {
        stopped = true;
      },
    };
  }
}

const told = ({ violation, ...rest }: Exploration) => ({
  ...rest,
  violation: violation && { property: violation.property, what: violation.what, path: pathOrdinals(violation) },
});

/** What comes of it, and how often it pauses: walks beside a search come at its pauses. */
async function run(work: Paused<Exploration>) {
  for (let pauses = 0; ; ) {
    const { done, value } = work.next();
    if (done === true) return { ...told(value), found: value, pauses };
    if (value === undefined) pauses++;
    else await value;
  }
}

async function compared(protocol: AnyProtocol, request: ExploreRequest): Promise<Exploration> {
  const { found, ...alone } = await run(exploring(protocol, request));
  for (const hands of [1, 3]) {
    const crew = new Neighbours(hands, protocol, request);
    const { found: again, ...together } = await run(exploring(protocol, request, crew));
    expect(crew.sent).toBeGreaterThan(0);
    expect(together).toEqual(alone);
    if (again.violation !== null) expectRun(again.violation);
  }
  return found;
}

test("every case holds", async () => {
  const found = await compared(protocolNamed("peterson"), { n: 5, reduction: "never" });
  expect(found).toMatchObject({ complete: true, violation: null, casesInAll: 24 });
});

test("one in the middle does not: the first in the order of cases is told, even if another thread finds another one before", async () => {
  const request = { n: 4, initiators: "any", reduction: "always" } as const;
  const { cases, casesInAll, violation } = await compared(mutants.fewStart, request);
  expect(violation).not.toBeNull();
  expect(cases.length).toBeLessThan(casesInAll);
});

test("memory that is too little for several is enough for one", async () => {
  const request = { n: 5, reduction: "never", maxBytes: 200_000 } as const;
  expect(await compared(protocolNamed("peterson"), request)).toMatchObject({ complete: true });
});

test("threads that are ended in the middle of a case say nothing more", async () => {
  const request = { n: 7, reduction: "never" } as const;
  const threads = new Threads(1, { protocol: "chang-roberts", promises: {}, request });
  const open = { ids: [7, 6, 5, 4, 3, 2, 1], initiators: [0, 1, 2, 3, 4, 5, 6] };
  const errand = threads.send({ open, choices: 1, limits: {}, reduction: "never" });
  while (errand.far().pauses === 0) await errand.wait();
  errand.stop();
  await threads.close();
});

test("real threads: the protocol is found there by its name, and counts are those of one", async () => {
  const request = { n: 5, reduction: "never" } as const;
  const threads = Object.assign(new Threads(2, { protocol: "peterson", promises: {}, request }), { after: 1000 });
  try {
    const { found: _, ...together } = await run(exploring("peterson", request, threads));
    expect(await run(exploring("peterson", request))).toMatchObject(together);
  } finally {
    await threads.close();
  }
});
