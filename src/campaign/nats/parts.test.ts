import { expect, test } from "vitest";
import type { Nats } from "./connect.ts";
import { fetchParts, storeParts } from "./parts.ts";

/** A server that keeps the last message under each name, and takes so many bytes a message. */
function server(most: number) {
  const kept = new Map<string, { data: Uint8Array; header: Map<string, string> }>();
  const order: string[] = [];
  const info = { max_payload: most };
  const nats = {
    nc: { info },
    packages: { headers: () => new Map() },
    js: {
      publish: async (name: string, data: Uint8Array, { headers }: { headers: Map<string, string> }) => {
        if (data.length > info.max_payload) throw new Error("too large");
        order.push(name);
        kept.set(name, { data, header: headers });
      },
    },
    jsm: {
      streams: {
        getMessage: async (_: string, { last_by_subj }: { last_by_subj: string }) => kept.get(last_by_subj) ?? null,
      },
    },
  } as unknown as Nats;
  return { nats, kept, order, info };
}

const nameOf = (part: number) => `part.${part}`;
const bytes = Uint8Array.from({ length: 5000 }, (_, i) => i % 251);

test("what is larger than a message comes out as it went in; its first part is stored last", async () => {
  for (const [most, parts] of [
    [1024, 10],
    [1_048_576, 1],
    [5512, 1],
    [5511, 2],
  ]) {
    const { nats, order } = server(most);
    await storeParts(nats, nameOf, bytes, { Took: "3" });
    expect(order.length).toBe(parts);
    expect(order.at(-1)).toBe("part.0");
    const found = await fetchParts(nats, "S", nameOf);
    expect([...found!.bytes]).toEqual([...bytes]);
    expect(found!.header.get("Took")).toBe("3");
  }
});

test("one that misses a part, or has parts of other lengths, is none", async () => {
  const { nats, kept, info } = server(2048);
  expect(await fetchParts(nats, "S", nameOf)).toBeNull();
  await storeParts(nats, nameOf, bytes);
  const middle = kept.get("part.1")!;
  kept.delete("part.1");
  expect(await fetchParts(nats, "S", nameOf)).toBeNull();
  kept.set("part.1", { ...middle, data: middle.data.subarray(1) });
  expect(await fetchParts(nats, "S", nameOf)).toBeNull();
  kept.set("part.1", middle);
  info.max_payload = 3000;
  await storeParts(nats, nameOf, bytes);
  kept.set("part.1", middle);
  expect(await fetchParts(nats, "S", nameOf)).toBeNull();
});

test("a server whose messages are too small, or that is away, is refused in words", async () => {
  await expect(storeParts(server(1023).nats, nameOf, bytes)).rejects.toThrow("max_payload of 1023 bytes is too small");
  const away = { ...server(1024).nats, nc: {} } as unknown as Nats;
  await expect(storeParts(away, nameOf, bytes)).rejects.toThrow("disconnected");
});
