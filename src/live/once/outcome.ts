/** What one member has to say at the end of an election: plain data, printed by the command line as JSON. */
import type { Id, Verdict } from "../../protocol.ts";
import type { Counters, DatagramKind, DropReason } from "../net/counters.ts";
import type { StallReport } from "../stalls.ts";

/** What one member knows at the end of an election, and what it cost. */
export interface MemberOutcome {
  readonly protocol: string;
  readonly election: string;
  readonly self: Id;
  readonly members: number;
  /** Of how many others anything came in this election. */
  readonly heard: number;
  readonly status: Verdict["status"];
  /** Null where the member does not know, or where the protocol names nobody. */
  readonly leader: Id | null;
  readonly term: number;
  /** Why there is no verdict, or why it says nothing about the group; null where there is one. */
  readonly reason: string | null;
  /** From the common start to this member's verdict; null without one. */
  readonly seconds: number | null;
  /** Messages of the protocol that this member sent, as in simulation, and their size by the protocol's own measure. */
  readonly messages: number;
  readonly bits: number;
  readonly measures: Readonly<Record<string, number>>;
  /** What they became on the network: bytes of all datagrams, datagrams by what they carry. */
  readonly bytes: number;
  readonly datagrams: Readonly<Record<DatagramKind, number>> & { readonly received: number };
  readonly drops: Readonly<Partial<Record<DropReason, number>>>;
  readonly stalls: StallReport;
}

/** The counters at one moment, to tell one election's part from what came before on the same endpoint. */
export interface Snapshot {
  readonly bytes: number;
  readonly datagrams: MemberOutcome["datagrams"];
  readonly drops: MemberOutcome["drops"];
}

export function snapshot({ bytesSent, sent, received, drops }: Counters): Snapshot {
  return { bytes: bytesSent, datagrams: { ...sent, received }, drops: { ...drops } };
}

export function since(before: Snapshot, now: Snapshot): Snapshot {
  return {
    bytes: now.bytes - before.bytes,
    datagrams: difference(before.datagrams, now.datagrams),
    drops: Object.fromEntries(Object.entries(difference(before.drops, now.drops)).filter(([, count]) => count > 0)),
  };
}

function difference<R extends object>(before: R, now: R): R {
  const counts = Object.entries(now).map(([name, count]) => [
    name,
    count - ((before as Record<string, number>)[name] ?? 0),
  ]);
  return Object.fromEntries(counts) as R;
}
