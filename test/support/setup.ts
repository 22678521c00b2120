/**
 * Before the first test file: a temporary folder for this run alone. After the last one: the folder is removed, and a process that a
 * test left running is a failure. A warden outlives the run and cleans up however it ends, also after Ctrl-C and kill -9.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";

/** Every process of a run has it in its environment, and the names of its network namespaces and folders in /dev/shm contain it. */
export const RUN = "SORTITION_TEST_RUN";

/** Reads until the pipe to the run has closed. Arguments: what a process of the run has in its environment, its id, its folder, those of Vitest. */
const WARDEN = `
cat > /dev/null
for try in 1 2 3 4 5 6 7 8 9 10; do
  pids=$(grep -lzsx "$1=$2" /proc/[0-9]*/environ | cut -d/ -f3)
  [ -z "$pids" ] && break
  kill -9 $pids 2> /dev/null
  sleep 0.1
done
for space in /var/run/netns/sortition-$2-*; do
  [ -e "$space" ] && ip netns del "$(basename "$space")"
done
grep -F "sortition-" /proc/mounts | cut -d" " -f2 | while read -r place; do
  place=$(printf "%b" "$place")
  case "$place" in "$3"/*|/dev/shm/sortition-$2-*) umount -l "$place" ;; esac
done
rm -rf /dev/shm/sortition-$2-*
shift 2
rm -rf "$@"
`;

/** Milliseconds that processes have for their end after the last test. */
const GRACE = 10_000;

/** Where Vitest keeps compiled files; it removes them itself, unless it is killed. */
interface Project {
  readonly tmpDir: string;
  readonly vitest: { readonly projects: readonly Project[] };
}

export default function setup({ vitest }: Project): (() => Promise<void>) | undefined {
  // Each project of the configuration asks; the first one does it for all.
  if (process.env[RUN] !== undefined) return undefined;
  const id = randomBytes(6).toString("hex");
  const folder = mkdtempSync(join(tmpdir(), "sortition-test-"));
  // Servers that root starts as another user keep their data in it.
  chmodSync(folder, 0o711);
  const folders = [folder, ...vitest.projects.map(({ tmpDir }) => tmpDir)];
  const warden = spawn("sh", ["-c", WARDEN, "warden", RUN, id, ...folders], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  warden.stdin.on("error", () => {});
  warden.unref();
  process.env.TMPDIR = folder;
  process.env[RUN] = id;
  return async () => {
    const left = await remaining(id);
    rmSync(folder, { recursive: true, force: true });
    if (left.length === 0) return;
    process.exitCode = 1;
    process.stderr.write(`\nleft running after the last test:\n${left.map((line) => `  ${line}\n`).join("")}`);
  };
}

/** The command lines of processes that tests have started and that do not end. */
async function remaining(id: string): Promise<string[]> {
  for (const limit = Date.now() + GRACE; ; await pass(50)) {
    const left = processesOf(id);
    if (left.length === 0 || Date.now() > limit) return left;
  }
}

function processesOf(id: string): string[] {
  const found: string[] = [];
  for (const pid of numbersIn("/proc")) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`${RUN}=${id}`)) continue;
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      // A process without a command line is about to end; Vitest ends its workers itself.
      if (line !== "" && !/\/vitest\//.test(line)) found.push(`${pid} ${line}`);
    } catch {
      // It has ended, or it belongs to somebody else.
    }
  }
  return found;
}

function numbersIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
