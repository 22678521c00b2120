/** Flight records: a damaged or forged file is read as far as it goes, or refused in words. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "../../../src/errors.ts";
import { FILE_HEAD, fileHead, frame, geometryIn, readFrame, slotAt } from "../../../src/flight/format.ts";
import { replayFlight } from "../../../src/flight/replay.ts";
import { failOver } from "../../flight/recorded-group.ts";
import type { Target } from "../loop.ts";

const SLOT = 4096;

/** The frames of a record's first slot, without heads and checksums: two bytes of length, then the payload. */
function framesOf(bytes: Uint8Array): Uint8Array {
  const geometry = geometryIn(bytes)!;
  const slot = bytes.subarray(slotAt(geometry, 0), slotAt(geometry, 1));
  const parts: Uint8Array[] = [];
  let at = 0;
  for (let length = 0; ; ) {
    const next = readFrame(slot, at, null);
    if (typeof next === "string" || length + next.payload.length > SLOT / 2) break;
    parts.push(Uint8Array.from([next.payload.length >> 8, next.payload.length & 255]), next.payload);
    length += next.payload.length;
    at = next.end;
  }
  return Buffer.concat(parts);
}

/** A record with right checksums around what the input says. */
function recordOf(input: Uint8Array): Uint8Array {
  const slots = new Uint8Array(2 * SLOT);
  let to = 0;
  for (let at = 0; at + 2 <= input.length; ) {
    const length = (input[at] << 8) | input[at + 1];
    const framed = frame(1, input.subarray(at + 2, at + 2 + length));
    if (to + framed.length > SLOT) break;
    slots.set(framed, to);
    to += framed.length;
    at += 2 + length;
  }
  return Buffer.concat([fileHead({ slotBytes: SLOT, slots: 2 }), slots]);
}

function seeds(): Uint8Array[] {
  const folder = mkdtempSync(join(tmpdir(), "sortition-fuzz-"));
  const records = failOver(folder).map(({ bytes }) => bytes);
  rmSync(folder, { recursive: true });
  return [
    ...records.map((bytes) => Uint8Array.from([1, ...framesOf(bytes)])),
    Uint8Array.from([0, ...records[0].subarray(0, FILE_HEAD + 600)]),
  ];
}

/** The first byte says whether the rest is a whole file, or frames of one. */
export const target: Target = {
  longest: 3000,
  seeds: seeds(),
  run(input) {
    const bytes = input[0] === 0 ? input.subarray(1) : recordOf(input.subarray(1));
    try {
      replayFlight([{ name: "record", bytes }]);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
  },
};
