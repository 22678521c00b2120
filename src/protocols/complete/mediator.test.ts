import { beforeEach, describe, expect, test } from "vitest";
import { Recorder } from "../../../test/support/recorder.ts";
import { idleMediator, type Mediator, onDecline, onHoldEnd, onPotentialWinner, onRequest } from "./mediator.ts";
import type { SecondPhaseMessage, SecondPhaseParams, SecondPhaseTimer } from "./second-phase.ts";

const params = (more: Partial<SecondPhaseParams> = {}): SecondPhaseParams => ({
  estimate: 1,
  gamma: 0,
  s: 2,
  ask: 2,
  tau: 1,
  reading: "repaired",
  spread: 0,
  ...more,
});

/** Contender p is behind port p; its rank is p, so larger ports beat smaller ones. */
const asker = (port: number) => ({ port, rank: { high: port, low: 0, id: port } });

let ctx: Recorder<SecondPhaseMessage, SecondPhaseTimer>;
let mediator: Mediator;
let p: SecondPhaseParams;

const request = (port: number) => onRequest(mediator, asker(port), p, ctx);
const claims = (port: number) => onPotentialWinner(mediator, port, p, ctx);
const declines = (port: number) => onDecline(mediator, port, p, ctx);
const holdEnds = () => onHoldEnd(mediator, p, ctx);
const now = () => [mediator.state, mediator.curr?.port ?? null, mediator.wait?.port ?? null, ctx.take().join(" ")];

beforeEach(() => {
  ctx = new Recorder(9);
  mediator = idleMediator();
  p = params();
});

describe.each(["repaired", "printed"] as const)("rows that both readings share, %s", (reading) => {
  beforeEach(() => {
    p = params({ reading });
    request(5);
    expect(now()).toEqual(["safe", 5, null, "ACK>5"]); // row 1, with the ACK of the prose
    expect(ctx.timers.get("hold")).toBe(3);
  });

  test("row 2: safe refuses smaller ranks and lets the largest of the others wait", () => {
    request(3);
    expect(now()).toEqual(["safe", 5, null, "NAK>3"]);
    request(7);
    expect(now()).toEqual(["safe", 5, 7, ""]);
    request(6);
    expect(now()).toEqual(["safe", 5, 7, "NAK>6"]);
    request(8);
    expect(now()).toEqual(["safe", 5, 8, "NAK>7"]);
  });

  test("row 2: the end of safe pre-empts the holder for the waiter", () => {
    request(7);
    holdEnds();
    expect(now()).toEqual(["safe", 7, null, "NAK>5 ACK>7"]);
  });

  test("row 2: DEC of the holder promotes the waiter; row 11: or frees the mediator", () => {
    request(7);
    declines(5);
    expect(now()).toEqual(["safe", 7, null, "ACK>7"]);
    declines(7);
    expect(now()).toEqual(["idle", null, null, ""]);
    expect(ctx.timers.has("hold")).toBe(false);
  });

  test("row 2: POTW of somebody else is refused in safe", () => {
    claims(4);
    expect(now()).toEqual(["safe", 5, null, "NAK>4"]);
  });

  test("rows 3, 4 and 5: post-safe refuses smaller and gives way to larger ranks", () => {
    holdEnds();
    expect(now()).toEqual(["post-safe", 5, null, ""]);
    request(2);
    expect(now()).toEqual(["post-safe", 5, null, "NAK>2"]);
    request(6);
    expect(now()).toEqual(["safe", 6, null, "NAK>5 ACK>6"]);
  });

  test("row 12: DEC of the holder ends post-safe, that of others does not", () => {
    holdEnds();
    declines(4);
    expect(now()).toEqual(["post-safe", 5, null, ""]);
    declines(5);
    expect(now()).toEqual(["idle", null, null, ""]);
  });

  test("rows 6 to 9: POTW in safe or post-safe leads to close-safe and then to the final winner", () => {
    holdEnds();
    ctx.timers.delete("hold");
    claims(5);
    expect(now()).toEqual(["close-safe", 5, null, ""]);
    expect(ctx.timers.get("hold")).toBe(3);
    request(4);
    expect(now()).toEqual(["close-safe", 5, null, "NAK>4"]);
    request(8);
    expect(now()).toEqual(["close-safe", 5, 8, ""]);
    holdEnds();
    expect(now()).toEqual(["final", 5, null, "NAK>8"]);
  });

  test("rows 10 and 11: DEC of the holder in close-safe", () => {
    claims(5);
    request(8);
    declines(5);
    expect(now()).toEqual(["safe", 8, null, "ACK>8"]);
    claims(8);
    declines(8);
    expect(now()).toEqual(["idle", null, null, ""]);
  });
});

describe("where the readings differ", () => {
  test("rows 6 and 7: as printed, POTW refuses the waiter; repaired, it waits through close-safe", () => {
    request(5);
    request(7);
    claims(5);
    expect(now()).toEqual(["close-safe", 5, 7, "ACK>5"]);
    mediator = idleMediator();
    p = params({ reading: "tables" });
    request(5);
    request(7);
    claims(5);
    expect(now()).toEqual(["close-safe", 5, null, "ACK>5 NAK>7"]);
  });

  test("DEC of a refused contender frees another's lock only as printed", () => {
    request(5);
    declines(2);
    expect(now()).toEqual(["safe", 5, null, "ACK>5"]);
    request(7);
    declines(7);
    expect(now()).toEqual(["safe", 5, null, ""]);
    p = params({ reading: "tables" });
    declines(2);
    expect(now()).toEqual(["idle", null, null, ""]);
  });

  test("a stranger's POTW and a late REQ go unanswered as printed", () => {
    for (const [reading, answer] of [
      ["repaired", "NAK>4"],
      ["printed", ""],
    ] as const) {
      p = params({ reading });
      mediator = idleMediator();
      claims(4);
      expect(now()).toEqual(["idle", null, null, answer]);
      request(5);
      claims(5);
      holdEnds();
      ctx.take();
      request(4);
      expect(now()).toEqual(["final", 5, null, answer]);
      claims(4);
      expect(now()).toEqual(["final", 5, null, answer]);
    }
  });

  test("post-safe expires after 6 tau as printed; repaired only under a failure model, once no POTW can come", () => {
    for (const [more, length] of [
      [{ reading: "tables" }, 3],
      [{}, undefined],
      [{ gamma: 0.1 }, 6],
      [{ ask: 3 }, 6],
    ] as const) {
      p = params(more);
      mediator = idleMediator();
      request(5);
      ctx.timers.clear();
      holdEnds();
      expect(ctx.timers.get("hold")).toBe(length);
    }
    holdEnds();
    expect(mediator.state).toBe("idle");
  });
});
