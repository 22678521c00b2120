/** What is asked of a server that may be gone for a while: again and again, until it has been done or nobody wants it any more. */
import { InputError } from "../../errors.ts";
import type { Nats } from "./connect.ts";

const PAUSE = 250;
/** Milliseconds after which an answer that has not come will not come: the client's own limits are shorter for each request. */
const ANSWER_WITHIN = 120_000;

/** Where `until` fires first its answer is undefined, in spite of its type: look at the signal after each call. */
export async function persist<T>({ troubles }: Pick<Nats, "troubles">, ask: () => Promise<T>, until: AbortSignal) {
  const asking = {};
  let began: number | null = null;
  let isDone = false;
  try {
    while (!until.aborted) {
      try {
        const answer = await unless(until, limited(ask()));
        isDone = !until.aborted;
        return answer;
      } catch (error) {
        if (!isOfTheServer(error)) throw error;
        began ??= performance.now();
        troubles.met(asking, error, performance.now() - began);
        await pause(PAUSE, until);
      }
    }
    return undefined as T;
  } finally {
    troubles.over(asking, isDone);
  }
}

/** Of a server that has lost its data, or a consumer that somebody makes anew. */
export const isForgotten = ({ name }: Error): boolean => /^(Stream|Consumer)NotFoundError$/.test(name);

/** Whatever the client of NATS throws can pass; what is wrong with a request of ours, or with our code, does not. */
const isOfTheServer = (error: unknown): error is Error =>
  error instanceof Error &&
  ![InputError, TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind);

/** What comes later is nobody's any more. */
export async function unless<T>(until: AbortSignal, asked: Promise<T>): Promise<T> {
  const over = new AbortController();
  const fired = new Promise<T>((resolve) =>
    until.addEventListener("abort", () => resolve(undefined as T), { signal: over.signal }),
  );
  try {
    return await Promise.race([asked, fired]);
  } finally {
    over.abort();
  }
}

async function limited<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("timeout: no answer")), ANSWER_WITHIN);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

export async function pause(milliseconds: number, until: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await unless(
    until,
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    }),
  );
  clearTimeout(timer);
}
