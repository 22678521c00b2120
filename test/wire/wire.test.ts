/**
 * Every datagram of a small election, from fixed keys and a seed, for each version of the wire: what must never drift. A
 * change here without a new version is a mistake; a new version is a new file, and the old ones stay.
 */
import { expect, test } from "vitest";
import { readHead, VERSION } from "../../src/live/datagrams.ts";
import { keyringOf } from "../../src/live/keyring.ts";
import { VirtualGroup } from "../../src/live/virtual-group.ts";
import { protocolNamed } from "../../src/protocols/catalogue.ts";

test("the datagrams of an election are those of the transcript of this version", async () => {
  const keyring = keyringOf([Uint8Array.from({ length: 32 }, (_, i) => i)]);
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
