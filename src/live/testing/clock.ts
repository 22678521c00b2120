/** What a program under test takes instead of the real clock and network: those of its own virtual process. */

import type { VirtualMachine, VirtualNetwork } from "../virtual-world.ts";
import type { Cancel } from "../world.ts";

/** Time for a program under test: it stops while its process is paused, and for good once that is killed. */
export interface TestClock {
  /** Milliseconds since 1970, in virtual time. */
  now(): number;
  /** Resolves after this many virtual milliseconds; rejects with the signal's reason where that fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A service that programs under test reach by `fetch`. */
export type TestService = (request: Request) => Response | Promise<Response>;

export function clockOf({ world }: VirtualMachine): TestClock {
  return {
    now: () => world.wall(),
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        let cancel: Cancel = () => {};
        const abort = () => {
          cancel();
          reject(signal!.reason);
        };
        signal?.addEventListener("abort", abort, { once: true });
        cancel = world.set(ms, () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        });
      }),
  };
}

interface Wire {
  readonly network: VirtualNetwork;
  readonly machine: VirtualMachine;
  /** Milliseconds that a request or an answer takes now. */
  delay(): number;
  /** The process is paused at this moment, if that was asked for: just before a request leaves, or before its answer is heard. */
  moment(what: "sending" | "answer"): void;
  /** Whether the process reaches services at all. */
  isCut(): boolean;
  /** The service at an origin, such as "http://store". */
  service(origin: string): TestService | undefined;
}

/** Requests that were sent before a pause of their process arrive all the same; answers wait for it. */
export function fetchOf({ network, machine, delay, moment, isCut, service }: Wire): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { origin } = new URL(request.url);
    const serve = service(origin);
    if (serve === undefined) throw new TypeError(`fetch failed: there is no test service at ${origin}`);
    return new Promise<Response>((resolve, reject) => {
      request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true });
      if (isCut()) return;
      const answer = (act: () => void) => {
        if (isCut()) return;
        network.at(network.now + delay(), () => {
          moment("answer");
          machine.hear(act);
        });
      };
      moment("sending");
      network.at(machine.time + delay(), () => {
        (async () => serve(request))().then(
          (response) => answer(() => resolve(response)),
          (error: unknown) => answer(() => reject(new TypeError("fetch failed", { cause: error }))),
        );
      });
    });
  };
}
