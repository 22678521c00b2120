/**
 * Before the first test file, and after setup.ts: servers that come from no package of npm are fetched, once and by this process alone.
 * A run that cannot fetch a server goes on and leaves its tests out; under CI it fails.
 */
import { fetchProgram, findProgram } from "./debian.ts";
import { NATS } from "./nats-server.ts";

export default function servers(): void {
  if (findProgram(NATS) !== null) return;
  process.stdout.write(`Fetching ${NATS.name} from Debian into node_modules/.cache, once.\n`);
  const missing = fetchProgram(NATS);
  if (missing === null) return;
  const line = `${NATS.name}: ${missing}`;
  if ((process.env.CI ?? "") === "") process.stderr.write(`${line}; its tests are left out.\n`);
  else throw Object.assign(new Error(line), { stack: line });
}
