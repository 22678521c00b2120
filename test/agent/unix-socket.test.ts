/** HTTP at a Unix socket: only its owner can ask, a socket that was left behind is replaced, and nothing stays at the end. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { agentClient } from "../../src/cli/options/agent-client.ts";
import { checkHttpAddress, listen } from "../../src/live/agent/listening.ts";
import { membersOf, served, TOKEN } from "../support/api.ts";

function socketFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "sortition-unix-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "agent.sock");
}

/** As a process leaves it that was killed. */
function leaveSocket(file: string): void {
  const program =
    'require("node:net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))';
  spawnSync(process.execPath, ["-e", program, file]);
  expect(existsSync(file)).toBe(true);
}

test("is answered at a socket of mode 0600 that replaces a stale one, to the client and its events, and is removed", async () => {
  const file = socketFile();
  leaveSocket(file);
  const [member] = await membersOf(["a"], { strict: false });
  const { api } = await served(member, { settings: { http: `unix:${file}` } });
  expect(api.url).toBe(`unix:${file}`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const client = agentClient({ agent: api.url }, { SORTITION_HTTP_TOKEN: TOKEN });
  expect(await client.get("/v1/self")).toMatchObject({ name: "a" });
  expect((await client.status()).self.name).toBe("a");
  expect(await Promise.all(Array.from({ length: 20 }, () => client.members()))).toHaveLength(20);
  await expect(client.post("/v1/nothing")).rejects.toMatchObject({ status: 404 });
  const stranger = agentClient({ agent: api.url }, {});
  await expect(stranger.post("/v1/rekey")).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  await api.close();
  expect(existsSync(file)).toBe(false);
  await expect(client.members()).rejects.toThrow(/no agent answers at unix:.* \(there is no such socket\)/);
});

test("nobody else can reach a socket before it has its mode: it is made in a folder of mode 0700", async () => {
  const file = socketFile();
  const server = createServer();
  const bind = server.listen.bind(server) as (...given: readonly unknown[]) => typeof server;
  const seen: unknown[] = [];
  server.listen = (...given: readonly unknown[]) => {
    const folder = dirname(String(given[0]));
    seen.push({ isFinal: given[0] === file, mode: statSync(folder).mode & 0o777, isBeside: dirname(folder) });
    return bind(...given);
  };
  await listen(server, { path: file });
  expect(seen).toEqual([{ isFinal: false, mode: 0o700, isBeside: dirname(file) }]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // Nothing else is left beside it; another socket under its name is not removed with it.
  expect(readdirSync(dirname(file))).toEqual([basename(file)]);
  leaveSocket(`${file}.other`);
  renameSync(`${file}.other`, file);
  await new Promise((resolve) => server.close(resolve));
  expect(existsSync(file)).toBe(true);
});

test("a socket that somebody answers at, and a file that is no socket, are left alone", async () => {
  const file = socketFile();
  writeFileSync(file, "notes");
  await expect(checkHttpAddress(`unix:${file}`)).rejects.toThrow(/another file has that name/);
  rmSync(file);
  const other = createServer();
  await new Promise<void>((resolve) => void other.listen(file, resolve));
  onTestFinished(() => void other.close());
  await expect(checkHttpAddress(`unix:${file}`)).rejects.toThrow(/another process uses it/);
  expect(existsSync(file)).toBe(true);
});
