/** The worker: runs elections for the page. One request at a time may be long; it works in chunks and can be cancelled. */
import { flagOf, InputError } from "../../src/errors.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { entryOf } from "../../src/registry/all.ts";
import type { Setting } from "../../src/setting.ts";
import { SETTINGS } from "../../src/settings/simulation.ts";
import { jsonOf } from "../../src/trace/events.ts";
import { version } from "../../src/version.ts";
import type { Answer, Listed, Request, Said } from "../run/types.ts";
import { LargeRun } from "./large.ts";
import { OpenedRun } from "./opened.ts";
import { opened } from "./own.ts";
import { Scheduler } from "./scheduler.ts";
import { sentence } from "./telling.ts";

const say = (said: Said): void => postMessage(said);

const scheduler = new Scheduler();
/** Open runs, the latest last; two are shown side by side at most. */
const runs = new Map<number, OpenedRun>();
const MOST_RUNS = 4;

/** Resolves when the files of the reader's own that have arrived are loaded: what comes after them may be about them. */
let loading: Promise<unknown> = Promise.resolve();

/** Why work ended before its end. */
const whyOf = (done: "late" | "cancelled" | object): string | null =>
  done === "late" ? "It was stopped: its time was up." : done === "cancelled" ? "It was stopped here." : null;

self.onmessage = ({ data }: MessageEvent<Request>) => {
  answer(data).catch((error: unknown) => {
    const text = error instanceof InputError ? error.message : `the worker failed: ${String(error)}`;
    say({ id: data.id, last: true, kind: "failed", problems: [{ field: "", text: sentence(text), used: "" }] });
  });
};

async function answer(request: Request): Promise<void> {
  const { id } = request;
  const last = (answer: Answer) => say({ id, last: true, ...answer });
  const more = (answer: Answer) => say({ id, last: false, ...answer });
  if (request.op !== "own" && request.op !== "cancel") await loading;
  switch (request.op) {
    case "open": {
      const run = new OpenedRun(request.fields, request.faults, request.trial);
      keep(id, run);
      return last({ kind: "opened", facts: run.facts, problems: run.problems, large: run.large });
    }
    case "file":
    case "flight": {
      const { facts, events } =
        request.op === "file"
          ? await (await import("./file.ts")).openFile(request.text, request.name)
          : (await import("./flight.ts")).openFlight(request.files);
      more({ kind: "opened", facts, problems: [], large: false });
      more({ kind: "events", events });
      return last({ kind: "ended", ending: { trial: null, events: events.length, why: null, says: null } });
    }
    case "own": {
      const names = loading
        .then(() => import("./own-file.ts"))
        .then(({ openOwn }) => openOwn(request.text, request.name));
      loading = names.catch(() => {});
      return last({ kind: "own", names: await names, catalogue: listed() });
    }
    case "step":
      return last({ kind: "events", events: [...openRun(request.run).events(request.count)] });
    case "run": {
      const run = openRun(request.run);
      return run.large ? count(id, run, request.budget) : record(id, run, request.budget);
    }
    case "seek": {
      const { value } = openRun(request.run).stateAt(request.event, request.node);
      return last({ kind: "state", state: stateLines(value), json: stateJson(value) });
    }
    case "force": {
      const { forcePlaces } = await import("./force.ts");
      const done = await scheduler.run(id, forcePlaces(openRun(request.run).facts), () => {});
      return last({ kind: "places", places: typeof done === "object" ? done.value : [] });
    }
    case "sweep": {
      const { RunningSweep } = await import("./sweep.ts");
      const sweep = new RunningSweep(request.asked);
      const points = (why: string | null): Answer => ({
        kind: "points",
        points: sweep.soFar(),
        done: sweep.done,
        of: sweep.of,
        why,
        command: sweep.command,
        quantities: sweep.quantities,
        problem: sweep.problem,
      });
      let told = 0;
      const done = await scheduler.run(
        id,
        sweep.run(),
        () => {
          if (performance.now() - told < 200) return;
          told = performance.now();
          more(points(null));
        },
        request.budget,
      );
      return last(points(whyOf(done)));
    }
    case "plan": {
      const { planFor } = await import("./planning.ts");
      return last(await planFor(request.fields));
    }
    case "cancel":
      scheduler.cancel(request.of);
      return last({ kind: "heard" });
  }
}

function keep(id: number, run: OpenedRun): void {
  runs.set(id, run);
  for (const old of [...runs.keys()].slice(0, -MOST_RUNS)) runs.delete(old);
}

function openRun(id: number): OpenedRun {
  const run = runs.get(id);
  if (run === undefined) throw new InputError("this run is not open any more");
  return run;
}

async function record(id: number, run: OpenedRun, budget: number): Promise<void> {
  const done = await scheduler.run(
    id,
    run.events(Infinity),
    (events) => events.length > 0 && say({ id, last: false, kind: "events", events }),
    budget,
  );
  say({ id, last: true, kind: "ended", ending: run.ending(whyOf(done) ?? run.cut) });
}

async function count(id: number, run: OpenedRun, budget: number): Promise<void> {
  const large = new LargeRun(run.settings, run.trial);
  let told = 0;
  const done = await scheduler.run(
    id,
    large.run(),
    (_, isLast) => {
      if (!isLast && performance.now() - told < 100) return;
      told = performance.now();
      say({ id, last: false, kind: "counts", counts: large.counts() });
    },
    budget,
  );
  say({ id, last: true, kind: "ended", ending: { trial: large.trial, events: 0, why: whyOf(done), says: null } });
}

const listedOf = (protocol: AnyProtocol): Listed => ({
  name: protocol.name,
  title: protocol.title,
  short: entryOf(protocol)?.page?.name ?? protocol.title.split(":")[0],
  most: entryOf(protocol)?.page?.most ?? null,
  citation: protocol.citation,
  cost: protocol.cost,
  topology: protocol.assumes.topology,
  anonymous: protocol.assumes.identity === "anonymous",
  timed: protocol.assumes.timing !== "synchronous",
  multicast: protocol.assumes.multicast,
  hasRoles: protocol.roles !== undefined,
  parameters: protocol.parameters.map(({ name, about, type, default: standard }) => ({
    name,
    about,
    choices: typeof type === "object" ? type : type === "boolean" ? ["false", "true"] : null,
    default: typeof standard === "function" || standard === null ? null : String(standard),
  })),
});
const listed = (): Listed[] => [...catalogue, ...opened()].map(listedOf);
/** The run's sentence has controls of its own for these. */
const IN_THE_SENTENCE = ["n", "topology", "seed", "ids"];
const settings = Object.entries<Setting>(SETTINGS)
  .filter(([field]) => !IN_THE_SENTENCE.includes(field))
  .map(([field, { about, offers, words, default: standard, otherwise = "" }]) => ({
    name: flagOf(field).slice(2),
    about,
    offers: [...(offers ?? words ?? [])],
    standard: standard ?? otherwise,
  }));
say({ id: 0, catalogue: listed(), settings, version });

// What a node knows, as lines of names and values.

const MOST_LINES = 60;
const MOST_LETTERS = 120;

function stateLines(value: unknown): (readonly [string, string])[] {
  if (typeof value !== "object" || value === null) return [["state", value === null ? "nothing yet" : String(value)]];
  const lines = Object.entries(value)
    .filter(([name]) => name !== "params")
    .map(([name, field]) => [name, clipped(plain(field))] as const);
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES), ["…", `${lines.length - MOST_LINES} more`]];
}

const clipped = (text: string): string => (text.length <= MOST_LETTERS ? text : `${text.slice(0, MOST_LETTERS)}…`);

function plain(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value instanceof Map || value instanceof Set) return plain([...value]);
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(plain).join(", ");
  if (typeof value !== "object") return String(value);
  const fields = Object.entries(value).map(([name, field]) => `${name} ${plain(field)}`);
  return fields.length === 0 ? "none" : `(${fields.join(", ")})`;
}

/** All of it, for comparisons. */
const stateJson = (value: unknown): string => jsonOf(value instanceof Map ? [...value] : value) ?? "null";
