/**
 * Before the first test file, and after setup.ts: servers that come from no package of npm are fetched, once and by this process alone;
 * `npm run test:long` also builds those that Go builds. A run that cannot fetch or build a server goes on and leaves its tests out; under CI it fails.
 */
import { fetchPrograms, findProgram } from "./debian.ts";
import { isLong } from "./effort.ts";
import { buildGoProgram, findGoProgram, GO_PROGRAMS, goFolder, versionOf } from "./go-program.ts";
import { NATS } from "./nats-server.ts";
import { ETCD, REDIS } from "./private-server.ts";

export default function servers(): void {
  const missing: string[] = [];
  const wanted = [NATS, ETCD, REDIS].filter((program) => findProgram(program) === null);
  const names = wanted.map(({ name }) => name);
  if (names.length > 0)
    process.stdout.write(`Fetching ${names.join(", ")} from Debian into node_modules/.cache, once.\n`);
  for (const [i, why] of fetchPrograms(wanted).entries()) if (why !== null) missing.push(`${names[i]}: ${why}`);
  for (const program of isLong ? GO_PROGRAMS : []) {
    if (findGoProgram(program) !== null) continue;
    const named = `${program.name} ${versionOf(program)}`;
    process.stdout.write(`Building ${named} from the Go module proxy into ${goFolder()}, once.\n`);
    const why = buildGoProgram(program);
    if (why !== null) missing.push(`${named}: ${why}`);
  }
  if (missing.length === 0) return;
  const lines = missing.join("\n");
  if ((process.env.CI ?? "") === "") process.stderr.write(`${lines}; tests that need it are left out.\n`);
  else throw Object.assign(new Error(lines), { stack: lines });
}
