/** One-shot elections on the simulator and in the explorer: the machine that live members run. */
import { type AnyProtocol, type Context, type Port, SELF, type Self } from "../../src/protocol.ts";
import { defineProtocol } from "../../src/protocols/check.ts";
import { once } from "../../src/protocols/once/once.ts";
import type { Agreement, OnceParams } from "../../src/protocols/once/state.ts";
import { complete } from "../../src/topology/complete.ts";
import { ring } from "../../src/topology/ring.ts";

/** Ids 1 to n, each at the address that `addressOf` gives it. */
export function agreement(
  protocol: AnyProtocol,
  n: number,
  addressOf: (node: number) => string,
  given: Partial<Agreement> = {},
): Agreement {
  const nodes = Array.from({ length: n }, (_, node) => node);
  return {
    protocol,
    params: {},
    topology: protocol.assumes.topology === "ring" ? ring(n) : complete(n),
    ids: nodes.map((node) => node + 1),
    addresses: nodes.map(addressOf),
    election: 7,
    tau: 25,
    epidemic: false,
    ...given,
  };
}

/** On a network in which everybody is linked with everybody, where the explorer can take it: an id is an address. */
export function onGivenLinks(agreed: Agreement, params: OnceParams): AnyProtocol {
  const machine = once(agreed);
  type Ctx = Context<never, string>;
  const open = (ctx: Ctx): Ctx => {
    const address = (port: Port) => String(ctx.peer(port));
    const links = {
      address,
      link: (wanted: string) =>
        wanted === address(SELF) ? SELF : ctx.ports().find((port) => address(port) === wanted)!,
    };
    return new Proxy(ctx, {
      get(target, name) {
        const value = links[name as keyof typeof links] ?? target[name as keyof Ctx];
        return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
      },
    });
  };
  return defineProtocol({
    ...machine,
    assumes: { ...machine.assumes, topology: "complete", identity: "ids" },
    // On open networks no two processes have the same life.
    init: (_: unknown, self: Self, saved: never, ctx: Ctx) =>
      machine.init(params, { ...self, life: 10 * self.life + self.id! }, saved, open(ctx)),
    receive: (state: never, port: Port, message: never, ctx: Ctx) => machine.receive(state, port, message, open(ctx)),
    expire: (state: never, timer: string, ctx: Ctx) => machine.expire!(state, timer, open(ctx)),
    leave: (state: never, ctx: Ctx) => machine.leave!(state, open(ctx)),
  } as never) as AnyProtocol;
}
