/** What waits for readers that do not keep up is bounded for each of them, and over all. */
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { EventStreams } from "./event-streams.ts";
import { STREAM_LIMITS } from "./thread.ts";

async function cutOf(readers: number, waiting: number): Promise<number> {
  const world = { set: () => () => {}, now: () => 0 };
  const asks = { read: (_handler: unknown, _request: unknown, settle: (first: string) => void) => settle("") };
  const streams = new EventStreams({ world, limits: STREAM_LIMITS, asks, keep() {}, counted() {} } as never);
  let cut = 0;
  for (let i = 0; i < readers; i++) {
    const outgoing = {
      socket: null,
      writableLength: waiting,
      writeHead() {},
      write() {},
      once() {},
      destroy: () => void cut++,
    };
    await streams.open({
      incoming: { method: "GET", headers: {} },
      outgoing: outgoing as unknown as ServerResponse,
    } as never);
  }
  streams.publish("something");
  return cut;
}

test.each([
  [1, 1000 * 1024, 0],
  [1, 1025 * 1024, 1],
  [16, 1000 * 1024, 0],
  [64, 250 * 1024, 0],
  [64, 300 * 1024, 64],
])("of %i readers with %i bytes waiting for each, %i are cut off", async (readers, waiting, cut) => {
  expect(await cutOf(readers, waiting)).toBe(cut);
});
