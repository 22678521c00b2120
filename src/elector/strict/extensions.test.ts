/** On a store without a clock: which members a holder tells that its session was extended. */
import { expect, test } from "vitest";
import { groupStateOf } from "../../../test/support/elector-run.ts";
import { known } from "../../../test/support/lone-member.ts";
import { oneMember } from "../../../test/support/one-handler.ts";
import { runStrict } from "../../../test/support/strict-run.ts";
import { store } from "../../protocols/membership/view.ts";
import { firstOf } from "../election/choice.ts";

const N = 7;
const run = runStrict({ n: N });
const holder = run.begin();
const one = (holder + 1) % N;

test("a holder tells those who come first in the next term, once, and nobody else", () => {
  const it = oneMember(run, holder);
  const { term } = it.office;
  const members = Array.from({ length: N }, (_, node) => ({ name: `m${node}`, meta: null }));
  const first = (of: number) =>
    firstOf(members, { office: "leader", term: of, zone: null, without: new Set([`m${holder}`]) }, 3)
      .map(({ name }) => name)
      .sort();
  expect(first(term + 1)).not.toEqual(first(term - 1));
  const extended = () => it.sent.filter(({ message }) => message.kind === "extended");
  it.state.extension = { session: "s", count: 3, at: 9 };
  it.expire("tell/leader");
  expect(
    extended()
      .map(({ to }) => `m${to}`)
      .sort(),
  ).toEqual(first(term + 1));
  for (const { message } of extended()) expect(message).toMatchObject({ session: "s", count: 3, at: 9 });
  it.sent.splice(0);
  it.expire("tell/leader");
  expect(extended()).toEqual([]);
});

test("what the holder says of the session of its present life is passed on to the store, and nothing else is", () => {
  const it = oneMember(run, one);
  const { life } = groupStateOf(run, holder);
  const heard = (session: string) => {
    it.hear(holder, { kind: "extended", session, count: 3, at: 9 });
    return it.sent.map(({ message }) => message);
  };
  const session = (of: number, name: string) => `${of.toString(36)}.1.${name}`;
  expect(heard(session(life, `m${holder}`))).toEqual([
    { kind: "heard", session: session(life, `m${holder}`), count: 3, at: 9 },
  ]);
  expect(heard(session(life + 1, `m${holder}`))).toEqual([]);
  expect(heard(session(life, `m${one}`))).toEqual([]);
});

test("a holder tells no more members than are first in line after six offices, and never itself", () => {
  const it = oneMember(run, holder);
  for (let i = 0; i < 40; i++) {
    const name = `o${i}`;
    // The member that had it comes last: here that is another one, so that the holder itself may come first.
    const claim = { ...it.office.claim!, office: name, holder: null, former: `m${one}` };
    it.state.offices.set(name, { ...it.office, name, claim, waitingPlace: null });
    it.state.led.add(name);
  }
  for (let node = 20; node < 80; node++) store(it.state.members, known(node), { choose: () => 0 });
  it.state.extension = { session: "s", count: 3, at: 9 };
  it.state.touched.clear();
  it.expire("tell/leader");
  const told = new Set(it.sent.filter(({ message }) => message.kind === "extended").map(({ to }) => to));
  expect(told.size).toBeGreaterThan(12);
  expect(told.size).toBeLessThanOrEqual(18);
  expect(told.has(holder)).toBe(false);
});
