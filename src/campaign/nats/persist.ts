/** What is asked of a server that may be gone for a while: again and again, until it has been done or nobody wants it any more. */
const PAUSE = 250;

/** Where `until` fires first its answer is undefined, in spite of its type: look at the signal after each call. */
export async function persist<T>(ask: () => Promise<T>, until: AbortSignal): Promise<T> {
  for (;;) {
    if (until.aborted) return undefined as T;
    try {
      return await ask();
    } catch (error) {
      if (!isOfTheServer(error as Error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}

const PASSING =
  /timeout|no responders|disconnect|reconnect|connection|unavailable|draining|temporarily|consumer deleted|not enabled/i;

const isOfTheServer = ({ name, message }: Error): boolean => PASSING.test(`${name} ${message}`);

/** Of a server that has lost its data, or a consumer that somebody makes anew. */
export const isForgotten = ({ name }: Error): boolean => /^(Stream|Consumer)NotFoundError$/.test(name);
