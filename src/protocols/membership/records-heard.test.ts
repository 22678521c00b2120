/** What a member makes of a record that it hears, over all combinations of what it knows, what is said, and how it hears of it. */
import { expect, test } from "vitest";
import { entry, known, LoneMember, lifeOf } from "../../../test/support/lone-member.ts";
import { hearRecord } from "./hear.ts";
import type { MembershipMessage } from "./messages.ts";
import { isLive, memberNamed, portTo } from "./parent.ts";
import { isLiveStatus, isNewer, type KnownMember, toEntry } from "./records.ts";
import { memberSubject } from "./sums.ts";
import { store } from "./view.ts";

const STATUSES = ["alive", "suspect", "failed", "left"] as const;
const WAYS = ["rumour", "lesson", "proof"] as const;
const [LIFE, OTHER_LIFE] = [lifeOf(9), 999];

const before: readonly (KnownMember | null)[] = [
  null,
  ...STATUSES.map((status) => known(9, { status, incarnation: 5, life: LIFE })),
];
const words = STATUSES.flatMap((status) =>
  [LIFE, OTHER_LIFE].flatMap((life) =>
    [4, 5, 6].map((incarnation) => known(9, { status, life, incarnation, meta: { weight: 2 } })),
  ),
);

interface Outcome {
  /** What is known of the name afterwards. */
  readonly record: KnownMember | null;
  /** Whether it is to be asked itself before it counts. */
  readonly isClaimed: boolean;
  readonly news: readonly string[];
  readonly isToldOn: boolean;
  /** Whether the known life is told what is said. */
  readonly isAsked: boolean;
}

const isUp = (record: KnownMember | null): boolean => record !== null && isLiveStatus(record.status);

function expected(was: KnownMember | null, said: KnownMember, how: (typeof WAYS)[number]): Outcome {
  const nothing = { record: was, isClaimed: false, news: [], isToldOn: false, isAsked: false };
  if (was !== null && !isNewer(said, was)) return nothing;
  const claimed = { ...nothing, isClaimed: true, isToldOn: true };
  // Another life of a live member, and a dead one that is said to live, count once they have answered themselves.
  if (was !== null && isUp(was) && was.life !== said.life && how !== "proof") {
    return { ...(isUp(said) ? claimed : nothing), isAsked: true };
  }
  const isToldOn = how !== "lesson";
  if (!isUp(said)) {
    // A stranger's death is news only to somebody who has just come.
    if (was === null && how !== "lesson") return nothing;
    const end = said.status === "left" && said.life === was?.life ? "left m9" : "failed m9";
    return { ...nothing, record: said, news: isUp(was) ? [end] : [], isToldOn };
  }
  if (was !== null && !isUp(was) && how !== "proof") return claimed;
  const isSameLife = isUp(was) && was!.life === said.life;
  const news = [
    ...(isUp(was) && !isSameLife ? ["failed m9"] : []),
    ...(isSameLife ? [] : ["joined m9"]),
    ...(isSameLife && was!.status === "suspect" && said.status === "alive" ? ["refuted m9"] : []),
    ...(said.status === "suspect" ? ["suspected m9"] : []),
  ];
  return { ...nothing, record: said, news, isToldOn };
}

function heard(was: KnownMember | null, said: KnownMember, how: (typeof WAYS)[number]): Outcome {
  const it = new LoneMember(4);
  if (was !== null) store(it.state, was, it.ctx);
  it.act((state, ctx) => hearRecord(state, entry(9, said), ctx, how));
  return {
    record: memberNamed(it.state, "m9") ?? null,
    isClaimed: it.state.claims.has("m9"),
    news: it.told,
    isToldOn: it.state.rumours.has(memberSubject("m9")),
    isAsked: it.said("gossip").some(({ node }) => node === 9),
  };
}

const inWords = (member: KnownMember | null) =>
  member === null ? "nothing" : `${member.status} ${member.life}/${member.incarnation}`;

test.each(WAYS)("a record heard as a %s counts by the stated rules, whatever was known", (how) => {
  for (const was of before) {
    for (const said of words) {
      const about = `knows ${inWords(was)}, hears ${inWords(said)}`;
      expect({ about, ...heard(was, said, how) }).toEqual({ about, ...expected(was, said, how) });
    }
  }
});

/** Two members that know these of m9 answer each other, after m1 has told m0 a word: how many messages that takes, or the limit. */
function exchanged(knows: readonly [KnownMember | null, KnownMember | null], said: KnownMember, limit: number): number {
  const two = knows.map((record, node) => {
    const it = new LoneMember(4);
    Object.assign(it.state, { life: lifeOf(node) });
    if (record !== null) store(it.state, record, it.ctx);
    return it;
  });
  const by = said.status === "suspect" ? [lifeOf(1)] : undefined;
  const members = [toEntry(said, by)];
  const underWay = [{ to: 0, message: { kind: "gossip", from: lifeOf(1), members } as MembershipMessage }];
  let count = 0;
  for (let next = underWay.shift(); next !== undefined && count < limit; next = underWay.shift()) {
    count++;
    const { to } = next;
    two[to].hear(1 - to, next.message);
    underWay.push(...two[to].sent.filter((sent) => sent.to === 1 - to));
  }
  return count;
}

test("two members correct each other in at most four messages, whatever they know and whatever was said", () => {
  const limit = 5;
  const endless: string[] = [];
  for (const one of [null, ...words]) {
    for (const other of [null, ...words]) {
      for (const said of words) {
        if (exchanged([one, other], said, limit) < limit) continue;
        endless.push(`${inWords(said)} is told to who knows ${inWords(one)} by who knows ${inWords(other)}`);
      }
    }
  }
  expect(endless).toEqual([]);
});

test("a port leads to every known member, dead or live, and nowhere else; only the live in that life are live", () => {
  const it = new LoneMember(4);
  store(it.state, known(3, { status: "failed" }), it.ctx);
  expect(["m1", "m3", "m8"].map((name) => portTo(it.state, name, it.ctx))).toEqual([1, 3, null]);
  const lives: [string, number][] = [
    ["m1", lifeOf(1)],
    ["m1", 999],
    ["m3", lifeOf(3)],
    ["m8", lifeOf(8)],
  ];
  expect(lives.map(([name, life]) => isLive(it.state, name, life))).toEqual([true, false, false, false]);
});

test.each([
  ["that life itself", { from: 999 }, true],
  ["another one in its name", { from: 7 }, false],
  ["that life through a helper", { from: 999, via: true as const }, false],
])("a later life of a live member counts at once where a ping of ours is answered by %s", (_who, ack, counts) => {
  const it = new LoneMember(4);
  it.state.probeAt = 0;
  it.tick();
  const [{ node, seq }] = it.said("ping");
  it.hear(node, { kind: "ack", seq, ...ack, me: entry(node, { life: 999, incarnation: 1 }) });
  expect(isLive(it.state, `m${node}`, 999)).toBe(counts);
  expect(it.state.claims.has(`m${node}`)).toBe(!counts);
});
