/** Elections in whole groups cost what the theory of their protocol says: within a fifth, loss and retries included. */
import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { runGroup } from "../../../test/support/group-run.ts";
import { resolveParameters } from "../../protocols/parameters.ts";
import { findProtocol } from "../../protocols/registry.ts";
import { predict } from "../../registry/all.ts";
import { group } from "../group.ts";
import type { ElectionSetting, GroupMessage } from "../talk/messages.ts";

/** Counts what children say, also where it is lost on the way, and keeps the latest setting. */
function counting() {
  const inner = group();
  const count = { messages: 0, setting: null as ElectionSetting | null };
  const protocol = {
    ...inner,
    receive(...[state, port, message, ctx]: Parameters<typeof inner.receive>) {
      inner.receive(state, port, message, watched(ctx));
    },
    expire(...[state, timer, ctx]: Parameters<NonNullable<typeof inner.expire>>) {
      inner.expire!(state, timer, watched(ctx));
    },
  };
  const watched = (ctx: Parameters<typeof inner.receive>[3]): typeof ctx =>
    new Proxy(ctx, {
      get(target, name) {
        const own = Reflect.get(target, name);
        if (name !== "send") return typeof own === "function" ? own.bind(target) : own;
        return (port: number, message: GroupMessage) => {
          if ("kind" in message && message.kind === "child") {
            count.messages++;
            count.setting = message.setting;
          }
          target.send(port, message);
        };
      },
    });
  return { protocol, count };
}

/** Of one candidate, among this many. */
function predicted({ protocol, params, loss }: ElectionSetting, n: number): number {
  const whole = resolveParameters(findProtocol(protocol).protocol, { ...params, candidates: n }, n);
  return predict({ protocol, n, params: whole, initiators: 1, loss, multicastLoss: loss, crash: 0 })!.messages!;
}

test.each([
  { n: 10, loss: 0 },
  { n: 10, loss: 0.02 },
  { n: 100, loss: 0 },
  { n: effort(50, 300), loss: 0.02 },
])("after crashes of the holder, $n members, loss $loss", ({ n, loss }) => {
  const { protocol, count } = counting();
  const members = runGroup({ n, protocol: protocol as never, until: 120_000, faults: { loss } });
  members.settle(60_000);
  members.pass(5000);
  let theory = 0;
  count.messages = 0;
  for (let left = n - 1; left > n - 4; left--) {
    members.run.inject({ crash: members.agreed()! });
    members.pass(1);
    members.settle(30_000);
    members.pass(3000);
    theory += predicted({ ...count.setting!, loss }, left);
  }
  expect(count.messages / theory).toBeLessThan(1.2);
  expect(count.messages / theory).toBeGreaterThan(0.9);
});
