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
const built = (entry: string) => import(new URL(`../../dist/entries/${entry}.js`, import.meta.url).href);
const { join }: typeof import("../../src/entries/index.ts") = await built("index");
const guards: typeof import("../../src/entries/guards.ts") = await built("guards");

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

/** Known to all tests, and of no use beyond them: members in networks of their own are beyond loopback. */
const key = Buffer.alloc(32, "lease").toString("base64url");
const keys = guards.guardKeys(guards.parseKeyring(key, "the key of the tests"), group);
const counter = openCounter(place, guards, keys);
const member = await join({
  name,
  group,
  bind,
  seeds,
  key,
  state: `${folder}/state`,
  profile: "local",
  lease: address,
  leaseTtl: ttl,
  log: false,
  onEvent: (event) => say("token" in event ? { ...event, token: event.token && Number(event.token) } : event),
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

member.lead(async ({ token: held, lease, signal, check, ...leadership }) => {
  const token = Number(held);
  const fence = leadership.fence!;
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
