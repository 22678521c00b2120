/**
 * Every datagram of the first moments of a small group, from fixed keys and a seed, for each version of the wire: what must never drift. A
 * change here without a new version is a mistake; a new version is a new file, and the old ones stay.
 */
import { expect, test } from "vitest";
import { VirtualOpenGroup } from "../../src/live/group/virtual.ts";
import { placeText } from "../../src/live/net/address.ts";
import { openDatagram, readBody, readDatagramHead, WIRE_VERSION } from "../../src/live/net/datagram.ts";
import { keyringOf } from "../../src/live/net/keyring.ts";
import { aesGcm } from "../../src/live/net/sealing.ts";
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
    const key = aesGcm.lifeKey(keyring.sealing, "transcript", head.salt);
    const { token, echo, messages } = readBody(openDatagram(aesGcm, key, head.counter, datagram)!);
    lines.push(`${placeText(from)} -> ${placeText(to)} ${JSON.stringify({ token, echo, messages })}`);
    lines.push(`  ${Buffer.from(datagram).toString("hex")}`);
  };
  for (const name of ["a", "b", "c"]) group.start(name);
  group.run(250);
  const head = 'members of the group "transcript"; the key is the bytes 0 to 31\n';
  await expect(`${head}${lines.join("\n")}\n`).toMatchFileSnapshot(`version-${WIRE_VERSION}.txt`);
});
