/** With a terminal, and as the first process of a container. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { bin } from "../cli/run.ts";
import { clearScenesAtTheEnd, scene, until } from "./harness.ts";

clearScenesAtTheEnd();

const it = scene();

const has = (...line: string[]): boolean => spawnSync(line[0], line.slice(1), { stdio: "ignore" }).status === 0;
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

test.runIf(has("script", "--version"))("a terminal: it is the command's, and Ctrl-C comes once", async () => {
  const script =
    'test -t 0 && test -t 1 && echo "a terminal"; trap "echo int; exit 6" INT; read x; echo "read $x"; while :; do sleep 0.1; done';
  const member = ["--group", it.group, "--log", "json", "--lease", "sqlite:tty.db"];
  const line = [process.execPath, bin, "run", ...member, "--", "sh", "-c", script];
  // Ctrl-C also reaches the shell through which it is started, if that stays: dash would die of it, and its status be that of `script`.
  const typed = `exec ${line.map(quoted).join(" ")}`;
  const run = it.through(["script", "-qec", typed, "/dev/null"], { SHELL: "/bin/sh" });
  await until("a terminal", () => run.stdout.includes("a terminal"));
  run.child.stdin!.write("a line\n");
  await until("what it has read", () => run.stdout.includes("read a line"));
  run.child.stdin!.write("\x03");
  await run.endsWith(6);
  expect(run.stdout.split("\n").filter((each) => each.trim() === "int" || each.trim() === "^Cint")).toHaveLength(1);
});

const UNSHARE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];

test.runIf(has(...UNSHARE, "true"))(
  "as PID 1: orphans that have ended are cleared away, signals and status pass",
  async () => {
    // The orphan's parent ends before it does; without a parent that reaps it, it would stay in /proc for ever.
    const script =
      '(setsid sh -c "echo \\$\\$ > orphan; sleep 0.2" &); until [ -s orphan ]; do sleep 0.02; done; while [ -e "/proc/$(cat orphan)" ]; do sleep 0.02; done; trap "exit 9" TERM; echo up; while :; do sleep 0.1; done';
    const run = it.sh(script, { through: UNSHARE, lease: "sqlite:pid1.db" });
    await until(
      () => `up in ${run.stderr}`,
      () => run.stdout.includes("up"),
    );
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
    await run.endsWith(9);
  },
);
