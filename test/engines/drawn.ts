/** Drawn sequences of requests, restarts and turns of the clock, told to an engine and to the register, answer by answer. */
import fc from "fast-check";
import { expect } from "vitest";
import type { LeaseAnswer, LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { life, testRegister } from "../support/register.ts";
import type { Bench } from "./bench.ts";

const TTL = 100;
const MEMBERS = ["A", "B", "C"];
const SEATS = ["leader", "shards#2"];

interface Draw {
  readonly what: (typeof KINDS)[number];
  readonly member: number;
  readonly seat: string;
  /** Which of the things that can be named: leases asked for so far, floors, durations. */
  readonly pick: number;
}

// Weighted by repetition.
const KINDS = [
  ...(["acquire", "acquire", "acquire", "again", "renew", "renew", "give", "release", "reserve", "freeze"] as const),
  ...(["begin", "begin", "begin", "finish", "finish", "recall"] as const),
  ...(["look", "turn", "turn", "turn", "back", "restart", "floor", "session", "snapshot", "restore"] as const),
];

const draws = fc.record({
  what: fc.constantFrom(...KINDS),
  member: fc.nat({ max: MEMBERS.length - 1 }),
  seat: fc.constantFrom(...SEATS),
  pick: fc.nat({ max: 11 }),
});

/** Fails where the engine answers otherwise than the register, with a shortest sequence that shows it. */
export async function compare(bench: Bench, { runs, length }: { runs: number; length: number }): Promise<Set<string>> {
  const met = new Set<string>();
  const sequence = fc.array(draws, { minLength: length / 2, maxLength: length, size: "max" });
  await fc.assert(
    fc.asyncProperty(sequence, (drawn) => follow(bench, drawn, met)),
    { seed: 10, numRuns: runs },
  );
  return met;
}

async function follow(bench: Bench, drawn: readonly Draw[], met: Set<string>): Promise<void> {
  const engine = await bench.begin();
  const register = testRegister();
  let [copy, incarnation] = [register.copy(), 0];
  const members = MEMBERS.map((name, index) => life(name, index + 1, TTL));
  const sessions = MEMBERS.map(() => 1);
  /** All leases asked for, with the highest token given to each. */
  const leases: { seat: string; lease: string; token: number; member: number }[] = [];
  const turn = async (by: number) => {
    await engine.turn(by);
    register.now += by;
  };
  try {
    await engine.snapshot();
    for (const draw of drawn) {
      if (draw.what === "turn") await turn(10 * (1 + draw.pick));
      else if (draw.what === "back") await turn(-100 * draw.pick);
      else if (draw.what === "session") sessions[draw.member]++;
      else if (draw.what === "restart") {
        await engine.restart();
        register.incarnation = String(++incarnation);
      } else if (draw.what === "snapshot") {
        await engine.snapshot();
        copy = register.copy();
      } else if (draw.what === "restore") {
        await engine.restore();
        register.rows = structuredClone(copy);
      } else {
        const request = requestOf(draw, members[draw.member], sessions[draw.member], leases);
        register.stamp = engine.stamp();
        const slower = "ttl" in request ? { ...request, ttl: request.ttl + bench.slack } : request;
        const [answer, expected] = [await engine.ask(request, draw.member), register.ask(slower)];
        expect(answer).toEqual(expected);
        met.add(answer.kind === "denied" ? answer.why : answer.kind === "record" ? answer.verdict : answer.kind);
        note(request, answer, draw.member, leases);
      }
    }
  } finally {
    await engine.end();
  }
}

type Lease = { seat: string; lease: string; token: number; member: number };

function requestOf(draw: Draw, member: ReturnType<typeof life>, opening: number, leases: Lease[]): LeaseRequest {
  const session = `${member.name}-${opening}`;
  const own = leases.filter(({ member: whose }) => whose === draw.member);
  const recent = (of: Lease[]): Lease => of.at(-1 - (draw.pick % 3)) ?? { ...draw, lease: "none", token: 1 };
  const named = (of: Lease[]) => of.slice(-3).map(({ seat, lease }) => ({ seat, lease }));
  const { seat, lease, token } = recent(draw.what === "freeze" ? leases : own);
  switch (draw.what) {
    case "again":
      return member.acquire(seat, lease, { session });
    case "renew":
      return member.renew({ session, keeps: named(own), ttl: draw.pick === 0 ? 2 * TTL : TTL });
    case "give":
      return member.renew({ session, keeps: named(own).slice(1), gives: named(own).slice(0, 1) });
    case "release":
      return member.release(seat, lease, draw.pick === 0 ? token + 1 : token);
    case "reserve": {
      // Mostly of the lease that was granted last: otherwise few sequences would come to a reservation.
      const last = leases.findLast(({ token }) => token > 0) ?? { seat, lease, token };
      const reserve = { name: MEMBERS[draw.pick % 3], ms: 20 * draw.pick || 5 };
      return member.release(last.seat, last.lease, last.token, reserve);
    }
    case "freeze":
      return member.freeze(seat, lease, token);
    case "look":
      return member.look();
    case "begin":
    case "finish":
    case "recall":
      return jobRequest(draw, member, leases.findLast((each) => each.token > 0) ?? { seat, lease, token });
    default: {
      const floor = draw.what === "floor" ? [0, 1, token, token + 3, 2 ** 32, 2 ** 50][draw.pick % 6] : 0;
      const preemptible = draw.pick % 4 !== 0;
      return member.acquire(draw.seat, `${member.name}${leases.length}`, { session, floor, preemptible });
    }
  }
}

/** Few keys, occurrences and attempts, so that they meet. */
function jobRequest({ what, pick }: Draw, member: ReturnType<typeof life>, held: Omit<Lease, "member">): LeaseRequest {
  const { seat, lease, token } = held;
  const { name, number } = member;
  const key = ["nightly", "once"][pick % 2];
  const occurrence = pick % 2 === 0 ? 100 * (pick % 3) : 0;
  const asked = { id: 1000 + pick, life: number, key };
  const attempt = { ...asked, name, token, attempt: `${name}${pick % 4}`, occurrence, keep: 300 };
  if (what === "recall") return { kind: "recall", ...asked };
  if (what === "finish") {
    return {
      kind: "finish",
      ...attempt,
      outcome: pick % 3 === 0 ? "failed" : "done",
      status: pick % 5 === 0 ? null : pick,
    };
  }
  const repeat = pick % 4 === 1 ? 60 : null;
  return { kind: "begin", ...attempt, seat, lease, repeat, attempts: 1 + (pick % 3), noted: pick % 5 === 0 };
}

function note(request: LeaseRequest, answer: LeaseAnswer, member: number, leases: Lease[]): void {
  if (request.kind !== "acquire") return;
  const { seat, lease } = request;
  const token = answer.kind === "granted" ? answer.token : 0;
  const known = leases.find((one) => one.lease === lease);
  if (known === undefined) leases.push({ seat, lease, token, member });
  else if (token > 0) known.token = token;
}
