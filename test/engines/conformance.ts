/** One suite for all engines: what each must do, whatever it is made of. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LeaseAnswer, LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { effort } from "../support/effort.ts";
import { life } from "../support/register.ts";
import type { Bench, BenchEngine } from "./bench.ts";
import { compare } from "./drawn.ts";
import { interleavings } from "./interleavings.ts";
import { Ledger } from "./ledger.ts";

const TTL = 100;
const given = { kind: "granted" };
const refused = (why: string, more = {}) => ({ kind: "denied", why, ...more });

export function conformance(bench: Bench): void {
  describe(`${bench.name}, as an engine`, () => {
    let engine: BenchEngine;
    let ledger: Ledger;
    let now: number;
    let [A, B, C] = [life("A", 1, TTL), life("B", 2, TTL), life("C", 3, TTL)];
    async function begin(): Promise<void> {
      engine = await bench.begin();
      ledger = new Ledger();
      now = 0;
      [A, B, C] = [life("A", 1, TTL), life("B", 2, TTL), life("C", 3, TTL)];
    }
    beforeEach(begin);
    afterEach(() => engine.end());
    afterAll(() => bench.end?.());

    async function ask(request: LeaseRequest, connection = request.life - 1): Promise<LeaseAnswer> {
      const answer = await engine.ask(request, connection);
      ledger.heard(request, answer, now);
      return answer;
    }
    async function turn(by: number): Promise<void> {
      await engine.turn(by);
      now += by;
    }
    const tokenOf = (answer: LeaseAnswer): number => (answer as Extract<LeaseAnswer, { kind: "granted" }>).token;

    test("has one holder if several ask at the same time", async () => {
      const requests = [A, B, C].map((member) => member.acquire("leader", `${member.name}1`));
      const answers = await Promise.all(requests.map((request) => engine.ask(request, request.life - 1)));
      expect(answers.filter(({ kind }) => kind === "granted")).toHaveLength(1);
      const holder = answers.find(({ kind }) => kind === "granted")!;
      for (const answer of answers.filter(({ kind }) => kind === "denied")) {
        expect(answer).toMatchObject(refused("held", { holder: { life: holder.to, token: tokenOf(holder) } }));
      }
    });

    test("tokens grow from lease to lease, for each seat by itself", async () => {
      let last = 0;
      for (const [index, member] of [A, B, A, C, B].entries()) {
        const granted = await ask(member.acquire("leader", `${member.name}${index}`));
        expect(tokenOf(granted)).toBeGreaterThan(last);
        last = tokenOf(granted);
        expect(await ask(member.release("leader", `${member.name}${index}`, last))).toMatchObject({ was: true });
      }
    });

    test("a lease ends one TTL after its last renewal, and not before", async () => {
      await ask(A.acquire("leader", "A1"));
      await turn(TTL - 10);
      expect(await ask(A.renew({ keeps: [{ seat: "leader", lease: "A1" }] }))).toMatchObject({ lost: [] });
      await turn(TTL - 10);
      expect(await ask(B.acquire("leader", "B1"))).toMatchObject(refused("held", { wait: 10 + bench.slack }));
      await turn(10 + bench.slack);
      expect(await ask(B.acquire("leader", "B1"))).toMatchObject(given);
      expect(await ask(A.renew({ keeps: [{ seat: "leader", lease: "A1" }] }))).toMatchObject({ kind: "ended" });
      expect(await ask(A.acquire("leader", "A2"))).toMatchObject(refused("over"));
    });

    test("an acquire whose answer was lost gives the same lease, and never after its end", async () => {
      const first = await ask(A.acquire("leader", "A1"));
      await turn(50);
      expect(tokenOf(await ask(A.acquire("leader", "A1")))).toBe(tokenOf(first));
      await ask(A.release("leader", "A1", tokenOf(first)));
      expect(await ask(A.acquire("leader", "A1"))).toMatchObject(refused("over"));
      expect(await ask(B.acquire("leader", "B1"))).toMatchObject(given);
      expect(await ask(A.release("leader", "A1", tokenOf(first)))).toMatchObject({ was: false });
    });

    test("pre-emption ends one seat at its session's present expiry, and nothing else of it", async () => {
      const token = tokenOf(await ask(A.acquire("leader", "A1")));
      await ask(A.acquire("other", "A2"));
      await turn(40);
      const { left } = (await ask(B.freeze("leader", "A1", token))) as Extract<LeaseAnswer, { kind: "frozen" }>;
      expect(left).toBe(TTL - 40 + bench.slack);
      await ask(A.renew());
      await turn(left!);
      expect(await ask(B.acquire("leader", "B1"))).toMatchObject(given);
      expect(await ask(B.acquire("other", "B2"))).toMatchObject(refused("held"));
      expect(await ask(A.renew({ keeps: [{ seat: "leader", lease: "A1" }] }))).toMatchObject({
        leases: [{ seat: "other" }],
        lost: [{ seat: "leader" }],
      });
    });

    test("a reservation keeps the seat for the heir, for one TTL at most", async () => {
      const token = tokenOf(await ask(A.acquire("leader", "A1")));
      await ask(A.release("leader", "A1", token, { name: "B", ms: 10 * TTL }));
      expect(await ask(C.acquire("leader", "C1"))).toMatchObject(refused("reserved", { wait: TTL + bench.slack }));
      const next = tokenOf(await ask(B.acquire("leader", "B1")));
      await ask(B.release("leader", "B1", next, { name: "A", ms: 10 * TTL }));
      await turn(TTL + bench.slack);
      expect(await ask(C.acquire("leader", "C1"))).toMatchObject(given);
    });

    test("what a former life says changes nothing of the present one's lease", async () => {
      const former = A;
      const token = tokenOf(await ask(former.acquire("leader", "A1")));
      await turn(TTL + bench.slack);
      A = life("A", 9, TTL);
      const next = tokenOf(await ask(A.acquire("leader", "A9"), 0));
      expect(await ask(former.release("leader", "A1", token))).toMatchObject({ was: false });
      expect(await ask(former.release("leader", "A9", token))).toMatchObject({ was: false });
      expect(await ask(former.renew({ keeps: [{ seat: "leader", lease: "A1" }] }))).toMatchObject({ kind: "ended" });
      expect(await engine.ask({ ...former.renew(), session: "A-9" }, 0)).toMatchObject({ kind: "ended" });
      expect(await ask(A.renew(), 0)).toMatchObject({ leases: [{ lease: "A9", token: next, frozen: false }] });
    });

    test("restored from an old copy: a member that knows a later token bars grants for one TTL", async () => {
      await ask(A.acquire("other", "A1"));
      await engine.snapshot();
      const token = tokenOf(await ask(B.acquire("leader", "B1")));
      await engine.restore();
      expect(await engine.ask(B.renew({ keeps: [{ seat: "leader", lease: "B1" }] }), 1)).toMatchObject({
        kind: "ended",
      });
      const asked = C.acquire("leader", "C1", { floor: token });
      expect(await engine.ask(asked, 2)).toMatchObject(refused("barred", { wait: TTL + bench.slack, token }));
      expect(await engine.ask(A.renew(), 0)).toMatchObject({ kind: "renewed", leases: [{ lease: "A1" }] });
      await turn(TTL + bench.slack);
      expect(tokenOf(await engine.ask(asked, 2))).toBeGreaterThan(token);
    });

    test("started again: nothing is forgotten, renewals go on, and grants are barred for one TTL", async () => {
      const token = tokenOf(await ask(A.acquire("leader", "A1")));
      await engine.restart();
      expect(await ask(B.acquire("other", "B1"))).toMatchObject(refused("barred", { wait: TTL + bench.slack }));
      expect(await ask(A.renew())).toMatchObject({ leases: [{ lease: "A1", token }] });
      await turn(TTL + bench.slack);
      expect(await ask(B.acquire("other", "B1"))).toMatchObject(given);
    });

    test("a clock that steps back makes nothing last longer than one TTL", async () => {
      await ask(A.acquire("leader", "A1"));
      await turn(-100 * TTL);
      expect(await engine.ask(B.acquire("leader", "B1"), 1)).toMatchObject(
        refused("held", { wait: TTL + bench.slack }),
      );
      await turn(TTL + bench.slack);
      expect(await engine.ask(B.acquire("leader", "B1"), 1)).toMatchObject(given);
    });

    test("renewals against take-overs, in orders of requests and turns of the clock", async () => {
      await engine.end();
      const keeps = [{ seat: "leader", lease: "A1" }];
      const half = TTL / 2 + bench.slack;
      const met = new Set<string>();
      const isQuick = bench.speed === "memory";
      const all = [...interleavings([3, 2, isQuick ? 3 : 2])];
      const orders = isQuick ? all : all.filter((_, i) => i % effort(5, 1) === 0);
      for (const order of orders) {
        await begin();
        const steps = [
          [A.acquire("leader", "A1"), A.renew({ keeps }), A.renew({ keeps })],
          [B.acquire("leader", "B1"), B.acquire("leader", "B1")],
        ];
        const story: string[] = [];
        for (const who of order) {
          if (who === 2) await turn(half);
          else story.push((await ask(steps[who].shift()!)).kind);
        }
        met.add(story.join());
        await engine.end();
      }
      expect(met.size).toBeGreaterThan(10);
      await begin();
    });

    test("answers drawn sequences of requests as the register does", async () => {
      const size =
        bench.speed === "memory" ? { runs: effort(80, 2000), length: 120 } : { runs: effort(14, 150), length: 80 };
      const met = await compare(bench, size);
      const all = [
        "granted",
        "renewed",
        "ended",
        "released",
        "frozen",
        "seen",
        "held",
        "reserved",
        "barred",
        "floor",
        "over",
        ...["begun", "done", "failed", "later", "wait", "noted", "refused", "recorded", "superseded"],
      ];
      expect([...met].sort()).toEqual(all.sort());
    });
  });
}
