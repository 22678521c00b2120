/** With a terminal, and as the first process of a container. */
import { spawnSync } from "node:child_process";
import { afterAll, expect, test } from "vitest";
import { bin } from "../cli/run.ts";
import { Scene, until } from "./harness.ts";

const it = new Scene();
afterAll(() => it.close());

const has = (...line: string[]): boolean => spawnSync(line[0], line.slice(1), { stdio: "ignore" }).status === 0;
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

test.runIf(has("script", "--version"))("a terminal: it is the command's, and Ctrl-C comes once", async () => {
  const script =
    'test -t 0 && test -t 1 && echo "a terminal"; trap "echo int; exit 6" INT; read x; echo "read $x"; while :; do sleep 0.1; done';
  const line = [process.execPath, bin, "run", "--log", "json", "--lease", "sqlite:tty.db", "--", "sh", "-c", script];
  const run = it.through(["script", "-qec", line.map(quoted).join(" "), "/dev/null"]);
  await until("a terminal", () => run.stdout.includes("a terminal"));
  run.child.stdin!.write("a line\n");
  await until("what it has read", () => run.stdout.includes("read a line"));
  run.child.stdin!.write("\x03");
  expect(await run.ended).toBe(6);
  expect(run.stdout.split("\n").filter((each) => each.trim() === "int" || each.trim() === "^Cint")).toHaveLength(1);
});

const UNSHARE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];

test.runIf(has(...UNSHARE, "true"))(
  "as PID 1: orphans that have ended are cleared away, signals and status pass",
  async () => {
    // The orphan's parent ends before it does; a zombie of it would be seen by ps.
    const script =
      'echo "pid of the parent: $(cut -d" " -f4 /proc/$PPID/stat)"; (setsid sleep 0.2 &); sleep 0.6; grep -ls "^State:.Z" /proc/[0-9]*/status; trap "exit 9" TERM; echo up; while :; do sleep 0.1; done';
    const run = it.sh(script, { through: UNSHARE, lease: "sqlite:pid1.db" });
    await until(
      () => `up in ${run.stderr}`,
      () => run.stdout.includes("up"),
    );
    expect(run.stdout).not.toContain("/proc/");
    const first = await until("PID 1", () =>
      it
        .everything()
        .find((pid) =>
          spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).stdout.startsWith(
            "sh -c exec 3<&0",
          ),
        ),
    );
    process.kill(first, "SIGTERM");
    expect(await run.ended).toBe(9);
  },
);
