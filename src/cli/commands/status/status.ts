/** `sortition status`: who leads and who is there, as an agent knows it. */
import type { Command } from "commander";
import type { AgentStatus } from "../../../api/client.ts";
import { InputError } from "../../../errors.ts";
import type { Io } from "../../io.ts";
import { type AgentFlags, agentClient, agentOptions } from "../../options/agent-client.ts";
import { jsonOption } from "../../options/options.ts";
import { named } from "../../text/table.ts";
import { examples, painter, print, terminalWidth } from "../../text/terminal.ts";
import { statusText } from "./view.ts";
import { drawStatus, printEvents } from "./watch.ts";

interface StatusFlags extends AgentFlags {
  readonly watch?: true;
  readonly json?: true;
  readonly office?: string;
  readonly all?: true;
  readonly history?: true;
}

/** Somebody could be asked, but of an office nobody leads. */
const NO_LEADER = 3;
/** Rows of members, unless all are wanted. */
const ROWS = 40;

export function define(command: Command, io: Io): void {
  command
    .description(
      `Shows the leader, term and token of each office, and the members, as one agent of the group knows them. Ends with status 0 if every office has a live leader, ${NO_LEADER} if an office has none (or its leader is unreachable or may be out of date), and 2 if the agent cannot be asked.`,
    )
    .option("--watch", "continue until Ctrl-C: redraw on a terminal, else print a line for each event")
    .option("--office <name>", "this office alone, or this seat")
    .option("--history", "the latest changes of leaders, with their causes, instead")
    .option("--all", `every member, also where there are more than ${ROWS}`)
    .addOption(jsonOption());
  for (const option of agentOptions()) command.addOption(option);
  command
    .addHelpText(
      "after",
      examples(
        [
          ["sortition status", "a table, from the agent of this machine"],
          ["sortition status --watch", "until Ctrl-C"],
          [
            "sortition status --office reports --json",
            "for scripts: the exit status says whether the office has a leader",
          ],
          [
            "sortition status --agent https://db-1.example:7070 --token-file http.token",
            "from an agent of another machine",
          ],
        ],
        "docs/agent.md",
      ),
    )
    .action(run.bind(null, io));
}

async function run(io: Io, flags: StatusFlags): Promise<void> {
  const client = agentClient(flags, io.env);
  const pick = (status: AgentStatus) => only(status, flags.office);
  if (flags.watch) {
    const isDrawn = io.stdout.isTTY && !flags.json;
    return isDrawn ? drawStatus(io, client, pick) : printEvents(io, client, pick, flags.json === true);
  }
  const status = pick(await client.status());
  if (flags.history) {
    const changes = status.history.filter(({ office }) => status.offices.some((each) => each.office === office));
    print(io, flags.json ? JSON.stringify(changes) : historyText(changes));
  } else if (flags.json) print(io, JSON.stringify(status));
  else {
    const rows = flags.all ? Infinity : ROWS;
    print(io, statusText(status, { rows, width: terminalWidth(io) ?? 80, paint: painter(io.stdout), elapsed: 0 }));
  }
  if (!isLed(status)) io.exitCode = NO_LEADER;
}

/** A line for each change, the oldest first. */
function historyText(changes: AgentStatus["history"]): string {
  if (changes.length === 0) return "no leader has changed since this agent was started";
  const lines = changes.map(({ at, office, leader, former, term, cause }) => {
    const after = former === null ? cause : `after ${former}: ${cause}`;
    return `${new Date(at).toISOString()}  ${office}  ${leader} in term ${term}  (${after})`;
  });
  return lines.join("\n");
}

const isLed = ({ offices }: AgentStatus): boolean => offices.every(({ leader }) => leader?.state === "live");

/** An office, with all its seats, or one of them. */
function only(status: AgentStatus, office: string | undefined): AgentStatus {
  if (office === undefined) return status;
  const offices = status.offices.filter((each) => each.office === office || each.office.startsWith(`${office}#`));
  if (offices.length > 0) return { ...status, offices };
  const known = named(status.offices.map((each) => each.office));
  throw new InputError(`the agent knows no office "${office}": there are ${known}`);
}
