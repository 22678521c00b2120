/** `sortition keys ls`: the keys of a file, and who seals and opens with which, as an agent knows it. */

import type { AgentMembers } from "../../../api/client.ts";
import { InputError } from "../../../errors.ts";
import { idsIn, keyIdText, readKeyFile, readKeyText } from "../../../live/net/keyring.ts";
import type { Io } from "../../io.ts";
import { agentClient } from "../../options/agent-client.ts";
import { harmless, named, table } from "../../text/table.ts";
import { painter, print, terminalWidth } from "../../text/terminal.ts";
import { type KeyFlags, keyFileOf } from "./edit.ts";

interface KeyLine {
  readonly id: string;
  /** Null: not in the file. */
  readonly inFile: "seals" | "opens" | null;
  /** Names of live members. */
  readonly openedBy: readonly string[];
  readonly sealedBy: readonly string[];
}

export async function listKeys(io: Io, flags: KeyFlags): Promise<void> {
  const file = keyFileOf(flags, io.env);
  const ids = file === null ? [] : idsIn(readKeyText(readKeyFile(file), file)).map(keyIdText);
  const known = await agentClient(flags, io.env)
    .members()
    .catch((error: unknown) => {
      // Where there is a file, that much can be told.
      if (file === null || !(error instanceof InputError)) throw error;
      return error;
    });
  const members = known instanceof InputError ? null : known;
  const heading = (text: string) => painter(io.stdout)("bold", text);
  const lines = linesOf(ids, members);
  if (flags.json) {
    const recent = members?.recent ?? null;
    print(
      io,
      JSON.stringify({ file, group: members?.group ?? null, keys: members === null ? fileOnly(lines) : lines, recent }),
    );
    return;
  }
  if (members === null) {
    print(
      io,
      table(
        [{ title: "key" }, { title: `in ${file}` }],
        lines.map(({ id, inFile }) => [id, inFile!]),
        { heading },
      ),
    );
    print(io, `\nWho has which is not known: ${(known as InputError).message}`);
    return;
  }
  const where = file === null ? [] : [{ title: "in the file" }];
  print(
    io,
    table(
      [{ title: "key" }, ...where, { title: "seal with it" }, { title: "open it", wrap: true }],
      lines.map((line) => rowOf(line, members, file !== null)),
      { width: terminalWidth(io), heading },
    ),
  );
  for (const line of remarks(members)) print(io, `\n${line}`);
}

function linesOf(ids: readonly string[], known: AgentMembers | null): readonly KeyLine[] {
  const members = known?.members ?? [];
  const elsewhere = members.flatMap(({ keys }) => keys?.opens ?? []);
  return [...new Set([...ids, ...elsewhere])].map((id) => ({
    id,
    inFile: ids[0] === id ? "seals" : ids.includes(id) ? "opens" : null,
    openedBy: members.filter(({ keys }) => keys?.opens.includes(id)).map(({ name }) => name),
    sealedBy: members.filter(({ keys }) => keys?.seals === id).map(({ name }) => name),
  }));
}

const fileOnly = (lines: readonly KeyLine[]) => lines.map(({ id, inFile }) => ({ id, inFile }));

function rowOf({ id, inFile, openedBy, sealedBy }: KeyLine, { members }: AgentMembers, hasFile: boolean): string[] {
  const telling = members.filter(({ keys }) => keys !== null);
  const missing = telling.filter(({ name }) => !openedBy.includes(name)).map(({ name }) => name);
  const opens = missing.length === 0 ? "all" : `${openedBy.length}, not ${named(missing)}`;
  const seals = sealedBy.length === 0 ? "none" : sealedBy.length === members.length ? "all" : `${sealedBy.length}`;
  return [id, ...(hasFile ? [inFile ?? "-"] : []), seals, opens];
}

function remarks({ group, self, members, recent }: AgentMembers): string[] {
  const silent = members.filter(({ keys }) => keys === null).map(({ name }) => name);
  const failed = recent.filter(({ state }) => state === "failed");
  const words = failed
    .slice(0, 10)
    .map(
      ({ name, keys }) =>
        `${harmless(name)} (${keys === null ? "does not say" : `sealed with ${keys.seals}, opened ${keys.opens.join(", ")}`})`,
    );
  const more = failed.length > words.length ? ` and ${failed.length - words.length} more` : "";
  return [
    `${members.length} members of the group "${harmless(group)}", as ${harmless(self)} knows it.`,
    ...(silent.length > 0 ? [`Of an earlier version, so that their keys are not known: ${named(silent)}.`] : []),
    ...(failed.length > 0 ? [`Failed within a day: ${words.join(", ")}${more}.`] : []),
  ];
}
