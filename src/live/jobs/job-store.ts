/** Asks the lease store about jobs, again and again until it answers: a request that was carried out twice does no harm. */
import type { LeaseAnswer, LeaseRequest } from "../../protocols/lease/messages.ts";
import type { Peer } from "../group/peers.ts";
import type { Cancel, World } from "../world.ts";

export type RecordAnswer = Extract<LeaseAnswer, { kind: "record" }>;
type Unnumbered<R> = R extends { kind: "begin" | "finish" | "recall" } ? Omit<R, "id" | "life"> : never;

export interface JobStoreSetup {
  readonly world: Pick<World, "set">;
  readonly engine: Peer;
  /** Milliseconds after which a request counts as lost. */
  readonly requestTimeout: number;
}

export class JobStore {
  private readonly setup: JobStoreSetup;
  private ids = 0;

  constructor(setup: JobStoreSetup) {
    this.setup = setup;
  }

  /** Null where the signal fires before there is an answer. */
  async ask(asked: Unnumbered<LeaseRequest>, signal: AbortSignal): Promise<RecordAnswer | null> {
    while (!signal.aborted) {
      const answer = await this.once({ ...asked, id: ++this.ids, life: 0 } as LeaseRequest);
      if (answer?.kind === "record") return answer;
      await pauseUnless(this.setup.world, this.setup.requestTimeout, signal);
    }
    return null;
  }

  private once(request: LeaseRequest): Promise<LeaseAnswer | null> {
    const { world, engine, requestTimeout } = this.setup;
    return new Promise((resolve) => {
      const cancel = world.set(requestTimeout, () => resolve(null));
      engine.ask(request, (message) => {
        cancel();
        resolve(message as LeaseAnswer);
      });
    });
  }
}

/** So many milliseconds, or until the signal fires. */
export function pauseUnless(world: Pick<World, "set">, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let cancel: Cancel = () => {};
    const over = () => {
      cancel();
      signal.removeEventListener("abort", over);
      resolve();
    };
    cancel = world.set(ms, over);
    signal.addEventListener("abort", over);
    if (signal.aborted) over();
  });
}
