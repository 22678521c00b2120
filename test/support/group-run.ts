/** Groups on the events host, in virtual milliseconds: the machine as it ships, stepped through by hand. */
import { group } from "../../src/elector/group.ts";
import { type GroupParams, groupParams, type LeaseSettings } from "../../src/elector/params.ts";
import type { GroupEvent, GroupReport, OfficeReport } from "../../src/elector/report.ts";
import type { GroupCommand } from "../../src/elector/talk/messages.ts";
import type { FaultPlan } from "../../src/host/faults/faults.ts";
import { NO_FAULTS } from "../../src/host/faults/faults.ts";
import type { Observer } from "../../src/host/observer.ts";
import type { EventsSetup } from "../../src/host/setup.ts";
import type { OnHandled } from "../../src/host/stepping/step-recorder.ts";
import { openRun } from "../../src/host/stepping/stepping.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { byRole } from "../../src/protocols/by-role.ts";
import { type EngineCommand, engineModel } from "../../src/protocols/lease/model.ts";
import { leaseTimes } from "../../src/protocols/lease/params.ts";
import { open } from "../../src/topology/topology.ts";
import { ending, endless, mostHandled } from "./ending.ts";

export interface GroupRunOptions {
  readonly n: number;
  readonly seed?: number;
  readonly until?: number;
  readonly params?: Partial<GroupParams>;
  readonly faults?: Partial<FaultPlan>;
  readonly protocol?: AnyProtocol;
  readonly observer?: Observer;
  /** Where a run is stepped through, which leaves the observer out. */
  readonly onHandled?: OnHandled;
  /** Strict mode: node n is the engine, and leases last for `ttl` (2,000). */
  readonly lease?: Partial<LeaseSettings>;
  /** Milliseconds that messages take; 0.2 to 2 where nothing is said. */
  readonly delay?: readonly [number, number];
}

export function groupSetup({ n, seed = 1, until = 60_000, ...given }: GroupRunOptions): EventsSetup {
  const member = given.protocol ?? group();
  const lease = given.lease === undefined ? null : leaseSettings(n, given.lease);
  const roles = lease === null ? {} : { roles: [...new Array(n).fill("member"), "engine"] };
  return ending({
    protocol: lease === null ? member : byRole({ member, engine: engineModel() }),
    params: groupParams({ ...given.params, lease }),
    topology: open(lease === null ? n : n + 1),
    ids: null,
    ...roles,
    initiators: null,
    crashed: [],
    seeds: ["0"],
    seed,
    trial: 0,
    until,
    fifo: false,
    faults: { ...NO_FAULTS, ...given.faults },
    delay: { kind: "uniform", min: given.delay?.[0] ?? 0.2, max: given.delay?.[1] ?? 2 },
    observer: given.observer,
  });
}

const leaseSettings = (n: number, { ttl = 2000, ...given }: Partial<LeaseSettings>): LeaseSettings => ({
  engine: String(n),
  ...leaseTimes(ttl),
  settles: false,
  preemptible: false,
  ...given,
});

/** What a member said, and when. */
export interface Told extends GroupEvent {
  readonly node: number;
  readonly at: number;
}

/** A run that goes to a moment when it is asked to, and remembers what members said. */
export function runGroup(options: GroupRunOptions) {
  const setup = groupSetup(options);
  const { onHandled = () => {} } = options;
  const run = openRun(setup, { frames: 0, onHandled });
  const told: Told[] = [];
  const versions = new Map<number, number>();
  const report = (node: number) => run.view.report!(node) as GroupReport | undefined;

  function listen(node: number): void {
    const now = report(node);
    if (now === undefined || versions.get(node) === now.version) return;
    versions.set(node, now.version);
    for (const event of now.news) told.push({ ...event, node, at: run.time });
  }

  const most = mostHandled(setup.topology.size, setup.until!);
  let steps = 0;

  /** Until `done`, or until that time has passed; says whether it was done. */
  function until(done: () => boolean, limit: number): boolean {
    while (run.time < limit) {
      if (done()) return true;
      if (++steps > most) throw new Error(endless(setup.seed, most, run.time));
      const event = run.step();
      if (event === null) break;
      if ("node" in event && typeof event.node === "number") listen(event.node);
    }
    return done();
  }

  const nodes = Array.from({ length: options.n }, (_, node) => node);
  const alive = () => nodes.filter((node) => run.alive(node));
  const office = (node: number, name = "leader"): OfficeReport | undefined => report(node)?.offices[name];
  const leaders = (name = "leader") => alive().filter((node) => office(node, name)?.mine === true);
  /** Who leads, where one does and all follow; null otherwise. */
  function agreed(name = "leader"): number | null {
    const [first, ...more] = leaders(name);
    if (first === undefined || more.length > 0) return null;
    const all = alive().every((node) => office(node, name)?.leader === `m${first}`);
    return all ? first : null;
  }

  return {
    run,
    told,
    report,
    office,
    leaders,
    agreed,
    alive,
    until,
    /** Goes on for this many milliseconds. */
    pass: (ms: number) => until(() => false, run.time + ms),
    /** Until one leads and all follow; how long that took, in milliseconds. */
    settle(limit: number, name = "leader"): number {
      const from = run.time;
      if (!until(() => agreed(name) !== null, from + limit)) throw new Error(`no leader after ${limit} ms`);
      return run.time - from;
    },
    command(node: number, message: GroupCommand | EngineCommand) {
      run.inject({ command: node, message });
    },
  };
}
