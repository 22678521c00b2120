import type { NatsConnection } from "@nats-io/transport-node";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { InputError } from "../../errors.ts";
import { persist } from "./persist.ts";
import { Resumable, Troubles } from "./troubles.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const never = new AbortController().signal;

function scene(patience: number) {
  const lines: string[] = [];
  const nc = { isClosed: () => false, async *status() {} } as unknown as NatsConnection;
  const troubles = new Troubles(nc, "HOST", (line) => lines.push(line), patience);
  return { troubles, lines };
}

/** Fails with these words for so many milliseconds. */
function failing(words: string, milliseconds: number) {
  const until = performance.now() + milliseconds;
  return async () => {
    if (performance.now() < until) throw new Error(words);
    return "done";
  };
}

test("what passes soon is not worth a word; what lasts is said once, and that it is over", async () => {
  for (const [lasts, said] of [
    [2000, []],
    [
      20_000,
      [
        "NATS at HOST has no room to store more: give it a larger max_file_store, or make room on its disk; this waits for it",
        "NATS at HOST does again what it is asked",
      ],
    ],
  ] as const) {
    const { troubles, lines } = scene(60_000);
    const asked = persist({ troubles }, failing("insufficient resources", lasts), never);
    await vi.advanceTimersByTimeAsync(lasts + 1000);
    expect(await asked).toBe("done");
    expect(lines).toEqual(said);
    expect(troubles.words).toBeNull();
  }
});

test("a server that refuses is borne for so long, one that is silent for ever", async () => {
  const { troubles } = scene(60_000);
  const refused = persist({ troubles }, failing("JetStream not enabled", 1e9), never);
  const ended = expect(refused).rejects.toThrow(Resumable);
  await vi.advanceTimersByTimeAsync(61_000);
  await ended;
  const silent = persist({ troubles }, failing("timeout", 500_000), never);
  await vi.advanceTimersByTimeAsync(501_000);
  expect(await silent).toBe("done");
});

test("what is wrong with the request or with our code is thrown at once, and nobody waits who wants it no more", async () => {
  const { troubles } = scene(60_000);
  for (const error of [new InputError("no"), new TypeError("no")])
    await expect(persist({ troubles }, () => Promise.reject(error), never)).rejects.toBe(error);
  const controller = new AbortController();
  const hangs = persist({ troubles }, () => new Promise(() => {}), controller.signal);
  controller.abort();
  expect(await hangs).toBeUndefined();
});
