/** Options of whatever speaks to NATS. */
import { type Command, Option } from "commander";
import type { CampaignCrew } from "../../campaign/crew.ts";
import type { NatsOptions } from "../../campaign/nats/connect.ts";
import { InputError } from "../../errors.ts";
import type { Io } from "../io.ts";

export interface NatsFlags {
  readonly nats?: string;
  readonly natsCreds?: string;
  readonly natsCa?: string;
  readonly resume?: boolean;
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
    new Option("--resume", "with --nats: go on with what an equal campaign has left whose process has ended"),
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
