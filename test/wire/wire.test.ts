/**
 * Every datagram of a small election, and of the first moments of a small group, from fixed keys and a seed, for each version of the wire: what must never drift. A
 * change here without a new version is a mistake; a new version is a new file, and the old ones stay.
 */
import { expect, test } from "vitest";
import { readHead, VERSION } from "../../src/live/datagrams.ts";
import { placeText } from "../../src/live/group/address.ts";
import {
  WIRE_VERSION as GROUPS,
  openDatagram,
  readBody,
  readDatagramHead as readGroupHead,
} from "../../src/live/group/datagram.ts";
import { VirtualOpenGroup } from "../../src/live/group/virtual.ts";
import { keyringOf } from "../../src/live/keyring.ts";
import { aesGcm } from "../../src/live/sealing.ts";
import { VirtualGroup } from "../../src/live/virtual-group.ts";
import { protocolNamed } from "../../src/protocols/catalogue.ts";
import { majority, terms } from "../support/terms.ts";

const keyring = keyringOf([Uint8Array.from({ length: 32 }, (_, i) => i)]);

test("the datagrams of an election are those of the transcript of this version", async () => {
  const group = new VirtualGroup({ seed: 2, ids: [1, 2, 300], keyring });
  const lines: string[] = [];
  const idAt = (at: number) => group.listed.find(({ port }) => port === at)!.id;
  group.network.tap = (datagram, to, from) => {
    const head = readHead(datagram);
    const form = typeof head === "string" ? head : head.form;
    lines.push(`${idAt(from.port)} -> ${idAt(to.port)} ${form} ${Buffer.from(datagram).toString("hex")}`);
  };
  const outcomes = await group.electAll(protocolNamed("chang-roberts"));
  expect(outcomes.map(({ leader }) => leader)).toEqual([300, 300, 300]);
  const head = `chang-roberts among 1, 2 and 300; the key is the bytes 0 to 31\n`;
  await expect(`${head}${lines.join("\n")}\n`).toMatchFileSnapshot(`version-${VERSION}.txt`);
});

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
    const head = readGroupHead(datagram);
    if (typeof head !== "object") throw new Error(`not of this version: ${head}`);
    const key = aesGcm.lifeKey(keyring.sealing, "transcript", head.salt);
    const { token, echo, messages } = readBody(openDatagram(aesGcm, key, head.counter, datagram)!);
    lines.push(`${placeText(from)} -> ${placeText(to)} ${JSON.stringify({ token, echo, messages })}`);
    lines.push(`  ${Buffer.from(datagram).toString("hex")}`);
  };
  for (const name of ["a", "b", "c"]) group.start(name);
  group.run(250);
  const head = 'members of the group "transcript"; the key is the bytes 0 to 31\n';
  await expect(`${head}${lines.join("\n")}\n`).toMatchFileSnapshot(`version-${GROUPS}.txt`);
});
