/** `sortition agent`: this process is a member of a group and serves HTTP, until it is told to end. */
import { constants } from "node:os";
import type { Command } from "commander";
import { type RunningAgent, startAgent } from "../../live/agent/agent.ts";
import { type CheckFinding, checkMeans } from "../../live/agent/check.ts";
import type { Configured } from "../../live/agent/config.ts";
import { createLog, type Log } from "../../live/agent/log.ts";
import type { AgentSettings } from "../../live/agent/settings.ts";
import { collect, spareMemory } from "../../live/collect.ts";
import { AGENT_KEYS, type AgentKey, agentSetting } from "../../settings/member.ts";
import type { Io } from "../io.ts";
import { addMemberOptions, configured, type MemberFlags } from "../options/member.ts";
import { table } from "../text/table.ts";
import { examples, painter, print, terminalWidth } from "../text/terminal.ts";

export function define(command: Command, io: Io): void {
  command.description(
    "This process is a member of a group and answers programs in any language over HTTP. On SIGTERM or Ctrl-C it hands its offices over and leaves; a second signal ends it at once. SIGHUP reads keys, bearer token and certificate again. You can also set every option in a file (--config) or in the environment: --key-file is keyFile in the file, and SORTITION_KEY_FILE.",
  );
  addMemberOptions(command)
    .option("--check", "check all settings, print the source of each value, and end with status 0 or 2")
    .addHelpText(
      "after",
      examples(
        [
          [
            "sortition agent --name a --bind 127.0.0.1:7001",
            "the first member, on this machine alone and without a key",
          ],
          ["curl http://127.0.0.1:7070/v1/leader", "who leads, in another terminal"],
          [
            "sortition agent --name b --seeds 127.0.0.1:7001 --http 127.0.0.1:7071",
            "another one; end the first and see who leads",
          ],
          [
            "sortition agent --config agent.yaml --check",
            "whether all of it can be used, and where each value comes from",
          ],
        ],
        "docs/agent.md (configuration, HTTP API, log, metrics, signals)",
      ),
    )
    .action(run.bind(null, io));
}

/** Lines go to standard error: standard output belongs to commands that are run. */
export const logOf = (io: Io, { log, logLevel, group, name }: AgentSettings): Log =>
  createLog({
    form: log === "auto" ? (io.stderr.isTTY ? "text" : "json") : log,
    level: logLevel,
    about: { group, member: name },
    write: (line) => void io.stderr.write(`${line}\n`),
    time: () => new Date().toISOString(),
  });

async function run(io: Io, flags: MemberFlags): Promise<void> {
  const given = configured(flags, {}, io.env);
  const { settings } = given;
  if (flags.check === true) {
    io.exitCode = (await checkAll(io, given)) ? 0 : 2;
    return;
  }
  spareMemory();
  await untilSignalled(io, () => startAgent(settings, { log: logOf(io, settings) }));
}

/** Until it has stopped: by a signal, of which a second one ends it at once, or by itself. */
async function untilSignalled(io: Io, start: () => Promise<RunningAgent>): Promise<void> {
  let agent: RunningAgent | null = null;
  let isEnding = false;
  const end = (signal: "SIGINT" | "SIGTERM") => {
    if (isEnding || agent === null) io.exit(128 + constants.signals[signal]);
    isEnding = true;
    // Where that fails, `ended` says why.
    void agent.stop().catch(() => {});
  };
  const reload = () => agent?.reload();
  // Before all else: the first process of a container gets no signal that it does not listen to.
  io.on("SIGINT", end).on("SIGTERM", end).on("SIGHUP", reload);
  try {
    agent = await start();
    // Now, when it leads nothing yet.
    collect();
    await agent.ended;
    await agent.stop();
  } finally {
    io.off("SIGINT", end).off("SIGTERM", end).off("SIGHUP", reload);
  }
}

// `sortition agent --check`: every setting with its value and its origin, and whether what it names can be used.

const MARKS: Readonly<Record<CheckFinding["is"], string>> = { well: "ok", noted: "note", wrong: "WRONG" };

/** Whether an agent could start with it. */
async function checkAll(io: Io, { settings, origins, warnings }: Configured): Promise<boolean> {
  const paint = painter(io.stdout);
  const heading = (text: string) => paint("bold", text);
  const width = terminalWidth(io);
  const values = AGENT_KEYS.flatMap((key) => {
    const value = shown(key, settings);
    return value === null ? [] : [[key, value, origins.get(key) ?? "default"]];
  });
  print(io, table([{ title: "setting" }, { title: "value" }, { title: "from" }], values, { heading }));
  const findings = await checkMeans(settings);
  const said = [
    ...findings.map(({ about, is, why }) => [about, MARKS[is], why]),
    ...warnings.map((why) => ["", "warning", why]),
  ];
  print(io, "");
  print(io, table([{ title: "checked" }, { title: "" }, { title: "", wrap: true }], said, { heading, width }));
  const wrong = findings.filter(({ is }) => is === "wrong").map(({ about }) => about);
  print(
    io,
    wrong.length === 0 ? "\nAn agent can start with this." : `\nAn agent cannot start with this: ${wrong.join(", ")}`,
  );
  return wrong.length === 0;
}

/** Null where nothing is said and nothing follows. */
function shown(key: AgentKey, settings: AgentSettings): string | null {
  const value = settings[key];
  if (value === undefined) return null;
  if (key === "lease") return withoutPassword(String(value));
  if (agentSetting(key).secret) return "(not shown)";
  return Array.isArray(value) ? value.join(", ") || "none" : String(value);
}

/** Of a database only that it is one: what is checked says which. */
const withoutPassword = (address: string): string =>
  address.startsWith("sqlite:") ? address : address.replace(/:.*/s, "://...");
