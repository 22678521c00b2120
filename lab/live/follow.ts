/**
 * Keeps the agent's event stream open. If the stream ends, fails or is silent, it is opened again, each time after a longer wait, and
 * goes on with the event after the last one received.
 */
import type { AgentClient, AgentEvent } from "../../src/api/client.ts";
import { Asleep, isNoAgent, isShut } from "./failures.ts";
import { takeTurn, whenHidden, whenSeen } from "./sharing.ts";

/** How the page learns of events: by a stream from its beginning, by a stream that goes on where the last one ended, or by polling. */
export type Manner = "stream" | "resumed" | "asking";

export interface Follower {
  /** The agent has answered. */
  opened(manner: Manner): void;
  /** Something was received, perhaps only a heart-beat. */
  heard(): void;
  told(event: AgentEvent): void;
  /** The connection is lost. `retryMs`: the wait before the next try; null: there is none until `again` is called. */
  lost(why: unknown, retryMs: number | null): void;
}

interface Means {
  /** Ends early with a signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Whether this page may keep a connection until the signal fires: a browser has few for each host. */
  turn(signal: AbortSignal): Promise<boolean>;
  /** Resolve when the page becomes visible, and when it becomes hidden. */
  seen(signal: AbortSignal): Promise<void>;
  hidden(signal: AbortSignal): Promise<void>;
}

/** For the client. Heart-beats come every 10 s. */
export const SILENCE = 15_000;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;
/** After a stream that has lasted this long, the waits begin anew. */
const STEADY = 5000;
/** Between two tries to get a stream, while other pages have all of them. */
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

  /** For a caller that has found the connection broken: ends this stream, and opens another. */
  interrupt(): void {
    this.stream.abort(new Error("The agent does not answer."));
  }

  /** Tries again at once. */
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
      // On a first visit, all events that the agent keeps: a fail-over of a minute ago, for example.
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

  /** Waits until this page may have a stream. Until then the page polls. */
  private async awaitTurn(signal: AbortSignal): Promise<void> {
    for (let isFirst = true; !(await this.means.turn(signal)); isFirst = false) {
      if (isFirst) {
        // Throws if there is no agent.
        await this.agent.get("/v1/self", { signal });
        this.to.opened("asking");
      }
      await this.means.wait(TURN, signal);
      signal.throwIfAborted();
    }
  }
}
