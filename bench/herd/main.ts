/**
 * `npm run bench:herd`: what many candidates that wait cost the store, and how long a fail-over takes. Each system has a store of its
 * own on this machine. Build the servers first: `node test/support/go-program.ts`.
 *
 *   npm run bench:herd -- --n 100,1000 --ttl 15 --fail-overs 3 --idle 30 --processes 4 --only etcd
 *
 * `--write` puts the results into bench/herd/results.json and docs/comparison.md; `--add` puts them beside those of earlier runs;
 * `--page` writes the page from the results that are there. `--note` is for conditions that the numbers do not show.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { parseArgs } from "node:util";
import { writePage } from "./page.ts";
import type { MeasuredStore } from "./stores.ts";
import { type Setting, SYSTEMS, type System } from "./systems.ts";

export interface Measured {
  readonly system: string;
  readonly store: string;
  readonly n: number;
  /** Of the store until all have joined and one leads, and the seconds of it. */
  readonly joining: { readonly requests: number; readonly seconds: number };
  /** Requests a second, and processor time of store and candidates as shares of one core. */
  readonly idle: { readonly requests: number; readonly store: number; readonly candidates: number };
  /** Of each fail-over: requests from the crash until another one leads, and the seconds of it. */
  readonly failOvers: readonly { readonly requests: number; readonly seconds: number }[];
}

export interface Results {
  readonly machine: string;
  readonly date: string;
  readonly ttl: number;
  /** What else a reader must know of the conditions. */
  readonly note: string;
  readonly measured: readonly Measured[];
  /** What could not be measured, and why. */
  readonly missing: readonly string[];
}

const RESULTS = join(import.meta.dirname, "results.json");

const { values } = parseArgs({
  options: {
    n: { type: "string", default: "100,1000" },
    ttl: { type: "string", default: "15" },
    "fail-overs": { type: "string", default: "3" },
    idle: { type: "string", default: "30" },
    processes: { type: "string", default: String(2 * availableParallelism()) },
    only: { type: "string", default: "" },
    write: { type: "boolean", default: false },
    add: { type: "boolean", default: false },
    note: { type: "string", default: "" },
    page: { type: "boolean", default: false },
  },
});

const print = (line: string) => process.stdout.write(`${line}\n`);
const percent = (share: number) => `${(100 * share).toFixed(1)}%`;

if (values.page) await writePage(JSON.parse(readFileSync(RESULTS, "utf8")));
else await bench();

async function bench(): Promise<void> {
  const [measured, missing]: [Measured[], string[]] = [[], []];
  const chosen = SYSTEMS.filter(({ name }) => name.includes(values.only));
  for (const n of values.n.split(",").map(Number))
    for (const system of chosen) {
      const setting = { n, ttl: Number(values.ttl), processes: Number(values.processes) };
      try {
        measured.push(await measure(system, setting));
        print(inWords(measured.at(-1)!));
      } catch (error) {
        missing.push(`${system.name}, n = ${n}: ${(error as Error).message.split("\n")[0]}`);
        print(`not measured: ${missing.at(-1)}`);
      }
    }
  if (!values.write && !values.add) return;
  const [{ model }] = cpus();
  const machine = `${model}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const date = new Date().toISOString().slice(0, 10);
  const { note } = values;
  const results: Results = { machine, date, ttl: Number(values.ttl), note, measured: inOrder(measured), missing };
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  await writePage(results);
}

/** With `--add`, what is known of other systems and numbers stays. */
function inOrder(measured: readonly Measured[]): readonly Measured[] {
  const before: readonly Measured[] =
    values.add && existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, "utf8")).measured : [];
  const isNew = ({ system, n }: Measured) => !measured.some((each) => each.system === system && each.n === n);
  const place = ({ system }: Measured) => SYSTEMS.findIndex(({ name }) => name === system);
  return [...before.filter(isNew), ...measured].sort((a, b) => a.n - b.n || place(a) - place(b));
}

async function measure(system: System, setting: Setting): Promise<Measured> {
  system.prepare?.();
  const store = await system.open(setting);
  try {
    const began = await reading(store);
    const candidates = await system.join(store, setting);
    try {
      const joined = await reading(store);
      // The herd comes to rest.
      await pass(1000 * Math.max(15, setting.ttl));
      const before = { ...(await reading(store)), candidates: candidates.cpu() };
      await pass(1000 * Number(values.idle));
      const after = { ...(await reading(store)), candidates: candidates.cpu() };
      const span = after.at - before.at;
      const failOvers: { requests: number; seconds: number }[] = [];
      for (let index = 0; index < Number(values["fail-overs"]); index++) {
        const start = await reading(store);
        const ms = await candidates.failOver(20_000 + 4000 * setting.ttl);
        const end = await reading(store);
        failOvers.push({ requests: end.requests - start.requests, seconds: ms / 1000 });
        await pass(Math.max(2000, 500 * setting.ttl));
      }
      return {
        system: system.name,
        store: store.name,
        n: setting.n,
        joining: { requests: joined.requests - began.requests, seconds: (joined.at - began.at) / 1000 },
        idle: {
          requests: (1000 * (after.requests - before.requests)) / span,
          store: (after.cpu - before.cpu) / span,
          candidates: (after.candidates - before.candidates) / span,
        },
        failOvers,
      };
    } finally {
      await candidates.close();
    }
  } finally {
    await store.close();
  }
}

async function reading(store: MeasuredStore): Promise<{ at: number; requests: number; cpu: number }> {
  const kinds = await store.requests();
  const requests = Object.values(kinds).reduce((sum, count) => sum + count, 0);
  return { at: Date.now(), requests, cpu: store.cpu() };
}

function inWords({ system, store, n, joining, idle, failOvers }: Measured): string {
  const each = failOvers.map(({ requests, seconds }) => `${seconds.toFixed(1)} s with ${requests} requests`);
  return [
    `${system} (${store}), n = ${n}: joined in ${joining.seconds.toFixed(1)} s with ${joining.requests} requests;`,
    `idle ${idle.requests.toFixed(1)} requests/s, store ${percent(idle.store)}, candidates ${percent(idle.candidates)} of a core;`,
    `fail-overs: ${each.join(", ")}`,
  ].join(" ");
}
