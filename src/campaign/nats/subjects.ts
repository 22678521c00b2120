/**
 * What lies in NATS under which name. Three streams: orders (what a campaign is), chunks (a work queue) and results, which are
 * stored under their chunk's name, so that one that was computed twice is there once. Everything of a campaign can be removed by its id;
 * what a submitter that never came back has left goes after a week.
 */
import type { Chunk } from "../../statistics/chunk.ts";
import type { Nats } from "./connect.ts";
import type { NameOf } from "./parts.ts";

export const ORDERS = "SORTITION_ORDERS";
export const CHUNKS = "SORTITION_CHUNKS";
export const RESULTS = "SORTITION_RESULTS";

const NANO = 1e6;
const WEEK = 7 * 86_400_000;
/** Milliseconds after which a chunk without a sign of life is given to another worker. */
export const ACK_WAIT = 6000;
/** Nobody asks for what it holds: the consumer of a build that is no more. */
const UNUSED_AFTER = 3_600_000;
/** Requests for chunks that stand at the server, one for each thread. */
const MOST_WAITING = 20_000;
/** Of the protocol, where it is one of the catalogue. */
export const CATALOGUE = "catalogue";

/** Who can run it: this build, with this code. */
export interface WorkerNeeds {
  readonly build: string;
  readonly code: string;
}

export const orderSubject = (id: string): string => `sortition.order.${id}`;
export const chunkSubject = ({ build, code }: WorkerNeeds, id: string, first: number, count: number): string =>
  `sortition.chunk.${build}.${code}.${id}.${first}.${count}`;
export const chunkSubjects = ({ build, code }: WorkerNeeds): string => `sortition.chunk.${build}.${code}.>`;
/** In parts, the first of which stands under the campaign's name alone. */
export const orderParts =
  (id: string): NameOf =>
  (part) =>
    part === 0 ? orderSubject(id) : `${orderSubject(id)}.${part}`;
export const graphParts =
  (id: string): NameOf =>
  (part) =>
    `${orderSubject(id)}.graph.${part}`;
export const resultParts =
  (id: string, { first, count }: Pick<Chunk, "first" | "count">): NameOf =>
  (part) =>
    `sortition.result.${id}.${first}.${count}.${part}`;

/** Not kept: what is said to whoever listens now. */
export const SAID = {
  /** A campaign is under way. */
  wanted: "sortition.now.wanted",
  /** A worker is there. */
  worker: "sortition.now.worker",
  over: (id: string) => `sortition.now.over.${id}`,
  alive: (id: string) => `sortition.now.alive.${id}`,
};

export const consumerOf = ({ build, code }: WorkerNeeds): string => `${build}-${code}`;

export async function ensureStreams({ jsm, packages }: Nats): Promise<void> {
  const { RetentionPolicy, StorageType } = packages;
  const common = { storage: StorageType.File, max_age: WEEK * NANO };
  await jsm.streams.add({ ...common, name: ORDERS, subjects: ["sortition.order.>"], max_msgs_per_subject: 1 });
  await jsm.streams.add({
    ...common,
    name: CHUNKS,
    subjects: ["sortition.chunk.>"],
    retention: RetentionPolicy.Workqueue,
  });
  await jsm.streams.add({ ...common, name: RESULTS, subjects: ["sortition.result.>"], max_msgs_per_subject: 1 });
}

/** All workers that can run the same share it. */
export async function ensureConsumer({ jsm, packages }: Nats, needs: WorkerNeeds): Promise<void> {
  await jsm.consumers.add(CHUNKS, {
    durable_name: consumerOf(needs),
    filter_subject: chunkSubjects(needs),
    ack_policy: packages.AckPolicy.Explicit,
    ack_wait: ACK_WAIT * NANO,
    // Workers count the tries themselves: a server that gives up on a message tells nobody who was away.
    max_deliver: -1,
    max_ack_pending: 100_000,
    max_waiting: MOST_WAITING,
    inactive_threshold: UNUSED_AFTER * NANO,
  });
}

/** All of a campaign. Its order first: a worker that stores a result later sees that nobody wants it (see work.ts). */
export async function removeCampaign(nats: Nats, id: string): Promise<void> {
  for (const filter of [orderSubject(id), `${orderSubject(id)}.>`]) await nats.jsm.streams.purge(ORDERS, { filter });
  await removeChunks(nats, id);
  await nats.jsm.streams.purge(RESULTS, { filter: `sortition.result.${id}.>` });
}

/** What waits or is under way; the results stay for a campaign that goes on with them. */
export async function removeChunks({ jsm }: Nats, id: string): Promise<void> {
  await jsm.streams.purge(CHUNKS, { filter: `sortition.chunk.*.*.${id}.>` });
}

export async function removeResult(
  { jsm }: Nats,
  id: string,
  { first, count }: Pick<Chunk, "first" | "count">,
): Promise<void> {
  await jsm.streams.purge(RESULTS, { filter: `sortition.result.${id}.${first}.${count}.>` });
}
