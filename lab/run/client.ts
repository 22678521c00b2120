/** The page's side of the worker: a request, and its answers as they come. */
import type { Answer, Asked, Listed, Said } from "./types.ts";

export class Client {
  catalogue: readonly Listed[] = [];
  version = "";
  /** Told when the worker has failed for good. */
  onFailure: ((text: string) => void) | null = null;
  private worker: Worker;
  private next = 1;
  private hear = new Map<number, (answer: Answer, isLast: boolean) => void>();
  private ready: Promise<void>;

  constructor() {
    [this.worker, this.ready] = this.start();
  }

  private start(): [Worker, Promise<void>] {
    const worker = new Worker(new URL("../worker/main.ts", import.meta.url), { type: "module" });
    const ready = new Promise<void>((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<Said>) => {
        if ("catalogue" in data) {
          this.catalogue = data.catalogue;
          this.version = data.version;
          resolve();
          return;
        }
        const { id, last, ...answer } = data;
        const hearer = this.hear.get(id);
        if (last) this.hear.delete(id);
        hearer?.(answer as Answer, last);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        this.onFailure?.(event.message || "The worker could not be started.");
      };
    });
    return [worker, ready];
  }

  whenReady(): Promise<void> {
    return this.ready;
  }

  /** Ends whatever it is doing, for good, and starts anew: for what does not even end a chunk. */
  restart(): Promise<void> {
    this.worker.terminate();
    const waiting = [...this.hear.values()];
    this.hear.clear();
    [this.worker, this.ready] = this.start();
    for (const hearer of waiting) {
      hearer({ kind: "failed", problems: [{ field: "", text: "It was stopped.", used: "" }] }, true);
    }
    return this.ready;
  }

  /** Asks; `hears` gets each answer. Returns the number of the request, which is also that of the run it opens. */
  ask(asked: Asked, hears: (answer: Answer, isLast: boolean) => void): number {
    const id = this.next++;
    this.hear.set(id, hears);
    this.worker.postMessage({ ...asked, id });
    return id;
  }

  /** For requests with one answer. */
  once(asked: Asked): Promise<{ readonly id: number; readonly answer: Answer }> {
    return new Promise((resolve) => {
      const id: number = this.ask(asked, (answer, isLast) => isLast && resolve({ id, answer }));
    });
  }

  cancel(of: number): void {
    this.hear.delete(of);
    this.worker.postMessage({ op: "cancel", of, id: this.next++ });
  }

  /** As `cancel`, but what was counted is still to be told. */
  stop(of: number): void {
    this.worker.postMessage({ op: "cancel", of, id: this.next++ });
  }
}
