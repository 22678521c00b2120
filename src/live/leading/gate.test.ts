/** Who holds work from outside is told of each confirmation once, and what it says goes to the machine. */
import { expect, test } from "vitest";
import type { GroupReport } from "../../elector/report.ts";
import type { GroupCommand } from "../../elector/talk/messages.ts";
import { type Confirmed, Gatekeeper } from "./gate.ts";

test("each confirmation is told once, with what is left of it, and acknowledged when it is known", () => {
  const told: (Confirmed & { known(): void })[] = [];
  const commands: GroupCommand[] = [];
  let left = 900;
  const gatekeeper = new Gatekeeper({
    gate: { confirmed: (confirmed, known) => void told.push({ ...confirmed, known }) },
    left: (timer) => (timer === "lease/lapse#0" ? left : null),
    command: (command) => void commands.push(command),
  });
  const say = (office: object) => gatekeeper.follow({ offices: { leader: office } } as unknown as GroupReport);
  const held = { confirmation: 1, token: 41, lapse: "lease/lapse#0" };
  say({ confirmation: null, token: null, lapse: null });
  say(held);
  say({ ...held, term: 2 });
  expect(told).toMatchObject([{ seat: "leader", token: 41 }]);
  expect(told[0].left()).toBe(900);
  expect(commands).toEqual([]);
  say({ ...held, confirmation: 4 });
  told[1].known();
  expect(commands).toEqual([{ kind: "acknowledged", office: "leader", number: 4 }]);
  // Of an older one nothing can be said any more: its timer may have another meaning by now.
  left = 1000;
  expect([told[0].left(), told[1].left()]).toEqual([null, 1000]);
  say({ confirmation: null, token: null, lapse: null });
  expect(told[1].left()).toBeNull();
});
