import type { JsMsg } from "@nats-io/jetstream";
import { expect, test } from "vitest";
import type { Nats } from "./connect.ts";
import { HeldChunk } from "./held.ts";

const SUBJECT = "sortition.chunk.build.catalogue.id.30.4";

/** A queue in which `there` stands under the number of the chunk, and what was said of that number. */
function scene(there: string | null) {
  const said: string[] = [];
  const troubles = { epoch: 0, isConnected: true };
  const jsm = { streams: { getMessage: async () => (there === null ? null : { subject: there }) } };
  const message = {
    subject: SUBJECT,
    info: { deliveryCount: 2, streamSequence: 5 },
    ack: () => said.push("ack"),
    nak: (after: number) => said.push(`nak ${after}`),
    term: () => said.push("term"),
    working: () => said.push("working"),
  };
  const held = new HeldChunk({ troubles, jsm } as unknown as Nats, message as unknown as JsMsg);
  return { held, said, troubles };
}

test("a chunk is named by its subject, and given back with one word", async () => {
  const words = { done: "ack", drop: "term", again: "nak 7" } as const;
  for (const [how, word] of Object.entries(words)) {
    const { held, said } = scene(SUBJECT);
    expect(held).toMatchObject({ id: "id", chunk: { first: 30, count: 4 }, tries: 2 });
    await held[how as keyof typeof words](7);
    expect(said).toEqual([word]);
  }
});

test("after a reconnection it is acknowledged only where its number is still its own", async () => {
  for (const [there, said] of [
    [SUBJECT, ["ack"]],
    [SUBJECT.replace("30", "40"), []],
    [null, []],
  ] as const) {
    const one = scene(there);
    one.troubles.epoch++;
    await one.held.done();
    expect(one.said).toEqual(said);
  }
});

test("nothing is said while there is no connection: it would be said to whoever comes", async () => {
  const { held, said, troubles } = scene(SUBJECT);
  troubles.isConnected = false;
  await held.done();
  expect(said).toEqual([]);
});
