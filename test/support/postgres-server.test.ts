/** The server that other tests stand on does what it is told. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isLong } from "./effort.ts";
import { withPostgres } from "./with-postgres.ts";

await withPostgres("the PostgreSQL of the tests", (server) => {
  const counted = async () => (await server.sql("SELECT count(*)::int AS n FROM things"))[0].n;

  test("it keeps what was committed when it is stopped or killed, and comes back on its port", async () => {
    await server.sql("CREATE TABLE things (id int)");
    await server.sql("INSERT INTO things VALUES (1)");
    await server.stop();
    await server.start();
    await server.sql("INSERT INTO things VALUES (2)");
    await server.kill();
    await expect(server.sql("SELECT 1")).rejects.toThrow("ECONNREFUSED");
    await server.start();
    expect(await counted()).toBe(2);
  });

  test("while it is paused nothing answers, and then everything does", async () => {
    server.pause();
    let isAnswered = false;
    const answer = counted().finally(() => {
      isAnswered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAnswered).toBe(false);
    server.resume();
    expect(await answer).toBe(2);
  });

  test.runIf(isLong)("an old copy brings old rows back", async () => {
    const copy = server.copy();
    await server.sql("INSERT INTO things VALUES (3)");
    expect(await counted()).toBe(3);
    await server.restore(copy);
    expect(await counted()).toBe(2);
  });
});

test("no server outlives the process that started it, even if both are killed or paused", async () => {
  const module = fileURLToPath(new URL("postgres-server.ts", import.meta.url));
  const program = `
    const { PostgresServer } = await import(${JSON.stringify(module)});
    const server = await PostgresServer.create().catch((error) => console.log("refused") ?? process.exit());
    server.pause();
    console.log(server.port, server.pids.join(" "));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await once(child.stdout, "data");
  if (String(said).startsWith("refused")) return;
  const [, ...pids] = String(said).trim().split(" ").map(Number);
  expect(pids.length).toBeGreaterThan(1);
  child.kill("SIGKILL");
  const living = () => pids.filter((pid) => isAlive(pid));
  await expect.poll(living, { timeout: 40_000 }).toEqual([]);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
