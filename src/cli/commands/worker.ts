/** `sortition worker`: runs chunks of campaigns that others submit with --nats. */
import { type Command, Option } from "commander";
import { InputError } from "../../errors.ts";
import { LENGTH } from "../../settings/simulation.ts";
import type { Io } from "../io.ts";
import { SettingOption } from "../options/options.ts";
import { addNatsFiles, type NatsFlags, natsFrom, natsOption, threadsOf } from "../options/request.ts";
import { examples } from "../text/terminal.ts";

interface WorkerFlags extends NatsFlags {
  readonly threads?: number;
  readonly protocolFile?: readonly string[];
}

export function define(command: Command, io: Io): void {
  command
    .description(
      'Takes part in campaigns that are submitted with "simulate --nats", "sweep --nats" or "reproduce --nats": any number of workers, on any machines, may come and go meanwhile. Results are those of one machine with the same seed. All must run the same build of sortition, and code never comes from the queue: a custom protocol must be a file on each worker.',
    )
    .addOption(natsOption("the server, with JetStream: nats://HOST:PORT or tls://HOST:PORT"));
  addNatsFiles(command)
    .addOption(new SettingOption("threads", LENGTH.threads))
    .addOption(
      new Option(
        "--protocol-file <file>",
        "a module whose protocols campaigns may use; may be given several times",
      ).argParser((file: string, before: readonly string[] = []) => [...before, file]),
    )
    .addHelpText(
      "after",
      examples(
        [
          ["nats-server -js", "the queue, on a machine that all can reach"],
          [
            "sortition worker --nats nats://10.0.0.5:4222",
            "on each machine that helps; Ctrl-C ends it after what it runs",
          ],
          [
            "sortition simulate referees --n 1000000 --trials 100000 --nats nats://10.0.0.5:4222",
            "a campaign on all of them",
          ],
        ],
        "docs/sweep.md",
      ),
    )
    .action(run.bind(null, io));
}

async function run(io: Io, flags: WorkerFlags): Promise<void> {
  if (flags.nats === undefined)
    throw new InputError("where is the queue? give --nats nats://HOST:PORT, or set SORTITION_NATS");
  const { work } = await import("../../campaign/nats/work.ts");
  const ending = new AbortController();
  const end = (signal: NodeJS.Signals) => {
    if (ending.signal.aborted) io.exit(signal === "SIGINT" ? 130 : 143);
    io.stderr.write("sortition: ends when what it runs has ended; once more ends it at once\n");
    ending.abort();
  };
  io.on("SIGINT", end).on("SIGTERM", end);
  try {
    await work({
      ...natsFrom(flags.nats, flags),
      threads: Math.max(1, threadsOf(io, flags)),
      protocolFiles: flags.protocolFile ?? [],
      signal: ending.signal,
      tell: (line) => io.stderr.write(`sortition: ${line}\n`),
    });
  } finally {
    io.off("SIGINT", end).off("SIGTERM", end);
  }
}
