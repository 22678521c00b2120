/** Threads that search the cases of an exploration, several at a time. */
import { setTimeout } from "node:timers/promises";
import { Piscina } from "piscina";
import { isRefused, type Refused, thrown } from "../../../campaign/refusal.ts";
import type { Errand, SearchAnswer, SearchCrew, SearchOrder } from "../../../explorer/search/crew.ts";
import { FEW_CONFIGURATIONS } from "../../../explorer/search/search.ts";
import { programUrl } from "../../../package-files.ts";
import { DRAWS, type Exploring, PAUSES, type SearchTask, STATES, STOP } from "./explore-worker.ts";

/** Milliseconds between two looks at a case that goes on. */
const LOOK = 50;
const FIELDS = 4;

export class Threads implements SearchCrew {
  readonly hands: number;
  readonly after = FEW_CONFIGURATIONS;
  private readonly exploring: Exploring;
  /** Started when there is something to do: most explorations are over before. */
  private piscina: Piscina<SearchTask, SearchAnswer | Refused> | null = null;
  private closed = false;
  /** Of a thread, and of no case. */
  private failure: Error | null = null;

  constructor(threads: number, exploring: Exploring) {
    this.hands = threads;
    this.exploring = exploring;
  }

  send(order: SearchOrder): Errand {
    this.piscina ??= this.start();
    const shared = new Int32Array(new SharedArrayBuffer(FIELDS * Int32Array.BYTES_PER_ELEMENT));
    let answer: SearchAnswer | Refused | null = null;
    let failure: unknown = null;
    const end = this.piscina.run({ ...this.exploring, order, shared }).then(
      (found) => {
        answer = found;
      },
      (error) => {
        if (!this.closed) failure = error;
      },
    );
    return {
      far: () => ({
        pauses: Atomics.load(shared, PAUSES),
        states: Atomics.load(shared, STATES),
        draws: Atomics.load(shared, DRAWS) === 1,
      }),
      answer: () => {
        if ((failure ?? this.failure) !== null) throw failure ?? this.failure;
        if (answer !== null && isRefused(answer)) throw thrown(answer);
        return answer;
      },
      wait: () => Promise.race([end, setTimeout(LOOK)]),
      stop: () => void Atomics.store(shared, STOP, 1),
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.piscina?.destroy();
  }

  private start(): Piscina<SearchTask, SearchAnswer | Refused> {
    const threads = { minThreads: this.hands, maxThreads: this.hands };
    const piscina = new Piscina<SearchTask, SearchAnswer | Refused>({
      filename: programUrl("explore-thread").href,
      ...threads,
    });
    // A result that arrives while the threads are being ended is an error to Piscina.
    piscina.on("error", (error) => {
      if (!this.closed) this.failure = error;
    });
    return piscina;
  }
}
