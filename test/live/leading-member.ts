/**
 * A member that leads, as a process of its own: node leading-member.ts FOLDER. Its work checks every few milliseconds, from timers
 * that may well come before any of the member's own, and prints what it is told, and when, by a clock that all processes share.
 */
import { openEngine } from "../../src/live/engines/open.ts";
import { runMember } from "../../src/live/group/member.ts";
import { insecureKeyring } from "../../src/live/net/keyring.ts";
import { machineNow, realWorld } from "../../src/live/real-world.ts";
import { leaseTimes } from "../../src/protocols/lease/params.ts";
import { readAll } from "../../src/setting.ts";
import { MEMBER } from "../../src/settings/member.ts";

const [folder] = process.argv.slice(2);
const ttl = 1000;
const { requestTimeout } = leaseTimes(ttl);
const engine = await openEngine(`sqlite:${folder}/leases.db`, {
  group: "g",
  requestTimeout,
  migrate: true,
  world: realWorld,
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const member = await runMember({
  ...readAll(MEMBER, { group: "g", profile: "local", leaseTtl: ttl, stallMs: 0 }),
  name: "a",
  keyring: insecureKeyring(),
  engine,
  onEvent: ({ event }) => say(`event ${event}`),
});
member.lead("leader", ({ token, signal, check }) => {
  say(`begins ${token}`);
  const timers = Array.from({ length: 20 }, () =>
    setInterval(() => {
      const now = machineNow();
      try {
        check();
        say(`works ${token} ${signal.aborted} ${now}`);
      } catch (error) {
        say(`refused ${token} ${(error as { code?: unknown }).code}`);
        clearInterval(timers.pop());
      }
    }, 20),
  );
  return new Promise<void>((resolve) =>
    signal.addEventListener("abort", () => {
      say(`signal ${token}`);
      resolve();
    }),
  );
});
process.on("SIGTERM", () => void member.leave().then(() => process.exit(0)));
