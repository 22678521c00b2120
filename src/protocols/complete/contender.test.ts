import { beforeEach, describe, expect, test } from "vitest";
import { Recorder } from "../../../test/support/recorder.ts";
import { countAnswer, outOfPatience, requestMediators } from "./contender.ts";
import type { SecondPhaseMessage, SecondPhaseParams, SecondPhaseTimer } from "./second-phase.ts";
import { type TimedMember, timedMember } from "./timed-member.ts";

const base: SecondPhaseParams = { estimate: 1, gamma: 0, s: 3, ask: 3, tau: 2, reading: "repaired", spread: 0 };

let ctx: Recorder<SecondPhaseMessage, SecondPhaseTimer>;
let member: TimedMember;

function enter(params: SecondPhaseParams): void {
  ctx = new Recorder(9);
  ctx.sampled = [4, 5, 6];
  member = timedMember(1, 10, 1);
  member.standing = "contends";
  requestMediators(member, 1, params, ctx);
}

beforeEach(() => enter(base));

describe("Table 5", () => {
  test("row 1: requests, and waits 8 tau (5 tau as printed)", () => {
    expect(ctx.take()).toEqual(["REQ>4", "REQ>5", "REQ>6"]);
    expect(ctx.timers.get("answers")).toBe(16);
    enter({ ...base, reading: "tables" });
    expect(ctx.timers.get("answers")).toBe(10);
  });

  test("rows 2, 3 and 5: all agree, nobody objects for 2 tau, it leads", () => {
    ctx.take();
    countAnswer(member, 5, "ACK", base, ctx);
    countAnswer(member, 4, "ACK", base, ctx);
    expect(ctx.take()).toEqual([]);
    countAnswer(member, 6, "ACK", base, ctx);
    expect(ctx.take()).toEqual(["POTW>5", "POTW>4", "POTW>6"]);
    expect(ctx.timers.get("answers")).toBe(4);
    outOfPatience(member, base, ctx);
    expect(member.standing).toBe("leads");
  });

  test.each(["S1", "S2"])("row 4: a refusal in %s ends the claim; the refusing mediator needs no DEC", (state) => {
    if (state === "S2") for (const port of [4, 5, 6]) countAnswer(member, port, "ACK", base, ctx);
    ctx.take();
    countAnswer(member, 5, "NAK", base, ctx);
    expect(ctx.take()).toEqual(["DEC>4", "DEC>6"]);
    expect(member.standing).toBe("lost");
    expect(ctx.timers.size).toBe(0);
    countAnswer(member, 6, "NAK", base, ctx);
    countAnswer(member, 4, "ACK", base, ctx);
    expect(ctx.take()).toEqual([]);
    expect(ctx.measured.refused).toBe(1);
  });

  test("row 4 as printed declines at all mediators", () => {
    const printed = { ...base, reading: "tables" } as const;
    enter(printed);
    ctx.take();
    countAnswer(member, 5, "NAK", printed, ctx);
    expect(ctx.take()).toEqual(["DEC>4", "DEC>5", "DEC>6"]);
  });
});

describe("missing answers", () => {
  test("fewer than s positive ones end the claim", () => {
    countAnswer(member, 4, "ACK", base, ctx);
    ctx.take();
    outOfPatience(member, base, ctx);
    expect(ctx.take()).toEqual(["DEC>4", "DEC>5", "DEC>6"]);
    expect(member.standing).toBe("lost");
    expect(ctx.measured.unanswered).toBe(1);
  });

  test("s positive ones suffice once patience is over, and only those are told", () => {
    const spare = { ...base, s: 2 };
    enter(spare);
    countAnswer(member, 6, "ACK", spare, ctx);
    countAnswer(member, 4, "ACK", spare, ctx);
    ctx.take();
    outOfPatience(member, spare, ctx);
    expect(ctx.take()).toEqual(["POTW>6", "POTW>4"]);
    countAnswer(member, 5, "ACK", spare, ctx);
    outOfPatience(member, spare, ctx);
    expect(member.standing).toBe("leads");
  });
});
