/**
 * Members say in their records which keys they have since part 11; the version of the wire is still 3. What earlier members sent is understood
 * (the transcript is of the earlier code, and stays), and records with keys have the form that is written down here.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { metaOf } from "../../src/elector/choice.ts";
import { group } from "../../src/elector/group.ts";
import { DEFAULT_ATTRIBUTES } from "../../src/elector/params.ts";
import { memberView } from "../../src/live/join/view.ts";
import { openDatagram, readBody, readDatagramHead } from "../../src/live/net/datagram.ts";
import { keyringOf } from "../../src/live/net/keyring.ts";
import { aesGcm } from "../../src/live/net/sealing.ts";
import { toEntry } from "../../src/protocols/membership/records.ts";
import { encode } from "../../src/wire/codec.ts";
import { keyScene } from "../keys/scene.ts";

const keyring = keyringOf([Uint8Array.from({ length: 32 }, (_, i) => i)]);
const recorded = readFileSync(new URL("version-3-before-keys.txt", import.meta.url), "utf8")
  .split("\n")
  .slice(1)
  .join("\n")
  .matchAll(/^(\S+) -> (\S+) (\{.*\})\n {2}([0-9a-f]+)$/gm);
const datagrams = [...recorded].map(([, from, to, said, hex]) => ({
  from,
  to,
  said: JSON.parse(said),
  bytes: Buffer.from(hex, "hex"),
}));

test("every datagram of members that did not tell of their keys opens, says what was written down, and is accepted", () => {
  expect(datagrams.length).toBeGreaterThan(20);
  const machine = group();
  const kinds = new Set<string>();
  for (const { said, bytes } of datagrams) {
    const head = readDatagramHead(bytes);
    if (typeof head !== "object") throw new Error(`not of this version: ${head}`);
    const key = aesGcm.lifeKey(keyring.sealing, "transcript", head.salt);
    const { token, echo, messages } = readBody(openDatagram(aesGcm, key, head.counter, bytes)!);
    expect({ token, echo, messages }).toEqual(said);
    for (const message of messages) {
      expect(machine.accepts!(message), JSON.stringify(message)).toBe(true);
      kinds.add((message as { readonly kind: string }).kind);
    }
  }
  expect(kinds.size).toBeGreaterThan(3);
});

test("a member of today that hears them knows the earlier one, whose keys are not said", () => {
  const scene = keyScene(1);
  const own = scene.start("a", keyring, { group: "transcript" });
  for (const { to, bytes } of datagrams) if (to === "10.0.0.1:7001") own.machine.arrive(bytes);
  const views = own.member.members().map((one) => memberView(one, "a"));
  expect(views).toMatchObject([
    { name: "a", keys: { opens: [expect.stringMatching(/^[0-9a-f]{8}$/)] } },
    { name: "b", address: "10.0.0.2:7001", keys: null, zone: "" },
  ]);
});

test("a record with keys is one field more in what members tell of themselves, which others skip", () => {
  const meta = metaOf({ ...DEFAULT_ATTRIBUTES, zone: "north" }, [0x1a2b3c4d, 7]);
  const entry = toEntry({
    name: "a",
    life: 2 ** 40,
    incarnation: 3,
    address: "10.0.0.1:7001",
    status: "alive",
    meta,
  });
  expect(Buffer.from(encode(entry)).toString("hex")).toBe(
    [
      "86",
      "6161", // "a"
      "1b0000010000000000", // life
      "03", // incarnation
      "6d31302e302e302e313a37303031", // "10.0.0.1:7001"
      "00", // alive
      "a2",
      "647a6f6e65656e6f727468", // zone: "north"
      "646b657973821a1a2b3c4d07", // keys: [1a2b3c4d, 00000007]
    ].join(""),
  );
});
