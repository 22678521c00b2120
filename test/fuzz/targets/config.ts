/** Files of settings and of keys: refused in words, or read. A key file that is written again holds the same keys. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "../../../src/errors.ts";
import { configure } from "../../../src/live/agent/config.ts";
import { GroupError } from "../../../src/live/join/errors.ts";
import { idsIn, parseKeyring, readKeyText, writeKeyText } from "../../../src/live/net/keyring.ts";
import type { Target } from "../loop.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const key = (letter: string) => `${letter.repeat(42)}A`;

const folder = mkdtempSync(join(tmpdir(), "sortition-fuzz-"));
const file = join(folder, "agent.yaml");
writeFileSync(file, "");
chmodSync(file, 0o600);

function readsSettings(text: string): void {
  writeFileSync(file, text);
  configure({ flags: {}, env: {}, file });
}

function readsKeys(text: string): void {
  const ring = parseKeyring(text, "keys");
  const again = writeKeyText(readKeyText(text, "keys"));
  const ids = idsIn(readKeyText(again, "keys"));
  if (String(ids) !== String(idsIn(readKeyText(text, "keys"))) || !ids.includes(ring.sealing.id)) {
    throw new Error("a key is lost");
  }
}

/** The first byte says which kind of file the rest is. */
export const target: Target = {
  longest: 600,
  seeds: [
    "Yname: a\nzone: south\nweight: 2\nseeds: [c:1, d:2]\noffices: [x, 'y:3']\npreemptible: false\nhttp: off\n",
    "Ygroup: billing\nbind: 0.0.0.0:7001\nkeyFile: group.key\nlease: sqlite:leases.db\nleaseTtl: 5s\nlog: json\n",
    'Y{"name": "a", "transport": "tcp", "policy": "majority", "httpHosts": ["a.example"], "logLevel": "debug"}',
    "Yx: &x [1]\nseeds: [*x, *x]\n? [a]\n: !!map {}\n",
    `K# one\n${key("a")}\n\n# two\n${key("b")}\n`,
  ].map(bytes),
  close: () => rmSync(folder, { recursive: true }),
  run(input) {
    const text = Buffer.from(input.subarray(1)).toString("utf8");
    try {
      if (input[0] === 0x4b) readsKeys(text);
      else readsSettings(text);
    } catch (error) {
      if (!(error instanceof InputError) && !(error instanceof GroupError)) throw error;
    }
  },
};
