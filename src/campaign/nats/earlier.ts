/** A campaign whose submitter has ended: what is known of it. */
import { InputError } from "../../errors.ts";
import type { Nats } from "./connect.ts";
import { ORDERS, orderSubject, RESULTS, removeCampaign, removeChunks, SAID } from "./subjects.ts";

/** Of each stored chunk how many trials it has, by the first of them. */
export type StoredChunks = ReadonlyMap<number, number>;

/** Milliseconds in which a submitter that lives says so. */
const ALIVE_WITHIN = 1000;

export async function earlierOf(nats: Nats, identity: string): Promise<{ id: string; known: StoredChunks } | null> {
  const { jsm } = nats;
  const ids = [...(await idsIn(nats, ORDERS, orderSubject("*")))].filter((id) => id.startsWith(`${identity}-`));
  const found = await Promise.all(
    ids.map(async (id) => {
      const message = await jsm.streams.getMessage(ORDERS, { last_by_subj: orderSubject(id) });
      return { id, at: message?.seq ?? 0 };
    }),
  );
  const [latest] = found.sort((one, other) => other.at - one.at);
  if (latest === undefined) return null;
  const { id } = latest;
  if (await lives(nats, id)) {
    throw new InputError(
      `campaign ${id} is the same, and whoever submitted it is still there: end that one first, or leave out --resume`,
    );
  }
  // What waits in the queue was cut to other lengths than it will be now.
  await removeChunks(nats, id);
  const info = await jsm.streams.info(RESULTS, { subjects_filter: `sortition.result.${id}.*.*.0` });
  const known = new Map<number, number>();
  for (const subject of Object.keys(info.state.subjects ?? {})) {
    const [first, count] = subject.split(".").slice(3).map(Number);
    known.set(first, Math.max(count, known.get(first) ?? 0));
  }
  return { id, known };
}

/** Results without an order: of a submitter that was killed while it removed a campaign. */
export async function removeOrphans(nats: Nats): Promise<void> {
  const [ordered, left] = [
    await idsIn(nats, ORDERS, orderSubject("*")),
    await idsIn(nats, RESULTS, "sortition.result.>"),
  ];
  for (const id of left) if (!ordered.has(id) && !(await lives(nats, id))) await removeCampaign(nats, id);
}

async function idsIn({ jsm }: Nats, stream: string, filter: string): Promise<Set<string>> {
  const { state } = await jsm.streams.info(stream, { subjects_filter: filter });
  return new Set(Object.keys(state.subjects ?? {}).map((subject) => subject.split(".")[2]));
}

/** Whether its order is gone and nobody waits for it: what is computed of it would lie there for nobody. */
export async function isOrderGone(nats: Nats, id: string): Promise<boolean> {
  const order = await nats.jsm.streams.getMessage(ORDERS, { last_by_subj: orderSubject(id) });
  return order === null && !(await lives(nats, id));
}

async function lives({ nc }: Nats, id: string): Promise<boolean> {
  try {
    await nc.request(SAID.alive(id), undefined, { timeout: ALIVE_WITHIN });
    return true;
  } catch {
    return false;
  }
}
