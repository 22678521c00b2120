/** Messages of somebody who has the key: refused at the door, or a member goes on after them, and can save and report. */
import { isDeepStrictEqual } from "node:util";
import { type GroupMachine, group } from "../../../src/elector/group.ts";
import { isSaved } from "../../../src/elector/state.ts";
import type { GroupMessage } from "../../../src/elector/talk/messages.ts";
import { type AnyProtocol, SELF } from "../../../src/protocol.ts";
import { readOrNull } from "../../../src/wire/bytes.ts";
import { decode, encode, encodedSize } from "../../../src/wire/codec.ts";
import { runGroup } from "../../support/group-run.ts";
import { context } from "../context.ts";
import type { Target } from "../loop.ts";

/** One of each shape of messages is enough. */
const SEEDS = 40;

/** A group of four whose leader has crashed: the state of one member, and what members have said to each other. */
function scene() {
  const machine = group();
  const heard = new Map<string, Uint8Array>();
  const listening: GroupMachine = {
    ...machine,
    receive(state, port, message, ctx) {
      const shape = JSON.stringify(message)
        .replaceAll(/\d+|"m\d"/g, "")
        .slice(0, 80);
      if (port !== SELF && heard.size < SEEDS && !heard.has(shape)) heard.set(shape, encode(message));
      machine.receive(state, port, message, ctx);
    },
  };
  const run = runGroup({
    n: 4,
    params: { offices: ["leader", "shards:2", "audit:2..3"] },
    protocol: listening as AnyProtocol,
  });
  run.settle(9000);
  const [node] = run.alive().filter((each) => each !== run.agreed());
  run.run.inject({ crash: run.agreed()! });
  run.pass(3000);
  return { machine, state: structuredClone(run.run.state(node)), seeds: [...heard.values()] };
}

const { machine, state, seeds } = scene();

export const target: Target = {
  longest: 1200,
  seeds,
  run(input) {
    const message = readOrNull(() => ({ value: decode(input) }))?.value;
    if (message === undefined || !machine.accepts!(message)) return;
    const own = structuredClone(state) as Parameters<GroupMachine["receive"]>[0];
    machine.receive(own, 1, message as GroupMessage, context);
    if (!isSaved(machine.saved!(own))) throw new Error("what it saves cannot be read again");
    if (!isDeepStrictEqual(decode(encode(machine.saved!(own))), machine.saved!(own)))
      throw new Error("it saves something else");
    encodedSize(machine.report!(own).offices);
  },
};
