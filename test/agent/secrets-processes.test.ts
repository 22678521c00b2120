/**
 * Secrets stay where they were put: agents with leases, HTTP, events and errors run and end, and nothing that they wrote holds a key, the
 * key for guards, a fence, a bearer token or a password. What is asked for with the bearer token (the fence) is the only exception.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { routes } from "../../src/live/agent/http/routes.ts";
import { newKeyText } from "../../src/live/net/keyring.ts";
import { sortition } from "../cli/run.ts";
import { AgentProcess } from "../support/agent-process.ts";
import { freePort } from "../support/ports.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-secrets-"));
const started: AgentProcess[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((agent) => agent.kill("SIGKILL")));
});
afterAll(() => rmSync(folder, { recursive: true }));

const KEYS = [newKeyText(), newKeyText()];
const TOKEN = "bearer-of-this-test-0123456789abcdef";
const WRONG = "wrong-bearer-0123456789abcdef";
const PASSWORD = "pw-of-this-test-0123456789";
const BAD_KEY = "this-is-no-key-0123456789";

function secret(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, `${text}\n`);
  chmodSync(file, 0o600);
  return file;
}

/** As it is, and as JSON, an address or a dump may have it. */
const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => Buffer.from(text).toString("hex"),
  (text) => Buffer.from(text).toString("base64").replace(/=+$/, ""),
];

/** All files below a folder that agents have written, and whose names fit. */
function filesOf(below: string, fits: (file: string) => boolean): string[] {
  return readdirSync(below, { recursive: true, encoding: "utf8" })
    .map((name) => join(below, name))
    .filter((file) => statSync(file).isFile() && fits(file))
    .map((file) => readFileSync(file, "latin1"));
}

/** Where a secret could be, with words that show that this place was looked at. */
const PLACES = {
  log: /"event":"won"|"event":"started"/,
  errors: /sortition: /,
  events: /event: resigned/,
  answers: /^401 /,
  metrics: /# TYPE sortition_/,
  crash: /"javascriptStack"/,
  record: /"kind"/,
  files: /SQLite format 3/,
} as const;
type Place = keyof typeof PLACES;
type Written = Record<Place, string[]>;

/** The name of each secret and of each place where it is. */
function leaks(written: Written, secrets: Readonly<Record<string, string>>): (readonly [what: string, place: Place])[] {
  const places = Object.entries(written) as [Place, string[]][];
  return Object.entries(secrets).flatMap(([what, text]) => {
    const forms = FORMS.map((form) => form(text));
    return places
      .filter(([, texts]) => texts.some((each) => forms.some((form) => each.includes(form))))
      .map(([place]) => [what, place] as const);
  });
}

/** An agent with all its secrets in its environment, that crashes once it serves HTTP; Node writes a report. */
async function crash(folder: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const program = 'process.on("SIGUSR2", () => { throw new Error("a crash of this test"); })';
  const flags = [
    `--import=data:text/javascript,${encodeURIComponent(program)}`,
    ...["--report-uncaught-exception", "--report-exclude-env", `--report-directory=${folder}`],
  ].map((flag) => JSON.stringify(flag));
  const crashed = new AgentProcess("c", ["--group", "third"], [], { ...env, NODE_OPTIONS: flags.join(" ") });
  started.push(crashed);
  await crashed.url();
  expect(await crashed.kill("SIGUSR2")).not.toBe(0);
  return [JSON.stringify(crashed.lines), crashed.errors, ...filesOf(folder, (file) => file.includes("report."))];
}

test("no secret is in logs, events, answers, metrics, errors, crash reports, state, lease store or flight record", async () => {
  const keyFile = secret("group.key", KEYS.join("\n"));
  const tokenFile = secret("http.token", TOKEN);
  const made = mkdtempSync(join(folder, "made-"));
  const port = await freePort();
  const written: Written = {
    log: [],
    errors: [],
    events: [],
    answers: [],
    metrics: [],
    crash: [],
    record: [],
    files: [],
  };
  const common = ["--profile", "local", "--key-file", keyFile, "--http-token-file", tokenFile, "--log-level", "debug"];

  function agent(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): AgentProcess {
    const kept = ["--state", join(made, name), "--record", join(made, `${name}.flight`)];
    const one = new AgentProcess(name, [...common, ...kept, ...args], [], env);
    started.push(one);
    return one;
  }
  const ask = async (one: AgentProcess, path: string, token?: string, method = "GET"): Promise<string> => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${await one.url()}${path}`, { method, headers, signal: AbortSignal.timeout(30_000) });
    return `${answer.status} ${JSON.stringify([...answer.headers])} ${await answer.text()}`;
  };

  const lease = ["--lease", `sqlite:${join(made, "leases.db")}`, "--lease-ttl", "1000"];
  const leader = agent("a", lease);
  await leader.until("leading", async () => (await leader.get("/v1/leader"))?.body.leader?.mine === true);
  const { fence } = JSON.parse((await ask(leader, "/v1/fence", TOKEN)).replace(/^.*?\]\] /, ""));
  expect(fence).toEqual(expect.any(String));

  // A lease store that does not answer, and whose password is in a file and in the environment.
  const address = secret("store", `postgres://role:${PASSWORD}@127.0.0.1:${port}/db`);
  const silent = agent("b", ["--group", "other", "--lease-file", address, "--lease-ttl", "1000"]);
  const refused = await Promise.all([
    sortition("agent", "--name", "c", "--lease", `postgres://role:${PASSWORD}@127.0.0.1:${port}/db`, "--http", "off"),
    sortition("agent", "--name", "c", "--key-file", secret("bad.key", BAD_KEY), "--http", "off"),
    sortition("lease", "ls", "--lease-file", address),
  ]);
  for (const { status, stdout, stderr } of refused) {
    expect(status).not.toBe(0);
    written.errors.push(stdout, stderr);
  }
  // The fence is for those who have the bearer token.
  const paths = routes
    .filter(({ method, path }) => method === "get" && path !== "/v1/events")
    .map(({ path }) => path.replace("{name}", "leader"));
  for (const path of [...paths, "/v1/nothing"])
    written.answers.push(await ask(leader, path), await ask(leader, path, WRONG));
  written.metrics.push(await ask(leader, "/metrics"));
  written.answers.push(await ask(leader, "/v1/rekey", WRONG, "POST"), await ask(leader, "/v1/rekey", TOKEN, "POST"));
  written.answers.push(await ask(leader, "/v1/resign", WRONG, "POST"), await ask(leader, `/v1/leader?token=${WRONG}`));
  const events = new AbortController();
  const stream = await fetch(`${await leader.url()}/v1/events`, { signal: events.signal });
  const reader = stream.body!.getReader();
  await ask(leader, "/v1/resign", TOKEN, "POST");
  let streamed = "";
  while (!streamed.includes("event: resigned")) streamed += new TextDecoder().decode((await reader.read()).value);
  written.events.push(streamed);
  events.abort();
  for (const flags of [[], ["--history"], ["--json"]]) {
    const { stdout, stderr } = await sortition("status", "--agent", await leader.url(), ...flags);
    written.answers.push(stdout, stderr);
  }
  await silent.line(
    ({ msg, why }) => /engine|lease store|ECONNREFUSED/.test(`${msg} ${why}`),
    "without its lease store",
  );
  written.answers.push(await ask(silent, "/v1/leader"), await ask(silent, "/v1/self"));
  written.metrics.push(await ask(silent, "/metrics"));
  writeFileSync(keyFile, BAD_KEY);
  written.answers.push(await ask(leader, "/v1/rekey", TOKEN, "POST"));
  await Promise.all([leader.kill("SIGTERM"), silent.kill("SIGTERM")]);

  for (const one of [leader, silent]) {
    written.log.push(JSON.stringify(one.lines));
    written.errors.push(one.errors);
  }
  const reports = mkdtempSync(join(folder, "reports-"));
  const stored = `postgres://role:${PASSWORD}@127.0.0.1:${port}/db`;
  written.crash = await crash(reports, {
    SORTITION_KEY: KEYS[0],
    SORTITION_HTTP_TOKEN: TOKEN,
    SORTITION_LEASE: stored,
  });
  const { stdout: guardKey } = await sortition(
    "keygen",
    "--guard",
    "sortition",
    "--key-file",
    secret("keys", KEYS.join("\n")),
  );
  for (const name of ["a", "b"]) {
    const { status, stdout } = await sortition("replay", join(made, `${name}.flight`), "--all", "--json");
    expect(status).toBe(0);
    written.record.push(stdout);
  }
  written.record.push(...filesOf(made, (file) => file.endsWith(".flight")));
  written.files = filesOf(made, (file) => !file.endsWith(".flight"));
  for (const [place, shown] of Object.entries(PLACES)) {
    expect([place, written[place as Place].some((text) => shown.test(text))]).toEqual([place, true]);
  }
  const secrets = { key: KEYS[0], next: KEYS[1], bad: BAD_KEY, token: TOKEN, wrong: WRONG, password: PASSWORD, fence };
  const [, guard] = /~([\w-]{20,})$/m.exec(guardKey)!;
  // What is secret of a fence is its code; a key also as the bytes that it stands for.
  const bytes = KEYS.map((key) => Buffer.from(key, "base64url"));
  const codes = {
    code: fence.split("~").at(-1),
    bytes: bytes[0].toString("latin1"),
    hex: bytes[0].toString("hex"),
    nextHex: bytes[1].toString("hex"),
    base64: bytes[0].toString("base64").replace("=", ""),
  };
  const all: Record<string, string> = { ...secrets, guard, ...codes };
  expect(leaks(written, all)).toEqual([]);
  // A leak of any of them would be noticed, wherever it was, and in whatever form.
  for (const place of Object.keys(PLACES) as Place[]) {
    for (const form of FORMS) {
      const leaky = Object.values(all).map((text) => `before${form(text)}after`);
      const found = leaks({ ...written, [place]: [...written[place], ...leaky] }, all);
      expect(new Set(found.map(([what]) => what))).toEqual(new Set(Object.keys(all)));
      expect(new Set(found.map(([, where]) => where))).toEqual(new Set([place]));
    }
  }
});
