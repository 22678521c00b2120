/** The page's side of the worker: a request, and its answers as they come. */
import { isOwnPage } from "../shell/own.ts";
import workerUrl from "../worker/main.ts?worker&url";
import type { Answer, Asked, Listed, ListedSetting, Said } from "./types.ts";

/** On the page for protocols of the reader's own the worker is under that page's policy, which its file alone would not be. */
function newWorker(): Worker {
  if (!isOwnPage) return new Worker(workerUrl, { type: "module" });
  const source = `import ${JSON.stringify(new URL(workerUrl, document.baseURI).href)};`;
  return new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), { type: "module" });
}

type Hears = (answer: Answer, isLast: boolean) => void;

interface Waiting {
  readonly asked: Asked;
  readonly hears: Hears;
  readonly late: ReturnType<typeof setTimeout>;
  /** Whether it has been told anything yet. */
  hasHeard: boolean;
}

/** A worker that has not heard of a cancellation after so many milliseconds is in a step that cannot be cut: it is ended. */
const DEAF = 100;
/** Nothing takes longer; what has a budget of its own ends by itself, unless it is in such a step. */
const LONGEST = 120_000;
/** So many runs are known again to a new worker, the latest ones; the old one has kept no more. */
const MOST_RUNS = 4;

export class Client {
  catalogue: readonly Listed[] = [];
  settings: readonly ListedSetting[] = [];
  version = "";
  /** Told when the worker has failed for good. */
  onFailure: ((text: string) => void) | null = null;
  private worker: Worker;
  private next = 1;
  private readonly waiting = new Map<number, Waiting>();
  private ready: Promise<void>;
  /** How the latest runs were opened, by their numbers, and whether this worker knows of them. */
  private readonly runs = new Map<number, { readonly asked: Asked; isKnown: boolean }>();

  private readonly own: { readonly name: string; readonly text: string }[] = [];

  constructor() {
    [this.worker, this.ready] = this.start();
  }

  private start(): [Worker, Promise<void>] {
    const worker = newWorker();
    // A worker that takes the place of another one knows nothing of the files that were opened.
    for (const { name, text } of this.own) worker.postMessage({ op: "own", name, text, id: this.next++ });
    const ready = new Promise<void>((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<Said>) => {
        if ("version" in data) {
          // A worker that takes the place of another one has not loaded the files that were opened, which are in the list already.
          if (this.catalogue.length === 0) this.catalogue = data.catalogue;
          this.settings = data.settings;
          this.version = data.version;
          resolve();
          return;
        }
        const { id, last, ...answer } = data;
        const waiting = this.waiting.get(id);
        if (waiting === undefined) return;
        waiting.hasHeard = true;
        if (last) this.forget(id);
        waiting.hears(answer as Answer, last);
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

  /** After a failure: a new worker, and nobody waits for anything of the old one. */
  restart(): Promise<void> {
    const hearers = [...this.waiting.keys()].map((id) => this.forget(id));
    this.replace();
    for (const hears of hearers) hears?.(STOPPED, true);
    return this.ready;
  }

  /** The names of the protocols in a file of the reader's own, or why there are none. */
  async openOwn(name: string, text: string): Promise<readonly string[] | string> {
    await this.ready;
    const { answer } = await this.once({ op: "own", name, text });
    if (answer.kind !== "own") return answer.kind === "failed" ? answer.problems.map((one) => one.text).join(" ") : "";
    this.catalogue = answer.catalogue;
    this.own.push({ name, text });
    return answer.names;
  }

  /** Asks; `hears` gets each answer. Returns the number of the request, which is also that of the run it opens. */
  ask(asked: Asked, hears: Hears): number {
    const id = this.next++;
    const budget = "budget" in asked ? asked.budget + 1_000 : LONGEST;
    this.waiting.set(id, { asked, hears, late: setTimeout(() => this.stop(id), budget), hasHeard: false });
    if (asked.op === "open") {
      this.runs.set(id, { asked, isKnown: true });
      for (const old of [...this.runs.keys()].slice(0, -MOST_RUNS)) this.runs.delete(old);
    }
    this.post(id, asked);
    return id;
  }

  private post(id: number, asked: Asked): void {
    const run = "run" in asked ? this.runs.get(asked.run) : undefined;
    if (run?.isKnown === false && "run" in asked) {
      run.isKnown = true;
      this.worker.postMessage({ ...run.asked, id: asked.run });
    }
    this.worker.postMessage({ ...asked, id });
  }

  /** For requests with one answer. */
  once(asked: Asked): Promise<{ readonly id: number; readonly answer: Answer }> {
    return new Promise((resolve) => {
      const id: number = this.ask(asked, (answer, isLast) => isLast && resolve({ id, answer }));
    });
  }

  /** Nobody wants to hear of it any more. */
  cancel(of: number): void {
    this.forget(of);
    this.stop(of);
  }

  private forget(id: number): Hears | undefined {
    const waiting = this.waiting.get(id);
    clearTimeout(waiting?.late);
    this.waiting.delete(id);
    return waiting?.hears;
  }

  /** As `cancel`, but what has come of it so far is still to be told. */
  stop(of: number): void {
    const { worker } = this;
    void this.ready.then(() => {
      if (worker !== this.worker) return this.stop(of);
      const deaf = setTimeout(() => {
        if (worker === this.worker) this.renew(of);
      }, DEAF);
      this.ask({ op: "cancel", of }, () => clearTimeout(deaf));
    });
  }

  /** Ends the worker for the sake of one request; the others are asked anew. */
  private renew(of: number): void {
    this.replace();
    const waiting = [...this.waiting];
    const cancelled = new Set([of, ...waiting.flatMap(([, { asked }]) => (asked.op === "cancel" ? [asked.of] : []))]);
    for (const [id, { asked, hasHeard }] of waiting) {
      if (asked.op === "cancel") this.forget(id)?.({ kind: "heard" }, true);
      // Events must not be told twice. A run that was asked for after the cancellation has been told none. A sweep tells all of it each time.
      else if (cancelled.has(id) || (hasHeard && asked.op !== "sweep")) this.forget(id)?.(STOPPED, true);
      else this.post(id, asked);
    }
  }

  private replace(): void {
    this.worker.terminate();
    for (const run of this.runs.values()) run.isKnown = false;
    [this.worker, this.ready] = this.start();
  }
}

const STOPPED: Answer = { kind: "failed", problems: [{ field: "", text: "It was stopped here.", used: "" }] };
