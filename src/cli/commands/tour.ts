/** `sortition tour`: a first look. Every protocol elects leaders, and its messages are compared with theory. */
import type { Command } from "commander";
import { campaign } from "../../campaign/campaign.ts";
import type { AnyProtocol } from "../../protocol.ts";
import { catalogue } from "../../protocols/catalogue.ts";
import { changRoberts } from "../../protocols/ring/chang-roberts.ts";
import { predict } from "../../registry/all.ts";
import { questionFrom } from "../../simulation/question.ts";
import { type Request, resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import type { Io } from "../io.ts";
import { figure, percent } from "../text/figures.ts";
import { rightColumn, table } from "../text/table.ts";
import { examples, painter, print, terminalWidth } from "../text/terminal.ts";

const RING = [5, 2, 8, 1, 7, 3, 6, 4];
const N = 100;
const TRIALS = 1000;
/** Elections of more messages than this are run less often, so that a tour takes seconds. */
const MESSAGES = 1000;

export function define(command: Command, io: Io): void {
  command
    .description("A tour of a few seconds: one election in detail, then every protocol against its theory.")
    .addHelpText("after", examples([["sortition tour", "takes no options"]], "docs/protocols.md"))
    .action(() => tour(io, TRIALS));
}

/** Prints the tour. `most`: elections with each protocol, at most. */
export async function tour(io: Io, most: number): Promise<void> {
  const bold = (text: string) => painter(io.stdout)("bold", text);
  print(io, "Sortition elects a leader among processes that can only send messages to one another.\n");
  print(io, bold("One election: chang-roberts, 8 processes in a ring"));
  print(io, `${oneElection()}\n`);

  print(io, bold(`Every protocol: ${N} processes, ${most} elections each (fewer of those that take many messages)`));
  const rows: string[][] = [];
  for (const protocol of catalogue) rows.push(await measure(protocol, most));
  const columns = [
    { title: "protocol" },
    ...["success", "in theory", "messages", "in theory", "rounds", "in theory"].map(rightColumn),
    { title: "theory is" },
  ];
  print(io, `${table(columns, rows, { width: terminalWidth(io), indent: 2, heading: bold })}\n`);
  print(
    io,
    [
      "Go on with:",
      "  npx sortition protocols                        what each of them assumes and costs",
      "  npx sortition simulate chang-roberts --n 1000  your own experiment",
      "  npx sortition theory tournament --n 5000       what formulas say, without running anything",
      "  npx sortition plan --n 5000 --loss 0.01        which protocol, with which numbers, for your network",
    ].join("\n"),
  );
}

function oneElection(): string {
  const request: Request = { protocol: changRoberts, n: RING.length, ids: RING };
  const { leader, messages, rounds, measures } = runTrial(resolve(request), 0);
  return [
    `  the ring     ${RING.join(" → ")} → back to ${RING[0]}`,
    "  the rule     pass a larger id on, swallow a smaller one; if your own comes back, lead and tell",
    `  the outcome  ${leader} leads, after ${messages} messages (${measures.announcements} of them to tell) in ${rounds} steps`,
  ].join("\n");
}

async function measure(protocol: AnyProtocol, most: number): Promise<string[]> {
  const settings = resolve({ protocol, n: N });
  const trials = Math.min(most, Math.ceil((most * MESSAGES) / runTrial(settings, 0).messages));
  const { success, messages, rounds } = await campaign(settings, { trials });
  const theory = predict(questionFrom(settings));
  return [
    protocol.name,
    percent(success.rate),
    percent(theory.success),
    figure(messages.mean),
    figure(theory.messages),
    figure(rounds.mean),
    figure(theory?.rounds ?? null),
    theory?.method ?? "-",
  ];
}
