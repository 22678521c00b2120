/**
 * A small network of this machine's own: hosts in network namespaces on two bridges, and a link between the bridges that can be
 * taken down. It needs root and the command `ip`.
 */
import { execFileSync } from "node:child_process";
import { NEEDS_ROOT } from "./not-tested.ts";
import { RUN } from "./setup.ts";

const ip = (...args: string[]) => execFileSync("ip", args, { stdio: "pipe" });

/** Why there can be no such network here; null where there can. */
export function namespacesRefused(): string | null {
  if (process.getuid?.() !== 0) return NEEDS_ROOT;
  const probe = `sortition-${process.env[RUN]}-probe-${process.pid}`;
  try {
    ip("netns", "add", probe);
    ip("netns", "del", probe);
    return null;
  } catch (error) {
    return `"ip netns" does not work here (${String(error).split("\n")[0]})`;
  }
}

/** Names of namespaces are the machine's, so they name the run, for its warden, and the process. */
let networks = 0;

export class PartedNetwork {
  private readonly name = `sortition-${process.env[RUN]}-${process.pid}-${networks++}`;
  private readonly hub = `${this.name}-hub`;
  private readonly spaces: string[] = [];

  constructor() {
    ip("netns", "add", this.hub);
    this.spaces.push(this.hub);
    for (const side of [0, 1]) {
      this.inHub("link", "add", `side${side}`, "type", "bridge");
      this.inHub("link", "set", `side${side}`, "up");
    }
    this.inHub("link", "add", "cable0", "type", "veth", "peer", "name", "cable1");
    for (const side of [0, 1]) this.inHub("link", "set", `cable${side}`, "master", `side${side}`, "up");
  }

  /** A host on one side; what is run through the answer runs there. */
  host(side: 0 | 1): { readonly through: readonly string[]; readonly address: string } {
    const number = this.spaces.length;
    const space = `${this.name}-${number}`;
    const address = `10.77.0.${number}`;
    ip("netns", "add", space);
    this.spaces.push(space);
    this.inHub("link", "add", `port${number}`, "type", "veth", "peer", "name", "eth0", "netns", space);
    this.inHub("link", "set", `port${number}`, "master", `side${side}`, "up");
    ip("-n", space, "addr", "add", `${address}/24`, "dev", "eth0");
    for (const device of ["lo", "eth0"]) ip("-n", space, "link", "set", device, "up");
    return { through: ["ip", "netns", "exec", space], address };
  }

  part(): void {
    this.inHub("link", "set", "cable0", "down");
  }

  heal(): void {
    this.inHub("link", "set", "cable0", "up");
  }

  remove(): void {
    for (const space of this.spaces.reverse()) ip("netns", "del", space);
  }

  private inHub(...args: string[]): void {
    ip("-n", this.hub, ...args);
  }
}
