/** `sortition run`: a command that runs only while this process leads. */
import { isatty } from "node:tty";
import type { Command } from "commander";
import { readOffice } from "../../elector/params.ts";
import { InputError } from "../../errors.ts";
import type { Log } from "../../live/agent/log.ts";
import { letThreadsCollect } from "../../live/collect.ts";
import { addressIn, LEASE_VARIABLE } from "../../live/engines/engine.ts";
import { timetable } from "../../live/jobs/when.ts";
import { makeCgroup, removeCgroup } from "../../live/run/cgroup.ts";
import { makeRoomForInit } from "../../live/run/init.ts";
import { findProgram } from "../../live/run/processes.ts";
import { type RunJob, RunSession } from "../../live/run/run.ts";
import { checkGraceAlone, checkTimes, runTimes } from "../../live/run/times.ts";
import type { Values } from "../../setting.ts";
import { AGENT_KEYS, RUN_COMMAND } from "../../settings/member.ts";
import type { Io } from "../io.ts";
import { addMemberOptions, configured, type MemberFlags } from "../options/member.ts";
import { addSettings, SettingOption } from "../options/options.ts";
import { examples } from "../text/terminal.ts";
import { logOf } from "./agent.ts";

type RunFlags = MemberFlags & Partial<Values<typeof RUN_COMMAND>>;

/** Where the defaults of `run` differ from an agent's. */
const OWN = { http: "off", logLevel: "warn" } as const;

export function define(command: Command, io: Io): void {
  command.description(
    "Runs a command only while this member leads, and ends the command before its lease expires. With --lease, one member at a time runs the command (with -k, several); docs/run.md lists the exceptions. Without --lease, two members may run it for a while. The command gets SORTITION_TERM, _TOKEN, _OFFICE, _SEAT, _GROUP and _FENCE in its environment. When the command ends, this process gives the office back and ends with the command's status. SIGTERM and Ctrl-C end both.",
  );
  const { k, ...others } = RUN_COMMAND;
  addSettings(command.addOption(new SettingOption("-k", k, "-k")), others);
  addMemberOptions(command, AGENT_KEYS, { ...OWN, logLevel: "warn; info for the lines of run itself" })
    .argument("<command...>", "what is run, after --")
    .addHelpText(
      "after",
      examples(
        [
          [
            "sortition run --lease sqlite:leases.db -- ./worker",
            "on one machine; start it twice, and one of them waits",
          ],
          [
            "sortition run --name a --bind 10.0.0.7:7001 --seeds 10.0.0.8:7001 --key-file group.key --lease postgres://app@db/app -- ./worker",
            "on several machines",
          ],
          [
            "sortition run --once migrate-42 --lease postgres://app@db/app -- ./migrate",
            "once in the whole group; the others wait, and end with status 0",
          ],
          [
            'sortition run --cron "0 3 * * *" --tz Europe/Berlin --lease postgres://app@db/app -- ./nightly',
            "every night, on one member",
          ],
          ["sortition run -k 3 --offices shards --lease sqlite:leases.db -- ./worker", "on three members at a time"],
        ],
        "docs/run.md: what can still run past its lease, and what protects then",
      ),
    )
    .action(run.bind(null, io));
}

async function run(io: Io, [file, ...args]: readonly string[], flags: RunFlags): Promise<void> {
  const bare = makeRoomForInit();
  const { settings: given, origins } = configured(flags, OWN, io.env);
  const { office, offices } = officeOf(given.offices, flags.k ?? undefined);
  const settings = { ...given, offices };
  const times = runTimes(settings.leaseTtl, flags.grace ?? undefined);
  const ownLog = logOf(io, { ...settings, logLevel: origins.has("logLevel") ? settings.logLevel : "info" });
  if (bare !== null)
    ownLog.info(`orphans that have ended are not cleared away here: ${bare}; give the container an init`);
  const job = jobOf(flags, [file, ...args]);
  if (isStrict(io, settings.lease, settings.leaseFile)) checkTimes(times);
  else if (job !== null) throw new InputError("jobs are recorded in the lease store: give --lease");
  else {
    checkGraceAlone(times.grace);
    ownLog.warn(
      "there are no leases, so two members may run the command at the same time for a while: --lease keeps it to one",
    );
  }
  const found = findProgram(file, io.env.PATH);
  if ("why" in found) {
    ownLog.error(found.why);
    io.exitCode = found.status;
    return;
  }
  const cgroup = cgroupMode(flags.cgroup ?? "auto", ownLog);
  letThreadsCollect();
  const it = new RunSession({
    settings,
    office,
    file,
    args,
    restart: flags.restart === true,
    job,
    times,
    cgroup,
    log: logOf(io, settings),
    ownLog,
  });
  listen(io, it);
  // Not by an empty event loop: Node would take the listeners away before the process has ended, and a second Ctrl-C would kill it.
  io.exit(await it.run());
}

/** Tried once, so that the log says from the start what is promised. */
function cgroupMode(when: string, log: Log): boolean {
  const tried = when === "never" ? null : makeCgroup(`try.${process.pid}`);
  if (tried !== null) removeCgroup(tried);
  else if (when === "always") {
    throw new InputError(
      "--cgroup always: no cgroup can be made here. It takes Linux 5.14 with cgroup v2, and root or a unit of systemd with Delegate=yes",
    );
  }
  log.info(
    tried === null
      ? "what the command starts is looked for in the process table: docs/run.md says what can escape"
      : "what the command starts is held by a cgroup",
  );
  return tried !== null;
}

const isStrict = (io: Io, lease: string | undefined, leaseFile: string | undefined): boolean =>
  (lease ?? (leaseFile === undefined ? io.env[LEASE_VARIABLE]?.trim() || null : addressIn(leaseFile))) !== null;

/** One office, of one seat or of several. */
function officeOf(given: readonly string[], seats: number | undefined): { office: string; offices: string[] } {
  const [text, other] = given;
  if (other !== undefined) {
    throw new InputError(
      `run leads one office, and ${given.join(", ")} are several: give one in --offices, or start several runs`,
    );
  }
  const { name: office } = readOffice(text);
  if (seats === undefined) return { office, offices: [text] };
  if (text.includes(":")) throw new InputError(`-k and --offices ${text} both say how many: give one of them`);
  return { office, offices: [seats === 1 ? office : `${office}:${seats}`] };
}

/** What the flags say about a job; null where the command runs whenever this member leads. */
function jobOf(flags: RunFlags, line: readonly string[]): RunJob | null {
  const { once, every, cron, tz, after, job, missed, attempts, keep, restart, k } = flags;
  const kinds = Object.entries({ once, every, cron, after }).filter(([, value]) => value != null);
  const [first, second] = kinds.map(([name]) => `--${name}`);
  if (second !== undefined)
    throw new InputError(`${first} and ${second} both say when the command runs: give one of them`);
  const stray = Object.entries({
    tz: first === "--cron" ? null : tz,
    job: once == null && first ? null : job,
    missed,
    attempts,
    keep,
  });
  const [lost] = stray.filter(
    ([name, value]) => value != null && (first === undefined || name === "tz" || name === "job"),
  );
  if (lost !== undefined) {
    throw new InputError(
      `--${lost[0]} is for ${lost[0] === "tz" ? "--cron" : "jobs"}: give ${lost[0] === "tz" ? "--cron" : "--once, --every, --cron or --after"} too`,
    );
  }
  if (first === undefined) return null;
  if (restart === true)
    throw new InputError(`--restart is for commands that run all the time, and ${first} is a job: give one of them`);
  if (k != null && k > 1) throw new InputError(`a job runs on one member at a time: leave -k out`);
  const options = {
    ...(missed != null && { missed }),
    ...(attempts != null && { attempts }),
    ...(keep != null && { keep }),
  };
  if (once != null) return { key: once, when: null, options };
  const when = cron != null ? { cron, ...(tz != null && { tz }) } : every != null ? { every } : { after: after! };
  const { text } = timetable(when);
  return { key: job ?? `${line.join(" ").slice(0, 150)} ${text}`.slice(0, 200), when, options };
}

/** Signals that a terminal sends to all processes of a job, and those that somebody sends to this one. */
const TO_ALL = ["SIGQUIT", "SIGWINCH", "SIGCONT"] as const;
const TO_COMMAND = ["SIGUSR1", "SIGUSR2"] as const;

/** For good: a signal that comes twice must not change the status of a run that is over. */
function listen(io: Io, it: RunSession): void {
  for (const signal of ["SIGTERM", "SIGINT"] as const) io.on(signal, () => it.end(signal));
  for (const signal of TO_ALL) io.on(signal, () => it.pass(signal, true));
  for (const signal of TO_COMMAND) io.on(signal, () => it.pass(signal, false));
  io.on("SIGHUP", () => {
    it.reload();
    it.pass("SIGHUP", false);
    // The terminal has gone.
    if (isatty(0)) it.end("SIGTERM");
  });
  // Ctrl-Z: the command is paused with this process, and is ended by its guardian when the lease has not been renewed.
  io.on("SIGTSTP", () => {
    it.pass("SIGSTOP", true);
    setImmediate(() => process.kill(process.pid, "SIGSTOP"));
  });
}
