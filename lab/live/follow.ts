/**
 * Keeps a stream of events open: begins again when it ends, fails or is silent, each time after a longer wait, and from the event after
 * the last that came.
 */
import { type Api, chunks, NoAgent, Refusal } from "./api.ts";
import { EventReader, type ServerEvent } from "./events.ts";

export interface Follower {
  /** The stream is open. */
  opened(): void;
  /** Anything came, a heart-beat too. */
  heard(): void;
  told(event: ServerEvent): void;
  /** It is not, any more: why, and in how many milliseconds it is tried again; null: not before `again` is called. */
  lost(why: unknown, retryMs: number | null): void;
}

export interface Means {
  /** Ends early with a signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Heart-beats come every 10 s. */
export const SILENCE = 15_000;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;
/** A stream that has lasted so long counts as one that works. */
const STEADY = 5000;

const waits: Means = {
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};

/** `signal` ends it for good; `interrupt` (see below) ends one stream. */
export class EventFollower {
  private lastId = "";
  private stream = new AbortController();
  private pause = new AbortController();
  private readonly api: Api;
  private readonly to: Follower;
  private readonly means: Means;

  constructor(api: Api, to: Follower, means: Means = waits) {
    this.api = api;
    this.to = to;
    this.means = means;
  }

  async run(signal: AbortSignal): Promise<void> {
    let wait = FIRST_WAIT;
    while (!signal.aborted) {
      const began = Date.now();
      const why = await this.once(signal);
      if (signal.aborted) return;
      if (Date.now() - began > STEADY) wait = FIRST_WAIT;
      const isHopeless =
        why instanceof NoAgent || (why instanceof Refusal && (why.status === 401 || why.status === 403));
      this.pause = new AbortController();
      this.to.lost(why, isHopeless ? null : wait);
      await this.means.wait(isHopeless ? 2 ** 30 : wait, AbortSignal.any([signal, this.pause.signal]));
      wait = Math.min(2 * wait, LONGEST_WAIT);
    }
  }

  /** Something else has found that the connection is gone. */
  interrupt(): void {
    this.stream.abort(new Error("The agent does not answer."));
  }

  /** Without waiting any longer. */
  again(): void {
    this.pause.abort();
  }

  private async once(signal: AbortSignal): Promise<unknown> {
    this.stream = new AbortController();
    const { stream } = this;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const restart = () => {
      clearTimeout(timer);
      timer = setTimeout(() => stream.abort(new Error("The agent has been silent for too long.")), SILENCE);
    };
    try {
      restart();
      const response = await this.api.send("/v1/events", {
        accept: "text/event-stream",
        signal: AbortSignal.any([signal, stream.signal]),
        // On a first visit everything that is still known: a fail-over of a minute ago, say.
        headers: { "last-event-id": this.lastId || "0" },
      });
      this.to.opened();
      const reader = new EventReader();
      const decoder = new TextDecoder();
      for await (const chunk of chunks(response.body!)) {
        restart();
        this.to.heard();
        for (const event of reader.read(decoder.decode(chunk, { stream: true }))) {
          this.lastId = event.id;
          this.to.told(event);
        }
      }
      return new Error("The agent has ended the connection.");
    } catch (error) {
      return stream.signal.aborted ? stream.signal.reason : error;
    } finally {
      clearTimeout(timer);
      stream.abort();
    }
  }
}
