/**
 * Every datagram of the first moments of a small group, from fixed keys and a seed, for each version of the wire: what must never drift. A
 * change here without a new version is a mistake; a new version is a new file, and the old ones stay.
 */
import { expect, test } from "vitest";
import { metaOf } from "../../src/elector/election/choice.ts";
import { DEFAULT_ATTRIBUTES } from "../../src/elector/params.ts";
import { VirtualOpenGroup } from "../../src/live/group/virtual.ts";
import { openDatagram, readBody, readDatagramHead, WIRE_VERSION } from "../../src/live/net/datagram.ts";
import { keyringOf } from "../../src/live/net/keyring.ts";
import { aesGcm } from "../../src/live/net/sealing.ts";
import { addressText } from "../../src/live/net/udp.ts";
import { toEntry } from "../../src/protocols/membership/records.ts";
import { encode } from "../../src/wire/codec.ts";
import { majority, terms } from "../support/terms.ts";

const keyring = keyringOf([Uint8Array.from({ length: 32 }, (_, i) => i)]);

test("the datagrams of a group that lasts are those of the transcript of its version", async () => {
  const group = new VirtualOpenGroup({
    seed: 2,
    machine: terms(majority, 3),
    keyring,
    group: "transcript",
    params: () => ({ beat: 100, patience: 50, child: {} }),
    address: (_name, i) => ({ host: i === 2 ? "fd00::3" : `10.0.0.${i + 1}`, port: 7001 + i }),
  });
  const lines: string[] = [];
  group.network.tap = (datagram, to, from) => {
    const head = readDatagramHead(datagram);
    if (typeof head !== "object") throw new Error(`not of this version: ${head}`);
    const key = aesGcm.lifeKey(keyring.sealing, "transcript", Buffer.from(head.salt, "latin1"));
    const { token, echo, messages } = readBody(openDatagram(aesGcm, key, head.counter, datagram)!);
    lines.push(`${addressText(from)} -> ${addressText(to)} ${JSON.stringify({ token, echo, messages })}`);
    lines.push(`  ${Buffer.from(datagram).toString("hex")}`);
  };
  for (const name of ["a", "b", "c"]) group.start(name);
  group.run(250);
  const head = 'members of the group "transcript"; the key is the bytes 0 to 31\n';
  await expect(`${head}${lines.join("\n")}\n`).toMatchFileSnapshot(`version-${WIRE_VERSION}.txt`);
});

test("a record of a member has its zone and its keys as fields of what it tells of itself", () => {
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
