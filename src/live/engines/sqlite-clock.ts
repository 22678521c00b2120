/**
 * The clock of leases in a file. Processes compare each other's times only where they read one and the same clock: the machine's
 * monotonic one, since one and the same start, in one time namespace. Otherwise they watch
 * whether anything changes (watched.ts).
 */
import { readFileSync, readlinkSync } from "node:fs";

/** The same text in all processes whose monotonic clocks can be compared; where the system does not tell, `own`. */
export function clockName(own: string): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${timeNamespace()}`;
  } catch {
    return own;
  }
}

function timeNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/time");
  } catch (error) {
    // Linux before 5.6 has no time namespaces: all processes read one clock.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
