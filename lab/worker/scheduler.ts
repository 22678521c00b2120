/** Work in chunks: what is long is a generator, which the page can cancel between two chunks. */

/** The longest that the worker is deaf, in milliseconds; a single step of a generator is never cut. */
const CHUNK = 10;

export class Scheduler {
  private readonly running = new Set<number>();

  cancel(id: number): void {
    this.running.delete(id);
  }

  /**
   * Runs a generator to its end. After each chunk `chunk` hears what it has yielded meanwhile; the answer is the generator's,
   * or says that it was cancelled or its time was up.
   */
  async run<T, R>(
    id: number,
    work: Generator<T, R>,
    chunk: (yielded: T[], isLast: boolean) => void,
    budget = Infinity,
  ): Promise<{ readonly value: R } | "cancelled" | "late"> {
    this.running.add(id);
    const began = performance.now();
    try {
      for (;;) {
        const yielded: T[] = [];
        const until = performance.now() + CHUNK;
        do {
          const { done, value } = work.next();
          if (done === true) {
            chunk(yielded, true);
            return { value };
          }
          yielded.push(value);
        } while (performance.now() < until);
        chunk(yielded, false);
        await turn();
        if (!this.running.has(id)) return "cancelled";
        if (performance.now() - began > budget) return "late";
      }
    } finally {
      this.running.delete(id);
    }
  }
}

/** Lets messages of the page in. Timers would wait for 4 ms each time. */
const channel = new MessageChannel();
const waiting: (() => void)[] = [];
channel.port1.onmessage = () => waiting.shift()?.();

function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    channel.port2.postMessage(null);
  });
}
