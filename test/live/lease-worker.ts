/**
 * A member that counts while it leads, as a process of its own: node lease-worker.ts SETTINGS. What it counts is guarded; when it leads
 * no longer it goes on trying for a while, as a process does that was not told. It prints what happens, with a clock that all
 * processes of the machine share.
 */
import { setTimeout as pass } from "node:timers/promises";
import { openCounter, type Place } from "./lease-counter.ts";

export interface Settings {
  readonly name: string;
  readonly bind: string;
  readonly folder: string;
  readonly seeds: readonly string[];
  readonly lease: string;
  readonly ttl: number;
  readonly counter: Place;
}

/** What `npm test` has built, which starts in a third of the time. */
const built = (path: string) => import(new URL(`../../dist/live/${path}.js`, import.meta.url).href);
const { openEngine }: typeof import("../../src/live/engines/open.ts") = await built("engines/open");
const { runMember }: typeof import("../../src/live/group/member.ts") = await built("group/member");
const { insecureKeyring }: typeof import("../../src/live/keyring.ts") = await built("keyring");
const { realWorld }: typeof import("../../src/live/real-world.ts") = await built("real-world");
const guards: typeof import("../../src/entries/guards.ts") = await built("../entries/guards");

const PACE = 20;
const TRIES_AFTERWARDS = 5;
/** Milliseconds: less than the margin of leases. */
const STALL = 20;

const { name, bind, folder, seeds, lease: address, ttl, counter: place }: Settings = JSON.parse(process.argv[2]);
const group = "counters";
const clock = () => Number(process.hrtime.bigint()) / 1e6;
const say = (line: object) => process.stdout.write(`${JSON.stringify({ t: clock(), self: name, ...line })}\n`);

/** When this process did not run: stopped, or on a machine that had no time for it. */
let ran = clock();
setInterval(() => {
  if (clock() - ran > STALL) say({ event: "stalled", from: ran });
  ran = clock();
}, STALL / 4).unref();

const keyring = insecureKeyring();
const keys = guards.guardKeys(keyring, group);
const counter = openCounter(place, guards, keys);
const engine = await openEngine(address, { group, requestTimeout: ttl / 4, migrate: true, world: realWorld });
const member = await runMember({
  ...{ name, group, bind, seeds, keyring, state: `${folder}/state` },
  ...{ params: { profile: "local" }, lease: { engine, ttl } },
  onEvent: ({ token, odds: _, ...event }) => say({ ...event, token: token && Number(token) }),
});

/** Whether it was written. */
async function count(fence: string, token: number, lease: string, late: boolean): Promise<boolean> {
  try {
    const number = await counter.add(fence, { token, lease, writer: name });
    say({ event: "wrote", token, number, late });
    return true;
  } catch (error) {
    if (!(error instanceof guards.FenceRefused)) say({ event: "failed to write", token, late, why: String(error) });
    else if (late) say({ event: "refused", token, code: error.code, newest: Number(error.newest) });
    else throw error;
    return false;
  }
}

member.lead("leader", async ({ seat, token: held, lease, signal, check }) => {
  const token = Number(held);
  const fence = guards.fenceOf(keys, { seat, token, lease });
  say({ event: "begins", token, lease });
  signal.addEventListener("abort", () => {
    say({ event: "signal", token });
    void afterwards(fence, token, lease!);
  });
  while (!signal.aborted) {
    const t = clock();
    check();
    say({ event: "checked", token, t });
    await count(fence, token, lease!, false);
    await pass(PACE);
  }
});

async function afterwards(fence: string, token: number, lease: string): Promise<void> {
  for (let tries = 0; tries < TRIES_AFTERWARDS; tries++) {
    await count(fence, token, lease, true);
    await pass(PACE * 10);
  }
}

process.on("SIGTERM", () => void member.leave().then(() => process.exit(0)));
