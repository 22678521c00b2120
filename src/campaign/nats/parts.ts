/** What is larger than a message of this server may be goes in parts, each under a name of its own. */
import type { MsgHdrs } from "@nats-io/transport-node";
import type { Nats } from "./connect.ts";

/** Of the whole: what two workers have stored in parts of other lengths is not mistaken for one. */
const BYTES = "Sortition-Bytes";
/** For headers. */
const ROOM = 512;
const LEAST = 1024;

/** The name of a part; whoever finds the first finds the others, since it is stored last. */
export type NameOf = (part: number) => string;

export async function storeParts(
  nats: Pick<Nats, "nc" | "js" | "packages">,
  nameOf: NameOf,
  bytes: Uint8Array,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const pieces = inParts(nats, bytes);
  for (let part = pieces.length - 1; part >= 0; part--) {
    const headers = nats.packages.headers();
    for (const [name, value] of Object.entries({ ...more, [BYTES]: String(bytes.length) })) headers.set(name, value);
    await nats.js.publish(nameOf(part), pieces[part], { headers });
  }
}

/** Null where it is not there, or where its parts do not belong together. */
export async function fetchParts(
  { jsm }: Pick<Nats, "jsm">,
  stream: string,
  nameOf: NameOf,
): Promise<{ readonly bytes: Uint8Array; readonly header: MsgHdrs } | null> {
  const pieces: Uint8Array[] = [];
  for (let length = 0; ; ) {
    const message = await jsm.streams.getMessage(stream, { last_by_subj: nameOf(pieces.length) });
    if (message === null) return null;
    const header = message.header as MsgHdrs;
    const whole = Number(header.get(BYTES));
    pieces.push(message.data);
    length += message.data.length;
    if (length === whole) return { bytes: Buffer.concat(pieces), header };
    if (!(length < whole) || message.data.length === 0) return null;
  }
}

/** As long as the server's limit is the same, the same bytes have the same parts. */
function inParts({ nc }: Pick<Nats, "nc">, bytes: Uint8Array): Uint8Array[] {
  if (nc.info === undefined) throw new Error("disconnected: how large a message may be is not known");
  const limit = nc.info.max_payload;
  if (limit < LEAST) throw new Error(`its max_payload of ${limit} bytes is too small: set it to ${LEAST} at least`);
  const length = limit - ROOM;
  const parts = Math.max(1, Math.ceil(bytes.length / length));
  return Array.from({ length: parts }, (_, part) => bytes.subarray(part * length, (part + 1) * length));
}
