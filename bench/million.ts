/** What one election among 2^20 members costs, with every protocol's defaults and without faults: simulated, and by theory. */
import type { AnyProtocol } from "../src/protocol.ts";
import { catalogue } from "../src/protocols/catalogue.ts";
import { theoryOf } from "../src/simulation/question.ts";
import { resolve } from "../src/simulation/settings.ts";
import type { Measured } from "./measured.ts";
import { oursBeside } from "./programs.ts";
import { ownNetwork } from "./settings.ts";

export const MILLION = 2 ** 20;
/** Milliseconds of one election. */
const PATIENCE = 180_000;
/** Elections at a time: their times count for nothing. */
const BESIDE = 2;
/** More are not waited for. */
const MOST_MESSAGES = 2e9;

export interface AtMillion {
  readonly protocol: string;
  /** Null where theory is silent, or has only a bound. */
  readonly theory: { readonly messages: number | null; readonly rounds: number | null };
  readonly simulated: Measured | null;
  /** Why not, where it was not simulated. */
  readonly why: string | null;
}

/** Tells each row as it is known, and returns all in the order of the catalogue. */
export async function atMillion(tell: (row: AtMillion) => void): Promise<AtMillion[]> {
  const rows: AtMillion[] = [];
  const entries = catalogue.entries();
  const work = async () => {
    for (const [i, entry] of entries) {
      rows[i] = await one(entry);
      tell(rows[i]);
    }
  };
  await Promise.all(Array.from({ length: BESIDE }, work));
  return rows;
}

async function one(entry: AnyProtocol): Promise<AtMillion> {
  const request = { protocol: entry.name, n: MILLION, seed: 1, ...ownNetwork(entry) };
  const { messages = null, rounds = null } = theoryOf(resolve(request));
  const known = { protocol: entry.name, theory: { messages, rounds } };
  if (messages !== null && messages > MOST_MESSAGES) return { ...known, simulated: null, why: "too many messages" };
  try {
    return { ...known, simulated: await oursBeside({ request, trials: 1 }, BESIDE, PATIENCE), why: null };
  } catch (error) {
    return { ...known, simulated: null, why: (error as Error).message };
  }
}
