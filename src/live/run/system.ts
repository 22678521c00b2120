/** What an ending needs, of this machine. */
import { machineNow, realWorld } from "../real-world.ts";
import type { EndingMeans } from "./ending.ts";
import { find, readProcess } from "./processes.ts";

export const systemEnding: EndingMeans = {
  clocks: { mono: machineNow, wall: () => realWorld.wall() },
  set: (ms, callback) => realWorld.set(ms, callback),
  find,
  read: readProcess,
  kill(pid, signal) {
    try {
      return process.kill(pid, signal);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "EPERM";
    }
  },
};
