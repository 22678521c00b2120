/** The options of `simulate`, and what they ask for; and those of commands that speak to NATS. */
import { type Command, Option } from "commander";
import type { CampaignCrew } from "../../campaign/ledger.ts";
import type { NatsOptions } from "../../campaign/nats/connect.ts";
import { InputError } from "../../errors.ts";
import { parseFaultFile } from "../../host/faults/fault-file.ts";
import type { ProtocolChoice } from "../../protocols/registry.ts";
import { type Given, pick } from "../../setting.ts";
import { LENGTH, SETTINGS } from "../../settings/simulation.ts";
import type { Request } from "../../simulation/settings.ts";
import { readInput } from "../files.ts";
import type { Io } from "../io.ts";
import { paramsOf } from "./options.ts";

/** As commander gives them: values of the tables are read already. */
export interface SimulateOptions extends Given<typeof SETTINGS>, Given<typeof LENGTH>, NatsFlags {
  readonly protocolFile?: string;
  readonly faults?: string;
  readonly param?: readonly string[];
  readonly out?: string;
  readonly trace?: string;
  readonly shard?: string;
  readonly statement?: string;
  readonly force?: true;
  readonly json?: true;
}

export const ALL_SETTINGS = { ...SETTINGS, ...LENGTH };

export const faultsOption = (): Option =>
  new Option("--faults <file>", "JSON plan of faults; rates that are given as flags win over it");

export const requestFrom = (protocol: ProtocolChoice, options: SimulateOptions): Request => ({
  protocol,
  ...pick(SETTINGS, options),
  ...(options.faults === undefined
    ? {}
    : { faults: parseFaultFile(readInput(options.faults, "the fault file"), options.faults) }),
  params: paramsOf(options.param),
});

/** Worker threads: one for each core by default. */
export const threadsOf = (io: Io, { threads }: Given<typeof LENGTH>): number => threads ?? io.threads;

export interface NatsFlags {
  readonly nats?: string;
  readonly natsCreds?: string;
  readonly natsCa?: string;
  readonly resume?: boolean | undefined;
}

export const natsOption = (about: string): Option => new Option("--nats <url>", about).env("SORTITION_NATS");

export function addNatsFiles(command: Command): Command {
  return command
    .addOption(new Option("--nats-creds <file>", "credentials for NATS, as nsc writes them"))
    .addOption(new Option("--nats-ca <file>", "certificates to trust for NATS, in PEM; encrypts the connection"));
}

export const natsFrom = (url: string, { natsCreds, natsCa }: NatsFlags): NatsOptions => ({
  url,
  creds: natsCreds,
  ca: natsCa,
});

/** For the commands that run campaigns. */
export function addQueueOptions(command: Command): Command {
  command.addOption(natsOption('run on workers ("sortition worker") instead of threads; the numbers are the same'));
  return addNatsFiles(command).addOption(
    new Option(
      "--resume",
      "go on with what an equal run has left: the points in --out of a sweep, a campaign over --nats",
    ),
  );
}

/** Workers, where a queue is named; null otherwise. Progress off a terminal is said in lines too. */
export async function queueFrom(
  io: Io,
  flags: NatsFlags & { readonly threads?: number | null | undefined },
): Promise<CampaignCrew | null> {
  if (flags.nats === undefined) {
    const alone = { "--resume": flags.resume, "--nats-creds": flags.natsCreds, "--nats-ca": flags.natsCa };
    for (const [option, value] of Object.entries(alone))
      if (value !== undefined) throw new InputError(`${option} is for campaigns over --nats`);
    return null;
  }
  const { openQueue } = await import("../../campaign/nats/queue.ts");
  const tell = (line: string) => io.stderr.write(`${io.stderr.isTTY ? "\r\x1b[2K" : ""}sortition: ${line}\n`);
  if (typeof flags.threads === "number")
    tell("--threads is for this machine alone, and is not used with --nats: each worker has threads of its own");
  return openQueue({ ...natsFrom(flags.nats, flags), resume: flags.resume, tell });
}
