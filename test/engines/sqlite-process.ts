/**
 * A process that uses a file of leases, as another member would. `serve FILE`: requests on its input, answers on its output, a line
 * each; `visit FILE`: the same of a file that it must not make. `contend FILE NAME`: asks for one seat for ever, keeps it for a moment, and says so.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { openEngine } from "../../src/live/engines/open.ts";
import { machineNow, realWorld } from "../../src/live/real-world.ts";
import type { LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { life } from "../support/register.ts";
import { CONTENDED_TTL } from "./sqlite-contention.ts";

const [, , mode, file, name = ""] = process.argv;
const say = (line: object) => void writeSync(1, `${JSON.stringify(line)}\n`);
const open = () =>
  openEngine(`sqlite:${file}`, { group: "g", migrate: mode !== "visit", requestTimeout: 30_000, world: realWorld });

if (mode !== "contend") {
  const engine = await open().catch((error: Error) => {
    say({ error: error.message });
    process.exit();
  });
  for await (const line of createInterface(process.stdin)) {
    say(await engine.ask(JSON.parse(line)).catch((error: Error) => ({ error: error.message })));
  }
} else {
  const engine = await open();
  const self = life(name, Number(name.slice(1)), CONTENDED_TTL);
  // Nobody may get on for long where a process is stopped with the file locked: what was not answered is asked no more.
  const ask = (request: LeaseRequest) => engine.ask(request).catch(() => null);
  for (let lease = 0; ; lease++) {
    const sent = machineNow();
    const session = `${name}-${lease}`;
    const answer = await ask(self.acquire("leader", session, { session }));
    if (answer?.kind !== "granted") continue;
    const { token } = answer;
    say({ token, sent, got: machineNow() });
    const again = machineNow();
    const renewed = await ask(self.renew({ session, keeps: [{ seat: "leader", lease: session }] }));
    if (renewed?.kind === "renewed") say({ token, again });
    say({ token, ended: machineNow() });
    await ask(self.release("leader", session, token));
  }
}
