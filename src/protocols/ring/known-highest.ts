/**
 * No election at all: everybody knows the highest id and takes its owner for the leader. The baseline that costs nothing
 * and fails with one process: if that one has crashed, nobody leads.
 *
 * S. Chakraborty, CS 60002 Distributed Systems, IIT Kharagpur, lecture T9: "If all processes know the highest ID (say, k),
 * then we do not need a leader election".
 *
 * Model: any, with ids and the highest one known. Cost: no messages.
 */
import type { Protocol } from "../../protocol.ts";
import { type Decision, ringVerdict } from "./common.ts";

export const knownHighest: Protocol<object, Decision, never> = {
  name: "known-highest",
  title: "Known highest id: no election",
  citation: "Chakraborty, CS 60002 Distributed Systems, lecture T9",
  cost: "no messages; nobody leads when the process with the highest id has crashed",
  assumes: {
    topology: "ring",
    direction: "unidirectional",
    identity: "ids",
    timing: "asynchronous",
    start: "common",
    knows: ["highest"],
    fifo: false,
    multicast: false,
    tolerates: ["loss", "pause", "partition"],
  },
  parameters: [],
  measures: {},

  init(_params, self) {
    return { status: self.id === self.highest ? "elected" : "not-elected", leader: self.highest };
  },

  receive() {},

  verdict: ringVerdict,

  bits() {
    return 0;
  },
};
