/** `sortition demo`: the product on one machine. Real agents elect, are killed and paused, and go on; or every protocol between processes. */
import type { Command } from "commander";
import { InputError } from "../../../errors.ts";
import type { Io } from "../../io.ts";
import { wholeNumber } from "../../options/options.ts";
import { examples } from "../../text/terminal.ts";

/** Each is a process of about 60 MB: some thousands would overload the machine. */
const MOST_MEMBERS = 100;

interface DemoOptions {
  readonly members: string;
  readonly protocols?: true;
  readonly protocol?: string;
  readonly once?: true;
  readonly stay?: true;
  readonly port: string;
}

export function define(command: Command, io: Io): void {
  command
    .description(
      "Starts real agents on this machine, keyed and with leases in SQLite, and shows an election, a killed leader, a paused leader whose late write is refused, and a hand-over, each with its time. Then it serves the agents' API and the Lab's page until Ctrl-C; where standard output is no terminal it ends by itself.",
    )
    .option("--members <count>", `number of processes, 3 to ${MOST_MEMBERS}`, "12")
    .option("--once", "end after that, with status 0 (the default where standard output is no terminal)")
    .option("--stay", "continue to serve until Ctrl-C, also if standard output is no terminal")
    .option("--port <number>", "where the page and the API are served, on 127.0.0.1; 0 takes a free one", "0")
    .option(
      "--protocols",
      "elect leaders with one protocol after another instead: undisturbed, with 5% of all datagrams lost, and with a third of the processes killed in the middle",
    )
    .option("--protocol <name>", "with --protocols: only this one (default: all that run on such a group)")
    .addHelpText(
      "after",
      examples(
        [
          ["sortition demo", "takes 15 to 30 s, then continues until Ctrl-C"],
          ["sortition demo --members 5 --once", "fewer processes, and it ends"],
          ["sortition demo --protocols", "every protocol between processes; takes less than a minute"],
          ["sortition demo --protocols --members 24 --protocol peterson", "one protocol, more processes"],
        ],
        "docs/tutorial.md",
      ),
    )
    .action(run.bind(null, io));
}

async function run(io: Io, { members, protocols, protocol, once, stay, port }: DemoOptions): Promise<void> {
  const n = wholeNumber(members, "--members", 3, MOST_MEMBERS);
  if (protocols === true) {
    const { demonstrateProtocols } = await import("./protocols.ts");
    return demonstrateProtocols(io, n, protocol ?? "auto");
  }
  if (once === true && stay === true) throw new InputError("--once and --stay say the opposite: give one of them");
  if (protocol !== undefined) throw new InputError("--protocol is for --protocols: give both, or neither");
  const { demonstrate } = await import("./demonstrate.ts");
  await demonstrate(io, {
    n,
    port: wholeNumber(port, "--port", 0, 65_535),
    isOnce: once === true || (stay !== true && !io.stdout.isTTY),
  });
}
