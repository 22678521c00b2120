/** What an engine hears of a group in which nothing happens, in virtual time: once a renewal interval from holders, nothing from others. */
import { runEvents } from "../../src/host/events.ts";
import { groupSetup } from "../../test/support/group-run.ts";

/** Virtual milliseconds until a group is at rest, and for which it is then listened to. */
const REST = 30_000;
const SPAN = 60_000;

export interface EngineLoad {
  readonly holders: number;
  /** Of those who lead, and of all others. */
  readonly requests: number;
  readonly followers: number;
}

export function engineRequests(n: number, ttl: number): EngineLoad {
  const holders = new Set<number>();
  const load = { requests: 0, followers: 0 };
  const setup = groupSetup({
    n,
    lease: { ttl },
    until: REST + SPAN,
    observer: {
      reported(node, _time, { status }) {
        if (status === "elected") holders.add(node);
        else holders.delete(node);
      },
      sent(_flight, from, to, _message, time) {
        if (to !== n || time < REST) return;
        if (holders.has(from)) load.requests++;
        else load.followers++;
      },
    },
  });
  runEvents(setup);
  return { holders: holders.size, ...load };
}
