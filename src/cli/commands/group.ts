/** `sortition group`: this process is a member of a group until it is told to end. */
import { constants } from "node:os";
import type { Command } from "commander";
import { EPSILON_CAVEAT } from "../../elector/report.ts";
import type { AnyMemberEvent } from "../../events/events.ts";
import { FIELD_NAMES, jsonText } from "../../events/fields.ts";
import { keyringOfAgent } from "../../live/agent/settings.ts";
import { MissingTables } from "../../live/engines/postgres-table.ts";
import { type RunningMember, runMember } from "../../live/group/member.ts";
import { openLeaseStore } from "../../live/join/open.ts";
import { MEMBER_KEYS } from "../../settings/member.ts";
import { onHangUp } from "../interrupt.ts";
import type { Io } from "../io.ts";
import { addMemberOptions, configured, type MemberFlags } from "../options/member.ts";
import { narrator } from "../text/events.ts";
import { examples, print } from "../text/terminal.ts";

export function define(command: Command, io: Io): void {
  command.description(
    "This process is a member of a group and prints who is there and who leads. On SIGTERM or Ctrl-C it hands its offices over and leaves; a second signal ends it at once. Every process with the key and the address of one member can join. If the leader crashes, another member leads after about half a second (profile lan). With --lease, another member leads when the lease has expired. Without --lease, two members can lead for a while.",
  );
  // Without those of HTTP and the log: it serves nothing, and its lines are its log.
  addMemberOptions(command, MEMBER_KEYS)
    .option("--json", "one JSON object a line")
    .addHelpText(
      "after",
      examples(
        [
          ["sortition keygen --out group.key", "once; copy it to every member"],
          [
            "sortition group --name a --bind 127.0.0.1:7001 --key-file group.key",
            "the first member: it leads, since it is alone",
          ],
          [
            "sortition group --name b --bind 127.0.0.1:7002 --seeds 127.0.0.1:7001 --key-file group.key",
            "another one, in another terminal; end the first and see who leads",
          ],
          [
            "sortition group --name db-1 --bind 0.0.0.0:7001 --advertise db-1.example:7001 --seeds db-1.example:7001,db-2.example:7001 --key-file group.key --state state --offices reports,shards:3 --json",
            "one command line for all machines but for --name and --advertise; two kinds of offices, terms kept on disk",
          ],
          [
            "sortition group --name a --bind 127.0.0.1:7001 --key-file group.key --lease sqlite:leases.db",
            "strict mode: the leader holds a lease, with a fencing token larger than all before it",
          ],
        ],
        "docs/guarantees.md (when to use --lease), docs/events.md (every event), docs/leases.md",
      ),
    )
    .action(run.bind(null, io));
}

async function run(io: Io, { json, ...flags }: MemberFlags & { readonly json?: true }): Promise<void> {
  const { settings, warnings } = configured(flags, { http: "off" }, io.env);
  for (const warning of warnings) io.stderr.write(`sortition: ${warning}\n`);
  const keyring = () => keyringOfAgent(settings);
  const words = narrator();
  const say = (event: AnyMemberEvent) => {
    const at = Date.now();
    const lines = json ? [jsonLine(at, settings.name, event)] : words(at, event);
    for (const line of lines) print(io, line);
  };
  let member: RunningMember | null = null;
  let keys = keyring();
  const stopReading = onHangUp(io, keyring, (fresh) => {
    keys = fresh;
    member?.rekey(keys);
  });
  let isLeaving = false;
  const end = (signal: "SIGINT" | "SIGTERM") => {
    if (isLeaving || member === null) io.exit(128 + constants.signals[signal]);
    isLeaving = true;
    void member.leave().then(() => say({ event: "left", member: settings.name }));
  };
  io.on("SIGINT", end).on("SIGTERM", end);
  try {
    const engine = await openLeaseStore(settings, {}).catch((error: Error) => {
      // With --no-migrate: what somebody who may has to run. Readers of JSON have no use for it.
      if (error.cause instanceof MissingTables && json !== true) print(io, error.cause.sql);
      throw error;
    });
    member = await runMember({ ...settings, keyring: keys, engine, onEvent: say });
    await member.ended;
  } finally {
    stopReading();
    io.off("SIGINT", end).off("SIGTERM", end);
  }
}

/** In the order of the table, without fields that do not apply. There is no token without a lease store to give it. */
function jsonLine(at: number, self: string, { event, odds, token, fence, ...said }: AnyMemberEvent): string {
  const isLed = event === "leader" || event === "leads";
  const fields: AnyMemberEvent = {
    event,
    ...said,
    ...(fence != null && { fence }),
    ...((token != null || isLed) && { token: token ?? null }),
  };
  const inOrder = Object.fromEntries(FIELD_NAMES.map((name) => [name, fields[name]]));
  return jsonText({ at, event, self, ...inOrder, ...odds, caveat: odds && EPSILON_CAVEAT });
}
