/** On a store without a clock: which members a holder tells that its session was extended. */
import { expect, test } from "vitest";
import { oneMember } from "../../../test/support/one-handler.ts";
import { runStrict } from "../../../test/support/strict-run.ts";
import { firstOf } from "../election/choice.ts";

const N = 7;

test("a holder tells those who come first in the next term, once, and nobody else", () => {
  const run = runStrict({ n: N });
  const holder = run.begin();
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
