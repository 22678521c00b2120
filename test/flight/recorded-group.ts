/** Groups in virtual time whose members record themselves into files of a folder, as real ones do. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { group } from "../../src/elector/group.ts";
import { type GroupParams, groupParams } from "../../src/elector/params.ts";
import type { GroupReport } from "../../src/elector/report.ts";
import type { FlightFile } from "../../src/flight/lives.ts";
import { taped } from "../../src/flight/tape.ts";
import { VirtualOpenGroup, type VirtualOpenSetup } from "../../src/live/group/virtual.ts";
import { FlightRecorder } from "../../src/live/record/recorder.ts";
import type { VirtualMachine } from "../../src/live/virtual-world.ts";

export interface RecordedGroup {
  readonly group: VirtualOpenGroup;
  /** Ends all recorders, as the end of their processes does, and reads what they have written. */
  files(): FlightFile[];
  /** The member that leads, as far as it knows. */
  leader(): string | null;
  /** Says why a recorder has stopped, by the name of its member. */
  readonly stopped: ReadonlyMap<string, string>;
}

export interface RecordedSetup extends Partial<Pick<VirtualOpenSetup, "seed" | "conditions" | "peers" | "machine">> {
  readonly folder: string;
  readonly params?: Partial<GroupParams>;
  readonly minutes?: number;
}

export function recordedGroup({ folder, params, minutes = 10, ...setup }: RecordedSetup): RecordedGroup {
  const recorders = new Map<string, FlightRecorder>();
  const stopped = new Map<string, string>();
  const machine = setup.machine ?? group();
  const record = (name: string, process: VirtualMachine) => {
    // The process before has ended, and its file is free.
    recorders.get(name)?.close();
    const recorder = new FlightRecorder({ file: join(folder, `${name}.flight`), minutes }, process.world);
    const { host, port } = process.address;
    recorder.begin({ machine: "group", group: "virtual", member: name, address: `${host}:${port}` });
    recorder.onStopped = (why) => stopped.set(name, why);
    recorders.set(name, recorder);
    return taped(machine, recorder);
  };
  const virtual = new VirtualOpenGroup({
    seed: 1,
    ...setup,
    machine,
    params: (name) => groupParams({ profile: "local", ...params, name }),
    machineOf: record,
  });
  return {
    group: virtual,
    stopped,
    leader: () => virtual.peers.find(({ report }) => (report as GroupReport).offices.leader?.mine)?.name ?? null,
    files() {
      for (const recorder of recorders.values()) recorder.close();
      return readdirSync(folder)
        .filter((name) => name.endsWith(".flight"))
        .sort()
        .map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
    },
  };
}

/** Three members; the leader crashes after 5 s. */
export function failOver(folder: string): FlightFile[] {
  const recorded = recordedGroup({ folder, seed: 3 });
  for (const name of ["a", "b", "c"]) recorded.group.start(name);
  recorded.group.run(5000);
  recorded.group.crash(recorded.leader()!);
  recorded.group.run(5000);
  return recorded.files();
}
