import { expect, test } from "vitest";
import { encode } from "../../wire/codec.ts";
import type { Nats } from "./connect.ts";
import { fetchResult } from "./results.ts";

const CHUNK = { first: 10, count: 5, rows: false };

const fetched = (bytes: Uint8Array | null) => {
  const header = new Map([["Sortition-Bytes", String(bytes?.length)]]);
  const getMessage = async () => (bytes === null ? null : { data: bytes, header });
  return fetchResult({ jsm: { streams: { getMessage } } } as unknown as Nats, "id", CHUNK);
};

test("what is stored under a result's name but is none is refused, with its trials", async () => {
  const wrong = "the result of trials 10 to 14 is not one of ours";
  await expect(fetched(encode({ kind: "other" }))).rejects.toThrow(wrong);
  await expect(fetched(Uint8Array.of(255, 1, 2))).rejects.toThrow(wrong);
});

test("a chunk that was parked says why; none is null", async () => {
  expect(await fetched(encode({ kind: "parked", parked: "it failed" }))).toEqual({ parked: "it failed" });
  expect(await fetched(null)).toBeNull();
});
