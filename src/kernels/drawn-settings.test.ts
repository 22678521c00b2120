/**
 * Every kernel against the protocol on its host under settings that are drawn: parameters, sizes, faults, times, who starts. What the
 * protocol or the kernel refuses is drawn again. Exact kernels are compared bit for bit, lumped ones by their means: at 5 standard
 * errors, some ten means a draw, a false alarm has a chance of 1e-3 in the long run. Seeds are fixed.
 */
import { describe, expect, test } from "vitest";
import { drawnRequest } from "../../test/support/drawn-requests.ts";
import { effort } from "../../test/support/effort.ts";
import { expectEqualMeans, expectEqualRuns } from "../../test/support/kernels.ts";
import { InputError } from "../errors.ts";
import { catalogue } from "../protocols/catalogue.ts";
import { HostStream } from "../random/streams.ts";
import { entryOf } from "../registry/all.ts";
import { type Request, resolve } from "../simulation/settings.ts";
import type { Kernel } from "./kernel.ts";

const kernels = catalogue.flatMap((protocol) => entryOf(protocol)?.kernels ?? []);
const named = (lumped: boolean) =>
  kernels.filter((kernel) => (kernel.lumped === true) === lumped).map((kernel) => [kernel.name, kernel] as const);

/** The first requests of a stream that the kernel takes. */
function* takenBy(kernel: Kernel, most: number, count: number, more: Partial<Request> = {}): Generator<Request> {
  const source = new HostStream(17, 0, "plan");
  for (let found = 0; found < count; ) {
    const request = { ...drawnRequest(source, kernel.protocol, most), ...more };
    try {
      if (resolve(request).kernel !== kernel.name) continue;
    } catch (error) {
      if (error instanceof InputError) continue;
      throw error;
    }
    found++;
    yield request;
  }
}

describe("bit for bit", () => {
  test("all exact kernels are there", () => {
    const names = ["chang-roberts", "tournament", "tournament-async", "quorum, sync", "quorum, async", "referees"];
    expect(named(false).map(([name]) => name)).toEqual(expect.arrayContaining(names));
  });

  test.each(named(false))("%s", (_, kernel) => {
    for (const request of takenBy(kernel, 150, effort(8, 100))) expectEqualRuns(kernel, request, effort(2, 5));
  });
});

test.each(named(true))("in every mean: %s", (_, kernel) => {
  const trials = effort(20, 400);
  for (const request of takenBy(
    kernel,
    30,
    effort(2, 8),
    kernel.name.startsWith("referees") ? { kernel: "lumped" } : {},
  )) {
    expectEqualMeans({ ...request, kernel: "off" }, trials, { ...request, seed: 2 }, 4 * trials);
  }
});
