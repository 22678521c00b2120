/**
 * What lies in NATS under which name. Three streams: orders (what a campaign is), chunks (a work queue) and results, which are
 * stored under their chunk's name, so that one that was computed twice is there once. Everything of a campaign can be removed by its id;
 * what a submitter that never came back has left goes after a week.
 */
import type { Chunk } from "../../statistics/chunk.ts";
import type { Nats } from "./connect.ts";

export const ORDERS = "SORTITION_ORDERS";
export const CHUNKS = "SORTITION_CHUNKS";
export const RESULTS = "SORTITION_RESULTS";

const NANO = 1e6;
const WEEK = 7 * 86_400_000;
/** Milliseconds after which a chunk without a sign of life is given to another worker. */
export const ACK_WAIT = 6000;
/** How often a chunk is given to a worker; a worker that gets it for the last time says so instead of a result. */
export const MOST_TRIES = 4;
/** The consumer of a build that no worker runs any more goes after this many milliseconds. */
const UNUSED_AFTER = 3_600_000;
/** Of the protocol, where it is one of the catalogue. */
export const CATALOGUE = "catalogue";

/** Who can run it: this build, with this code. */
export interface WorkerNeeds {
  readonly build: string;
  readonly code: string;
}

export const orderSubject = (id: string): string => `sortition.order.${id}`;
export const chunkSubject = ({ build, code }: WorkerNeeds, id: string, { first, count }: Chunk): string =>
  `sortition.chunk.${build}.${code}.${id}.${first}.${count}`;
export const resultSubject = (id: string, { first, count }: Pick<Chunk, "first" | "count">, part: number): string =>
  `sortition.result.${id}.${first}.${count}.${part}`;
export const consumerOf = ({ build, code }: WorkerNeeds): string => `${build}-${code}`;

/** Each stream is made where it is missing. When they were made tells whether a server has lost them meanwhile. */
export async function ensureStreams({ jsm, packages }: Nats): Promise<string> {
  const { RetentionPolicy, StorageType } = packages;
  const common = { storage: StorageType.File, max_age: WEEK * NANO };
  const retention = RetentionPolicy.Workqueue;
  const streams = [
    { ...common, name: ORDERS, subjects: ["sortition.order.>"], max_msgs_per_subject: 1 },
    { ...common, name: CHUNKS, subjects: ["sortition.chunk.>"], retention },
    { ...common, name: RESULTS, subjects: ["sortition.result.>"], max_msgs_per_subject: 1 },
  ];
  const made: string[] = [];
  for (const stream of streams) made.push((await jsm.streams.add(stream)).created);
  return made.join();
}

export async function streamsNow({ jsm }: Nats): Promise<string> {
  const infos = await Promise.all([ORDERS, CHUNKS, RESULTS].map((stream) => jsm.streams.info(stream)));
  return infos.map(({ created }) => created).join();
}

/** All workers that can run the same share it. */
export async function ensureConsumer({ jsm, packages }: Nats, needs: WorkerNeeds): Promise<void> {
  await jsm.consumers.add(CHUNKS, {
    durable_name: consumerOf(needs),
    filter_subject: `sortition.chunk.${needs.build}.${needs.code}.>`,
    ack_policy: packages.AckPolicy.Explicit,
    ack_wait: ACK_WAIT * NANO,
    max_deliver: MOST_TRIES + 1,
    max_ack_pending: 100_000,
    max_waiting: 20_000,
    inactive_threshold: UNUSED_AFTER * NANO,
  });
}

/** What waits or is under way; where the campaign is complete, its order and results too. */
export async function removeCampaign({ jsm }: Nats, id: string, isComplete: boolean): Promise<void> {
  await jsm.streams.purge(CHUNKS, { filter: `sortition.chunk.*.*.${id}.>` });
  if (!isComplete) return;
  await jsm.streams.purge(ORDERS, { filter: orderSubject(id) });
  await jsm.streams.purge(RESULTS, { filter: `sortition.result.${id}.>` });
}
