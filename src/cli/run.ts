/** `sortition run`: a command that runs only while this process leads. */
import { isatty } from "node:tty";
import { type Command, Option } from "commander";
import { readOffice } from "../elector/offices.ts";
import { InputError } from "../errors.ts";
import { addressIn, LEASE_VARIABLE } from "../live/engines/address.ts";
import { findProgram } from "../live/run/find-program.ts";
import { makeRoomForInit } from "../live/run/init.ts";
import { Run } from "../live/run/run.ts";
import { checkGraceAlone, checkTimes, runTimes } from "../live/run/times.ts";
import { logOf } from "./agent.ts";
import { examples } from "./help.ts";
import type { Io } from "./io.ts";
import { addMemberOptions, configured, type MemberFlags } from "./member-options.ts";
import { wholeNumber } from "./values.ts";

interface RunFlags extends MemberFlags {
  readonly k?: string;
  readonly restart?: true;
  readonly grace?: string;
}

/** A day. */
const LONGEST_GRACE = 86_400_000;
const MOST_SEATS = 1000;

export function define(command: Command, io: Io): void {
  command.description(
    "Runs a command only while this member leads, and ends it before anybody else can. With --lease at most one runs (with -k at most so many), as docs/run.md says; without it two may run for a while. The command has SORTITION_TERM, _TOKEN, _OFFICE, _SEAT, _GROUP and _FENCE in its environment, and this terminal. When it ends, this process gives the office back and ends with its status. SIGTERM and Ctrl-C end both.",
  );
  command
    .addOption(new Option("-k <number>", "run it on so many members at a time (default: 1)"))
    .addOption(
      new Option("--restart", "when the command ends by itself, campaign again (default: end with its status)"),
    )
    .addOption(
      new Option(
        "--grace <ms>",
        "from SIGTERM to SIGKILL (default: two fifths of --lease-ttl, 10000 at most); a longer one needs a longer lease",
      ),
    );
  addMemberOptions(command)
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
            "sortition run --self a --bind 10.0.0.7:7001 --join 10.0.0.8:7001 --key-file group.key --lease postgres://app@db/app -- ./worker",
            "on several",
          ],
          ["sortition run -k 3 --office shards --lease sqlite:leases.db -- ./worker", "on three members at a time"],
        ],
        "docs/run.md: what can still run past its lease, and what protects then",
      ),
    )
    .action(run.bind(null, io));
}

async function run(io: Io, [file, ...args]: readonly string[], flags: RunFlags): Promise<void> {
  const bare = makeRoomForInit();
  const { settings: given, origins } = configured(flags, { http: "off", logLevel: "warn" }, io.env);
  const { office, offices } = officeOf(given.offices, flags.k);
  const settings = { ...given, offices };
  const grace = flags.grace === undefined ? undefined : wholeNumber(flags.grace, "--grace", 1, LONGEST_GRACE);
  const times = runTimes(settings.leaseTtl, grace);
  const ownLog = logOf(io, { ...settings, logLevel: origins.has("logLevel") ? settings.logLevel : "info" });
  if (bare !== null)
    ownLog.info(`orphans that have ended are not cleared away here: ${bare}; give the container an init`);
  if (isStrict(io, settings.lease, settings.leaseFile)) checkTimes(times);
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
  const it = new Run({
    settings,
    office,
    file,
    args,
    restart: flags.restart === true,
    times,
    log: logOf(io, settings),
    ownLog,
  });
  listen(io, it);
  // Not by an empty event loop: Node would take the listeners away before the process has ended, and a second Ctrl-C would kill it.
  io.exit(await it.run());
}

const isStrict = (io: Io, lease: string | undefined, leaseFile: string | undefined): boolean =>
  (lease ?? (leaseFile === undefined ? io.env[LEASE_VARIABLE]?.trim() || null : addressIn(leaseFile))) !== null;

/** One office, of one seat or of several. */
function officeOf(given: readonly string[], k: string | undefined): { office: string; offices: string[] } {
  const [text, other] = given;
  if (other !== undefined) {
    throw new InputError(
      `run leads one office, and ${given.join(", ")} are several: give one --office, or several runs`,
    );
  }
  const { name: office } = readOffice(text);
  if (k === undefined) return { office, offices: [text] };
  const seats = wholeNumber(k, "-k", 1, MOST_SEATS);
  if (text.includes(":")) throw new InputError(`-k and --office ${text} both say how many: give one of them`);
  return { office, offices: [seats === 1 ? office : `${office}:${seats}`] };
}

/** Signals that a terminal sends to all processes of a job, and those that somebody sends to this one. */
const TO_ALL = ["SIGQUIT", "SIGWINCH", "SIGCONT"] as const;
const TO_COMMAND = ["SIGUSR1", "SIGUSR2"] as const;

/** For good: a signal that comes twice must not change the status of a run that is over. */
function listen(io: Io, it: Run): void {
  for (const signal of ["SIGTERM", "SIGINT"] as const) io.on(signal, () => it.end(signal));
  for (const signal of TO_ALL) io.on(signal, () => it.pass(signal, true));
  for (const signal of TO_COMMAND) io.on(signal, () => it.pass(signal, false));
  io.on("SIGHUP", () => {
    it.reload();
    it.pass("SIGHUP", false);
    // The terminal has gone.
    if (isatty(0)) it.end("SIGTERM");
  });
  // Ctrl-Z: the command stands still with this process, and is ended by its guardian when the lease has not been renewed.
  io.on("SIGTSTP", () => {
    it.pass("SIGSTOP", true);
    setImmediate(() => process.kill(process.pid, "SIGSTOP"));
  });
}
