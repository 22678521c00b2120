import { SELF } from "../../../src/protocol.ts";
import type { Bug } from "./bug.ts";

export const resignationLost: Bug = {
  name: "resignation-lost",
  mistake: "the user is told that its member has resigned, but nobody else ever is: its claim and its beats go on",
  mix: "offices",
  runs: 10,
  breaks: ["settles"],
  plant(machine) {
    return {
      ...machine,
      receive(state, port, message, ctx) {
        const resigns = port === SELF && "kind" in message && message.kind === "resign" && state.led.size > 0;
        if (!resigns) {
          machine.receive(state, port, message, ctx);
          return;
        }
        const vacant = Object.entries(state.report.offices).map(([name, seat]) => [
          name,
          seat.mine ? { ...seat, mine: false, leader: null } : seat,
        ]);
        state.report = { ...state.report, version: state.report.version + 1, offices: Object.fromEntries(vacant) };
      },
    };
  },
};
