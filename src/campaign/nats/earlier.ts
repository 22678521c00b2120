/** A campaign whose submitter has ended: what is known of it. */
import { InputError } from "../../errors.ts";
import type { Nats } from "./connect.ts";
import { ORDERS, orderSubject, RESULTS, removeCampaign, SAID } from "./subjects.ts";

/** Of each stored chunk how many trials it has, by the first of them. */
export type Known = ReadonlyMap<number, number>;

/** Milliseconds in which a submitter that lives says so. */
const ALIVE_WITHIN = 1000;

export async function earlierOf(nats: Nats, identity: string): Promise<{ id: string; known: Known } | null> {
  const { jsm } = nats;
  const { state } = await jsm.streams.info(ORDERS, { subjects_filter: orderSubject("*") });
  const ids = Object.keys(state.subjects ?? {})
    .map((subject) => subject.split(".").at(-1)!)
    .filter((id) => id.startsWith(`${identity}-`));
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
  await removeCampaign(nats, id, false);
  const info = await jsm.streams.info(RESULTS, { subjects_filter: `sortition.result.${id}.*.*.0` });
  const known = new Map<number, number>();
  for (const subject of Object.keys(info.state.subjects ?? {})) {
    const [first, count] = subject.split(".").slice(3).map(Number);
    known.set(first, Math.max(count, known.get(first) ?? 0));
  }
  return { id, known };
}

async function lives({ nc }: Nats, id: string): Promise<boolean> {
  try {
    await nc.request(SAID.alive(id), undefined, { timeout: ALIVE_WITHIN });
    return true;
  } catch {
    return false;
  }
}
