/** `sortition lease`: what an engine knows of the leases of a group, for the person on call. */

import { type Command, Option } from "commander";
import { didYouMean, InputError } from "../../errors.ts";
import type { LeaseEngine } from "../../live/engines/engine.ts";
import { ENGINES, engineSql, openEngine } from "../../live/engines/open.ts";
import { realWorld } from "../../live/real-world.ts";
import type { Holder, LeaseAnswer, LeaseRequest, SeatSeen } from "../../protocols/lease/messages.ts";
import { MEMBER } from "../../settings/member.ts";
import type { Io } from "../io.ts";
import { type EngineFlags, engineAddress, engineOptions, flagWithValue } from "../options/member.ts";
import { jsonOption } from "../options/options.ts";
import { secondsText } from "../text/figures.ts";
import { table } from "../text/table.ts";
import { examples, type Paint, painter, print, terminalWidth } from "../text/terminal.ts";

interface LookFlags extends EngineFlags {
  readonly group: string;
  readonly json?: true;
}

interface ReleaseFlags extends LookFlags {
  readonly token?: string;
  readonly yes?: true;
}

/** Milliseconds: a person waits, and a group does not wait for the person. */
const PATIENCE = 5000;

const groupOption = () =>
  new Option(flagWithValue("group"), "the group whose leases are meant").default(MEMBER.group.default);

export function define(command: Command, io: Io): void {
  command
    .description(
      "Shows the leases of a group in its lease store, with holder, token and remaining time, and ends a lease by hand.",
    )
    .addHelpText(
      "after",
      examples(
        [
          ["sortition lease ls --lease sqlite:leases.db", "all seats of the group"],
          [
            "sortition lease show leader --lease-file lease.txt",
            "one of them; the file holds the address, with a password",
          ],
          ["sortition lease release leader --lease sqlite:leases.db", "what that would do, and why it is dangerous"],
          [
            "sortition lease sql --lease postgres://app@db.example/app",
            "the tables, for a group that runs with --no-migrate",
          ],
        ],
        "docs/leases.md",
      ),
    )
    .allowExcessArguments()
    .allowUnknownOption()
    .action(() => {
      const [unknown] = command.args;
      if (unknown === undefined) command.outputHelp();
      else
        throw new InputError(
          `unknown command "${unknown}"${didYouMean(
            unknown,
            command.commands.map((each) => each.name()),
          )}`,
        );
    });
  looking(command.command("ls"), "all seats of a group that were ever asked for, with their holders").action(
    listAll.bind(null, io),
  );
  looking(command.command("show"), "all that is known of one seat")
    .argument("<seat>", "an office, such as leader, or one of its seats, such as shards#2")
    .action(showOne.bind(null, io));
  looking(command.command("release"), "end a lease by hand: dangerous while its holder may be working")
    .argument("<seat>", "as ls shows it")
    .option("--token <number>", "only if this is still its token, as ls shows it")
    .option("--yes", "do it; needs --token")
    .action(releaseOne.bind(null, io));
  engine(command.command("sql"), "the SQL that makes the tables, for groups with --no-migrate").action(
    async (flags: EngineFlags) => {
      const address = addressOf(io, flags);
      print(io, (await engineSql(address)).trim());
    },
  );
}

function engine(command: Command, summary: string): Command {
  command.summary(summary).description(`${summary[0].toUpperCase()}${summary.slice(1)}.`);
  for (const option of engineOptions("where the leases are kept")) command.addOption(option);
  return command;
}

const looking = (command: Command, summary: string): Command =>
  engine(command, summary).addOption(groupOption()).addOption(jsonOption());

function addressOf(io: Io, flags: EngineFlags): string {
  const address = engineAddress(flags, io.env);
  if (address !== null) return address;
  const forms = Object.values(ENGINES).map(({ form }) => `--lease ${form}`);
  throw new InputError(`where are the leases kept? Give ${forms.join(", or ")}`);
}

/** A missing store is not made: looking changes nothing. */
async function withEngine<T>(io: Io, flags: LookFlags, act: (ask: Ask, engine: LeaseEngine) => Promise<T>): Promise<T> {
  const options = { group: flags.group, requestTimeout: PATIENCE, migrate: false, world: realWorld };
  const engine = await openEngine(addressOf(io, flags), options);
  const ask: Ask = async (request) => {
    try {
      return await engine.ask({ ...request, id: 1, life: 0 } as LeaseRequest);
    } catch (error) {
      if (error instanceof InputError) throw error;
      throw new InputError(`${engine.name} cannot be asked: ${(error as Error).message}`);
    }
  };
  try {
    return await act(ask, engine);
  } finally {
    await engine.close();
  }
}

type Ask = (request: Record<string, unknown> & { readonly kind: LeaseRequest["kind"] }) => Promise<LeaseAnswer>;

async function seatsOf(ask: Ask): Promise<readonly SeatSeen[]> {
  const answer = await ask({ kind: "look" });
  return (answer as Extract<LeaseAnswer, { kind: "seen" }>).seats;
}

async function seatIn(ask: Ask, name: string, { group }: LookFlags): Promise<SeatSeen> {
  const seats = await seatsOf(ask);
  const seat = seats.find((one) => one.seat === name);
  if (seat !== undefined) return seat;
  const known = seats.length === 0 ? "none was ever asked for" : `there are ${seats.map((one) => one.seat).join(", ")}`;
  throw new InputError(`group "${group}" has no seat "${name}": ${known}; --group names another group`);
}

async function listAll(io: Io, flags: LookFlags): Promise<void> {
  await withEngine(io, flags, async (ask, { name }) => {
    const seats = await seatsOf(ask);
    if (flags.json) print(io, JSON.stringify({ engine: name, group: flags.group, seats: seats.map(asData) }));
    else print(io, seatTable(seats, flags.group, painter(io.stdout), terminalWidth(io)));
  });
}

async function showOne(io: Io, name: string, flags: LookFlags): Promise<void> {
  await withEngine(io, flags, async (ask) => {
    const seat = await seatIn(ask, name, flags);
    print(io, flags.json ? JSON.stringify(asData(seat)) : details(seat));
  });
}

async function releaseOne(io: Io, name: string, flags: ReleaseFlags): Promise<void> {
  await withEngine(io, flags, async (ask) => {
    const { holder } = await seatIn(ask, name, flags);
    if (holder === null) throw new InputError(`${name} is free: there is nothing to release`);
    const { token, lease } = holder;
    if (flags.token !== undefined && flags.token !== String(token)) {
      throw new InputError(
        `${name} has another token by now, ${token}: look at it again with "sortition lease show ${name}"`,
      );
    }
    // With the token: another member may have taken over since the look.
    if (flags.yes !== true || flags.token === undefined) {
      throw new InputError(
        `this would release ${name}, which ${nameOf(holder)} holds. ${NOT_FREE_OF_DANGER} Add --token ${token} --yes to do it`,
      );
    }
    const answer = await ask({ kind: "release", seat: name, lease, token, reserve: null });
    const { was } = answer as Extract<LeaseAnswer, { kind: "released" }>;
    if (!was) throw new InputError(`${name} was released or taken by another member meanwhile: nothing was done`);
    if (flags.json) print(io, JSON.stringify({ released: true, seat: name, token: String(token), lease }));
    else print(io, `${name} is released: ${nameOf(holder)} held it with token ${token}. ${NOT_FREE_OF_DANGER}`);
  });
}

// Seats of a group as tables and as data.

/** Said before and after a release by hand. */
const NOT_FREE_OF_DANGER =
  "The holder is not told before its next renewal, and may be working still; from the next lease on, only guards that check tokens keep its writes out.";

export const nameOf = ({ name, life }: Holder): string => `${name} (life ${life.toString(36)})`;

const COLUMNS = [
  { title: "seat" },
  { title: "holder" },
  { title: "left", align: "right" },
  { title: "token", align: "right" },
  { title: "lease" },
  { title: "also", wrap: true },
] as const;

function seatTable(seats: readonly SeatSeen[], group: string, paint: Paint, width: number | null): string {
  if (seats.length === 0) return `Nobody in group "${group}" has asked for a lease yet.`;
  const rows = seats.map((seat) => {
    const { holder } = seat;
    return [
      seat.seat,
      holder === null ? "free" : holder.name,
      holder === null ? "-" : secondsText(holder.left),
      String(seat.token),
      holder?.lease ?? "-",
      notes(seat).join(", "),
    ];
  });
  return table(COLUMNS, rows, { width, heading: (text) => paint("bold", text) });
}

export function details(seat: SeatSeen): string {
  const { holder, reserved } = seat;
  const lines: [string, string][] = [
    ["seat", seat.seat],
    ["holder", holder === null ? "nobody" : nameOf(holder)],
    ...(holder === null
      ? ([["highest token", String(seat.token)]] as [string, string][])
      : ([
          ["token", String(holder.token)],
          ["lease", holder.lease],
          ["left", `${secondsText(holder.left)}${holder.frozen ? ", whatever is renewed" : ", if it is not renewed"}`],
        ] as [string, string][])),
    ["pre-emptible", seat.preemptible ? "yes" : "no"],
    ...(reserved === null
      ? []
      : ([["reserved", `for ${reserved.name}, ${secondsText(reserved.left)}`]] as [string, string][])),
  ];
  const longest = Math.max(...lines.map(([title]) => title.length));
  return lines.map(([title, value]) => `${title.padEnd(longest)}  ${value}`).join("\n");
}

function notes({ holder, reserved, preemptible }: SeatSeen): string[] {
  return [
    ...(holder?.frozen ? ["end is fixed"] : []),
    ...(reserved === null ? [] : [`reserved for ${reserved.name} (${secondsText(reserved.left)})`]),
    ...(preemptible ? ["pre-emptible"] : []),
  ];
}

/** Tokens as text: they outgrow what JSON's readers take for whole numbers. */
export function asData({ seat, token, preemptible, holder, reserved }: SeatSeen) {
  return {
    seat,
    token: String(token),
    preemptible,
    holder: holder && {
      name: holder.name,
      life: holder.life,
      token: String(holder.token),
      lease: holder.lease,
      frozen: holder.frozen,
      leftMs: holder.left,
    },
    reserved: reserved && { name: reserved.name, leftMs: reserved.left },
  };
}
