/** Jobs as real processes: one of several runs the command, the others end with status 0, and a failure is tried again. */
import { expect, test } from "vitest";
import { clearScenesAtTheEnd, scene } from "./harness.ts";

clearScenesAtTheEnd();

test("--once: of three runs one starts the command, all end with status 0, and so does one that comes later", async () => {
  const it = scene({ ttl: 4000, grace: 500 });
  const command = ["sh", "-c", 'echo "run $SORTITION_JOB $SORTITION_ATTEMPT"'];
  const flags = ["--once", "migrate", "--log-level", "info"];
  const runs = ["a", "b", "c"].map((name) => it.run(command, { name, args: flags }));
  for (const run of runs) await run.endsWith(0);
  expect(runs.map(({ stdout }) => stdout).sort()).toEqual(["", "", "run migrate 1\n"]);
  const late = it.run(command, { name: "d", args: flags });
  await late.endsWith(0);
  expect(late.stdout).toBe("");
  expect(late.stderr).toMatch(/the job was done by [abc] at /);
});

test("--once: a command that fails is tried again, and its status is that of the run when it is given up", async () => {
  const it = scene({ ttl: 4000, grace: 500 });
  const run = it.run(["sh", "-c", "echo $SORTITION_ATTEMPT; exit 7"], { args: ["--once", "bad", "--attempts", "2"] });
  await run.endsWith(7);
  expect(run.stdout).toBe("1\n2\n");
});
