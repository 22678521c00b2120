/**
 * Keeps a stream of events open: begins again when it ends, fails or is silent, each time after a longer wait, and from the event after
 * the last that came.
 */
import type { AgentClient, AgentEvent } from "../../src/api/client.ts";
import { Asleep, isNoAgent, isShut } from "./failures.ts";
import { takeTurn, whenHidden, whenSeen } from "./sharing.ts";

/** How what happens is learned: from the stream, from its beginning; from where it was left; or by asking again and again. */
export type Manner = "stream" | "resumed" | "asking";

export interface Follower {
  /** The agent is there. */
  opened(manner: Manner): void;
  /** Anything came, a heart-beat too. */
  heard(): void;
  told(event: AgentEvent): void;
  /** It is not, any more: why, and in how many milliseconds it is tried again; null: not before `again` is called. */
  lost(why: unknown, retryMs: number | null): void;
}

interface Means {
  /** Ends early with a signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Whether this page may keep a connection, until the signal. */
  turn(signal: AbortSignal): Promise<boolean>;
  /** Come true when somebody sees the page, and when nobody does. */
  seen(signal: AbortSignal): Promise<void>;
  hidden(signal: AbortSignal): Promise<void>;
}

/** For the client. Heart-beats come every 10 s. */
export const SILENCE = 15_000;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;
/** A stream that has lasted so long counts as one that works. */
const STEADY = 5000;
/** Between two tries to get a stream, while there are enough of them. */
const TURN = 1000;

const browser: Means = {
  turn: takeTurn,
  seen: whenSeen,
  hidden: whenHidden,
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
  private readonly agent: AgentClient;
  private readonly to: Follower;
  private readonly means: Means;

  constructor(agent: AgentClient, to: Follower, means: Means = browser) {
    this.agent = agent;
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
      if (why instanceof Asleep) {
        this.to.lost(why, null);
        await this.means.seen(signal);
        continue;
      }
      const isHopeless = isNoAgent(why) || isShut(why);
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
    const either = AbortSignal.any([signal, stream.signal]);
    void this.means.hidden(stream.signal).then(() => stream.abort(new Asleep()));
    const manner = this.lastId === "" ? "stream" : "resumed";
    let isOpen = false;
    const heard = () => {
      if (!isOpen) this.to.opened(manner);
      isOpen = true;
      this.to.heard();
    };
    try {
      await this.awaitTurn(either);
      // On a first visit everything that is still known: a fail-over of a minute ago, say.
      for await (const event of this.agent.events(either, { after: this.lastId || "0", heard })) {
        this.lastId = event.id;
        this.to.told(event);
      }
      return stream.signal.aborted ? stream.signal.reason : new Error("The agent has ended the connection.");
    } catch (error) {
      return stream.signal.aborted ? stream.signal.reason : error;
    } finally {
      stream.abort();
    }
  }

  /** Until it may stream, it lets others ask. */
  private async awaitTurn(signal: AbortSignal): Promise<void> {
    for (let isFirst = true; !(await this.means.turn(signal)); isFirst = false) {
      if (isFirst) {
        // Whether there is an agent at all.
        await this.agent.get("/v1/self", { signal });
        this.to.opened("asking");
      }
      await this.means.wait(TURN, signal);
      signal.throwIfAborted();
    }
  }
}
