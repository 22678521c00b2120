/**
 * As the first process of a container. Whatever loses its parent becomes a child of that process, which has to take notice when it
 * ends; Node does so only of what it has started itself. So a shell takes its place, which takes notice of all, passes signals on, and
 * ends with the status of this program, which it starts again beside it.
 */
import { existsSync } from "node:fs";

const SHELL = "/bin/sh";

/** In the background, so that signals are passed on at once; its standard input would be empty there. */
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

/** Does not return where that is possible; null where there is no need; otherwise says why not. */
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
