/**
 * For the first process of a container. Orphaned processes become its children, and it has to reap them when they end. Node reaps only
 * processes that it has started itself. So a shell takes the place of this process. The shell reaps all, passes signals on, starts this
 * program again, and ends with its status.
 */
import { existsSync } from "node:fs";

const SHELL = "/bin/sh";

/** The program runs in the background, so that the shell passes signals on at once. Descriptor 3 keeps its standard input. */
const SCRIPT = `exec 3<&0
"$@" <&3 3<&- &
child=$!
exec 3<&- </dev/null
for signal in TERM INT HUP QUIT USR1 USR2 WINCH CONT; do trap "kill -$signal $child 2>/dev/null" $signal; done
while :; do
  wait $child
  status=$?
  kill -0 $child 2>/dev/null || exit $status
done`;

type Execve = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => never;

/** Replaces this process by the shell, and does not return. Returns null if there is no need, or why it is not possible. */
export function makeRoomForInit(): string | null {
  if (process.pid !== 1) return null;
  // Since Node 22.15.
  const { execve } = process as { execve?: Execve };
  if (execve === undefined) return "this Node cannot replace itself by a shell";
  if (!existsSync(SHELL)) return `there is no ${SHELL}`;
  return execve(
    SHELL,
    ["sh", "-c", SCRIPT, "sh", process.execPath, ...process.execArgv, ...process.argv.slice(1)],
    process.env,
  );
}
