/** Words about an office, one at a time: whether a member stands, waits, answers or stays silent. */
import { beforeAll, describe, expect, test } from "vitest";
import { groupStateOf } from "../../../test/support/elector-run.ts";
import { runGroup } from "../../../test/support/group-run.ts";
import { type OneMember, oneMember } from "../../../test/support/one-handler.ts";
import { timesFor } from "../times.ts";

const run = runGroup({ n: 4 });
const { stagger } = timesFor("lan");
let holder: number;
let [one, other]: number[] = [];
let term: number;

beforeAll(() => {
  run.settle(5000);
  run.pass(3000);
  holder = run.agreed()!;
  [one, other] = run.alive().filter((node) => node !== holder);
  ({ term } = oneMember(run, one).office);
});

const lifeOf = (node: number) => groupStateOf(run, node).life;
const kinds = ({ sent }: OneMember) => sent.map(({ to, message }) => [to, message.kind]);

/** A request to stand for the next term, whose holder is over. */
function ask(it: OneMember, changes: { position?: number; over?: number | null; term?: number } = {}): void {
  const setting = groupStateOf(run, other).offices.get("leader")!.setting!;
  const asked = {
    kind: "stand",
    office: "leader",
    term: term + 1,
    position: 0,
    setting,
    over: lifeOf(holder),
  } as const;
  it.hear(other, { ...asked, ...changes });
}

describe("a request to stand", () => {
  test.each([
    [0, 0],
    [1, stagger],
    [2, 2 * stagger],
    [7, 2 * stagger],
  ])("from place %i is followed after %i ms", (position, wait) => {
    const it = oneMember(run, one);
    ask(it, { position });
    expect(it.armed.get("stand/leader")).toEqual([wait, wait]);
    expect(it.office).toMatchObject({ requestedTerm: term + 1, isDue: false });
    expect(it.sent).toEqual([]);
  });

  test.each([
    ["for a term that is known", () => ({ term })],
    ["by a member that knows of no holder, while another member leads", () => ({ over: null })],
    ["against somebody who does not lead, while another member leads", () => ({ over: lifeOf(one) })],
  ])("%s is answered with who leads", (_, changes) => {
    const it = oneMember(run, one);
    ask(it, changes());
    expect(kinds(it)).toEqual([[other, "claim"]]);
    expect(it.armed.size).toBe(0);
    expect(it.office.requestedTerm).toBe(0);
  });

  test.each(["eligible", "wanted"])("is not followed by a member that is not %s", (what) => {
    const it = oneMember(run, one);
    if (what === "eligible") it.state.eligible = false;
    else it.office.wanted = false;
    ask(it);
    expect([it.sent, it.armed.size, it.office.requestedTerm]).toEqual([[], 0, 0]);
  });

  test.each([
    [1, 2, null],
    [1, 1, null],
    [2, 1, [stagger, stagger]],
  ])("from place %i, then from place %i: only a better place changes the wait", (first, second, armed) => {
    const it = oneMember(run, one);
    ask(it, { position: first });
    ask(it, { position: second });
    expect(it.armed.get("stand/leader") ?? null).toEqual(armed);
  });

  test("for a later term takes the place of the one before, also from a worse place", () => {
    const it = oneMember(run, one);
    ask(it, { position: 0 });
    ask(it, { position: 1, term: term + 2 });
    expect(it.armed.get("stand/leader")).toEqual([stagger, stagger]);
    expect(it.office.requestedTerm).toBe(term + 2);
  });

  test("for an office that this member does not know makes no office", () => {
    const it = oneMember(run, one);
    const setting = it.office.setting!;
    it.hear(other, { kind: "stand", office: "unheard", term: 1, position: 0, setting, over: null });
    expect(it.state.offices.has("unheard")).toBe(false);
    it.hear(other, { kind: "term", office: "unheard", term: 1 });
    expect(it.state.offices.get("unheard")).toMatchObject({ term: 1, wanted: false });
  });

  test("is due after its wait: the member stands in that term, and a second timer changes nothing", () => {
    const it = oneMember(run, one);
    ask(it);
    it.expire("stand/leader");
    expect(it.office).toMatchObject({ term: term + 1, election: { term: term + 1, stands: true }, waitingPlace: null });
    expect(it.sent.map(({ message }) => message.kind)).toContain("child");
    const { election } = it.office;
    it.expire("stand/leader");
    expect(it.office.election).toBe(election);
    expect(it.sent).toEqual([]);
  });
});

describe("a question who leads", () => {
  test("is answered by a member that knows of a holder", () => {
    const it = oneMember(run, one);
    it.hear(other, { kind: "who", office: "leader", term });
    expect(it.sent).toMatchObject([{ to: other, message: { kind: "claim", claim: { holder: `m${holder}` } } }]);
  });

  test.each([
    [0, [["term"]]],
    [1, []],
  ])(
    "is answered with the term by a member that knows a higher term and no holder (behind by one: %i)",
    (ahead, said) => {
      const it = oneMember(run, one);
      it.hear(other, { kind: "term", office: "leader", term: term + 1 });
      expect(it.office).toMatchObject({ term: term + 1, claim: null, former: { name: `m${holder}` } });
      it.hear(other, { kind: "who", office: "leader", term: term + ahead });
      expect(it.sent.map(({ message }) => [message.kind])).toEqual(said);
    },
  );

  test("about an office that is not known is not answered", () => {
    const it = oneMember(run, one);
    it.hear(other, { kind: "who", office: "unheard", term: 0 });
    expect(it.sent).toEqual([]);
  });
});

test("news of a term that is known change nothing, also where nobody leads", () => {
  const it = oneMember(run, one);
  const { claim } = it.office;
  for (const known of [term, term - 1]) it.hear(other, { kind: "term", office: "leader", term: known });
  expect(it.office.claim).toBe(claim);
  expect(it.office.term).toBe(term);
});
