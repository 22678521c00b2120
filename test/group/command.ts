/** The one command that runs a seed again. */
import { mixesOf } from "./mixes.ts";
import type { Wanted } from "./scenario.ts";

/** `wanted`: what was asked for; all else follows from the seed there as well. */
export function replayCommand(seed: number, mix: string, { members, policy, offices, until, lease }: Wanted): string {
  const parts = [
    `npm run soak -- --replay ${seed}`,
    lease === undefined ? "" : "--strict",
    lease?.ttl === undefined ? "" : `--ttl ${lease.ttl}`,
    Object.hasOwn(mixesOf(lease !== undefined), mix) ? `--mix ${mix}` : `--faults ${mix.replaceAll("+", ",")}`,
    members === undefined ? "" : `--members ${members}`,
    policy === undefined ? "" : `--policy ${policy}`,
    offices === undefined ? "" : `--offices ${offices.length}`,
    until === undefined ? "" : `--seconds ${until / 1000}`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}
