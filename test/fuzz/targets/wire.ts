/** Bytes of strangers: the decoder refuses them as malformed, or they are the one encoding of what they mean. */
import { readBody, readDatagramHead } from "../../../src/live/net/datagram.ts";
import { readOrNull } from "../../../src/wire/bytes.ts";
import { decodeAll, encode, encodedSize } from "../../../src/wire/codec.ts";
import type { Target } from "../loop.ts";

const samples: readonly unknown[] = [
  { kind: "members", message: { from: 2 ** 40, to: "10.0.0.1:7001", rumours: [["a", 3, -1, null, true, 1.5]] } },
  [2n ** 64n, -(2n ** 70n), Number.NaN, -0, undefined, "é\u{1f600}", "x".repeat(70), { constructor: [] }],
  [[[[[0, 23, 24, 255, 256, 65535, 65536, 2 ** 32, 2 ** 53 - 1, -(2 ** 53) + 1]]]]],
];

/** A body of a datagram in front of messages, with IPv4 and an echo. */
const body = Uint8Array.from([4, 10, 0, 0, 1, 27, 89, 1, 2, 3, 4]);

export const target: Target = {
  longest: 1400,
  seeds: [...samples.map(encode), Uint8Array.from([...body, ...encode(samples[0])])],
  run(input) {
    const values = readOrNull(() => decodeAll(input));
    if (values !== null) {
      const again = values.map(encode);
      if (!Buffer.concat(again).equals(input)) throw new Error("it is not the one encoding of what it means");
      if (values.some((value, i) => encodedSize(value) !== again[i].length)) throw new Error("its size is another one");
    }
    readOrNull(() => readBody(input));
    readDatagramHead(input);
  },
};
