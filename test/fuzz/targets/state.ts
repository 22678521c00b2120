/** State files: a member goes on with what was saved, or is told in words why it cannot. A damaged file is never taken for a missing one. */
import { isDeepStrictEqual } from "node:util";
import { crc32 } from "node:zlib";
import { group } from "../../../src/elector/group.ts";
import { groupParams } from "../../../src/elector/params.ts";
import type { Saved } from "../../../src/elector/state.ts";
import { InputError } from "../../../src/errors.ts";
import { savedIn } from "../../../src/live/store.ts";
import { Malformed } from "../../../src/wire/bytes.ts";
import { encode } from "../../../src/wire/codec.ts";
import { context } from "../context.ts";
import type { Target } from "../loop.ts";

const samples: readonly Saved[] = [
  { name: "a", terms: {} },
  { name: "a", terms: { leader: 7, "shards#1": 2 ** 32 } },
  { name: "a", terms: { leader: 7 }, tokens: { leader: 1_700_000_000_000 } },
];

/** Were a TypeError at the start of a member, or the term of an office. */
const found = [
  { name: "a" },
  { name: "a", terms: null },
  { name: "a", terms: { leader: "7" } },
  { name: "a", terms: {}, tokens: 5 },
];

/** A file with the right checksum: of a damaged one little more would be read. */
function stateFile(payload: Uint8Array): Buffer {
  const head = Buffer.alloc(5, 1);
  head.writeUInt32BE(crc32(payload), 1);
  return Buffer.concat([head, payload]);
}

/** How null is encoded: nothing was saved yet. */
const [NULL] = encode(null);

const machine = group();
const params = groupParams({ name: "a", profile: "local", offices: ["leader", "shards:2"] });
const self = { id: null, initiator: true, candidate: false, n: null, highest: null, election: null };
/** The first byte says whether the rest is a whole file, or what a file holds. */
export const target: Target = {
  longest: 300,
  seeds: [
    ...samples.map((saved) => Uint8Array.from([0, ...stateFile(encode(saved))])),
    ...[...samples, ...found].map((saved) => Uint8Array.from([1, ...encode(saved)])),
  ],
  run(input) {
    const rest = Buffer.from(input.subarray(1));
    try {
      const saved = savedIn(input[0] === 0 ? rest : stateFile(rest), "a.state") as Saved | null;
      const state = machine.init(params, { ...self, life: 1, role: "member", seeds: [] }, saved, context);
      if (saved === null) {
        if (rest.at(-1) !== NULL) throw new Error("it is taken for empty");
      } else if (!isDeepStrictEqual(machine.saved!(state), saved)) throw new Error("something in it is forgotten");
    } catch (error) {
      if (!(error instanceof InputError) && !(error instanceof Malformed)) throw error;
    }
  },
};
