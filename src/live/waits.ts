/**
 * How long a protocol waits of its own accord, seen from outside: the longest delay of each of its timers, once each. A
 * member that gives up before those are over would call an election failed that goes as it should.
 */
import type { AnyProtocol, Context } from "../protocol.ts";
import { embed } from "../protocols/embed.ts";

type Ctx = Context<unknown, string>;

export class Waits {
  private readonly longest = new Map<string, number>();

  /** In the protocol's unit of time, which is a round of a synchronous one. */
  get total(): number {
    return [...this.longest.values()].reduce((sum, delay) => sum + delay, 0);
  }

  /** The protocol as it is, and what it arms is noted. */
  watch(protocol: AnyProtocol): AnyProtocol {
    const { endRound, expire } = protocol;
    return {
      ...protocol,
      init: (params, self, saved, ctx) => protocol.init(params, self, saved, this.noting(protocol, ctx)),
      receive: (state, port, message, ctx) => protocol.receive(state, port, message, this.noting(protocol, ctx)),
      ...(expire && { expire: (state, timer, ctx) => protocol.expire!(state, timer, this.noting(protocol, ctx)) }),
      ...(endRound && {
        endRound: (state, round, ctx) => protocol.endRound!(state, round, this.noting(protocol, ctx)),
      }),
    };
  }

  private noting(child: AnyProtocol, ctx: Ctx): Ctx {
    const note = (timer: string, delay: number) => {
      // Numbered timers are one: "try 1", "try 2" and so on would put the end off for ever.
      const kind = timer.replace(/\d+/g, "#");
      if (delay > (this.longest.get(kind) ?? 0)) this.longest.set(kind, delay);
    };
    return embed(child, ctx, {
      name: child.name,
      measures: "own",
      wrap: (message) => message,
      timers: {
        arm(timer, min, max = min) {
          note(timer, max);
          ctx.arm(timer, min, max);
        },
        deadline(timer, after) {
          note(timer, after);
          ctx.deadline(timer, after);
        },
        disarm: (timer) => ctx.disarm(timer),
      },
    });
  }
}
