/** Rows of a lease store: read as what a member has written, or refused in words. No lease is given on rows that cannot be read. */
import { notingRows, rowsIn, textsIn } from "../../../src/live/engines/rows.ts";
import type { LeaseRequest } from "../../../src/protocols/lease/messages.ts";
import { carryOut } from "../../../src/protocols/lease/register.ts";
import { oneClock } from "../../../src/protocols/lease/register-clock.ts";
import type { Target } from "../loop.ts";

const asked = { id: 1, life: 5 };
const lease = { seat: "leader", lease: "l1", token: 1000 };
const job = { name: "a", key: "k", attempt: "x", occurrence: 0, keep: 1e6 };

const requests: readonly LeaseRequest[] = [
  {
    ...asked,
    kind: "acquire",
    session: "s2",
    name: "b",
    ttl: 5000,
    seat: "leader",
    lease: "l2",
    floor: 0,
    preemptible: true,
  },
  { ...asked, kind: "renew", session: "s1", ttl: 5000, keeps: [lease], gives: [] },
  { ...asked, kind: "renew", session: "s1", ttl: 5000, keeps: [], gives: [lease] },
  { ...asked, ...lease, kind: "release", reserve: { name: "b", ms: 1000 } },
  { ...asked, ...lease, kind: "freeze" },
  { ...asked, kind: "look" },
  { ...asked, ...lease, ...job, kind: "begin", repeat: null, attempts: 3, noted: false },
  { ...asked, ...job, token: 1000, kind: "finish", outcome: "done", status: 0 },
  { ...asked, kind: "recall", key: "k" },
];

const NOW = 1_700_000_000_000;
const clock = oneClock(NOW, NOW, "first");

/** What a store holds after some requests. */
function written(...kinds: readonly LeaseRequest["kind"][]): string {
  let texts = new Map<string, string>();
  for (const kind of kinds) {
    const rows = notingRows(texts, () => "n", NOW);
    carryOut(rows, { ...requests.find((request) => request.kind === kind)! }, clock);
    texts = new Map([...texts, ...rows.change.puts]) as Map<string, string>;
  }
  return [...texts].map(([key, text]) => `${key} ${text}`).join("\n");
}

/** A line for each row: its key, a space, its text. */
function linesOf(text: string): Map<string, string> {
  const lines = text.split("\n").filter((line) => line.includes(" "));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]));
}

/** The first byte says what is asked; from 128 on the rest is all rows in one value. */
export const target: Target = {
  longest: 1500,
  seeds: [written("acquire"), written("acquire", "renew", "begin"), written("acquire", "release", "finish")].flatMap(
    (text) => [
      ...requests.map((_, i) => Buffer.concat([Uint8Array.of(i), Buffer.from(text)])),
      Buffer.concat([Uint8Array.of(128), Buffer.from(JSON.stringify(Object.fromEntries(linesOf(text))))]),
    ],
  ),
  run(input) {
    const text = Buffer.from(input.subarray(1)).toString("utf8");
    const request = requests[(input[0] & 127) % requests.length];
    try {
      const texts = input[0] >= 128 ? textsIn(text) : linesOf(text);
      const rows = notingRows(texts, () => "n", NOW);
      const answer = carryOut(rows, request, clock);
      const before = rowsIn(texts).seat("leader");
      const again = rowsIn(
        new Map([...texts, ...rows.change.puts].filter(([, is]) => is !== null)) as Map<string, string>,
      );
      if (answer.kind !== "granted") return;
      const isSame = before?.lease?.id === answer.lease && before.lease.token === answer.token;
      if (!isSame && !(answer.token > (before?.token ?? 0))) throw new Error(`its token ${answer.token} is not larger`);
      if (again.seat("leader")?.lease?.id !== answer.lease) throw new Error("the lease that it gives is not written");
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith("the lease store has")) throw error;
    }
  },
};
