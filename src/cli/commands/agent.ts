/** `sortition agent`: this process is a member of a group and serves HTTP, until it is told to end. */
import { constants } from "node:os";
import type { Command } from "commander";
import { type RunningAgent, startAgent } from "../../live/agent/agent.ts";
import { createLog, type Log } from "../../live/agent/log.ts";
import type { AgentSettings } from "../../live/agent/settings.ts";
import type { Io } from "../io.ts";
import { addMemberOptions, configured, type MemberFlags } from "../options/member.ts";
import { examples } from "../text/help.ts";
import { checkAll } from "./group/check.ts";

export function define(command: Command, io: Io): void {
  command.description(
    "This process is a member of a group and serves what it knows over HTTP, for programs in any language. SIGTERM or Ctrl-C: it hands its offices over and leaves; a second one ends it at once. SIGHUP reads keys, bearer token and certificate again. Every option can also be said in a file (--config) or in the environment: --key-file is keyFile there, and SORTITION_KEY_FILE.",
  );
  addMemberOptions(command)
    .option("--check", "say where each value comes from and whether all of it can be used, and end: with 0, or with 2")
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
        "docs/agent.md (configuration, log, metrics, signals), docs/http-api.md",
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
    await agent.ended;
    await agent.stop();
  } finally {
    io.off("SIGINT", end).off("SIGTERM", end).off("SIGHUP", reload);
  }
}
