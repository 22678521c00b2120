/** The steps of replacing a key: each changes the file of this machine, and says what is to be done next. */
import type { AgentMembers } from "../../../api/client.ts";
import { MOST_TOLD } from "../../../elector/election/choice.ts";
import { InputError } from "../../../errors.ts";
import { editSecret } from "../../../live/files.ts";
import type { MemberKeys } from "../../../live/join/view.ts";
import {
  idLike,
  idsIn,
  type KeyFileText,
  keyIdText,
  newKeyText,
  readKeyFile,
  readKeyText,
  withFirst,
  withKey,
  withoutKey,
  writeKeyText,
} from "../../../live/net/keyring.ts";
import { variableOf } from "../../../settings/member.ts";
import type { Io } from "../../io.ts";
import { type AgentFlags, agentClient } from "../../options/agent-client.ts";
import { harmless, named } from "../../text/table.ts";
import { print } from "../../text/terminal.ts";

export interface KeyFlags extends AgentFlags {
  readonly keyFile?: string;
  readonly json?: true;
}

export interface KeyStepFlags extends KeyFlags {
  readonly from?: string;
  readonly rekey?: true;
  readonly force?: true;
}

export function keyFileOf({ keyFile }: KeyFlags, env: NodeJS.ProcessEnv): string | null {
  return keyFile ?? (env[variableOf("keyFile")]?.trim() || null);
}

function neededFile(io: Io, flags: KeyFlags): string {
  const file = keyFileOf(flags, io.env);
  if (file !== null) return file;
  throw new InputError("which key file? give --key-file FILE, or set SORTITION_KEY_FILE");
}

export async function addKey(io: Io, flags: KeyStepFlags): Promise<void> {
  const file = neededFile(io, flags);
  const { from } = flags;
  const given = from === undefined ? null : readKeyText(readKeyFile(from), from);
  let added: readonly number[] = [];
  change(file, (before) => {
    const known = idsIn(before);
    const fresh =
      given === null
        ? [newKeyText()]
        : given.blocks.filter(({ id }) => !known.includes(id)).map(({ lines }) => lines.at(-1)!.trim());
    if (fresh.length === 0) throw new InputError(`${file} has all keys of ${from} already: nothing was added`);
    const after = fresh.reduce(withKey, before);
    if (idsIn(after).length > MOST_TOLD) {
      throw new InputError(
        `${file} would hold ${idsIn(after).length} keys, and members tell each other of ${MOST_TOLD}: remove some first (sortition keys remove)`,
      );
    }
    added = idsIn(after).filter((id) => !known.includes(id));
    return after;
  });
  const [first] = added.map(keyIdText);
  print(io, `Added ${added.map(keyIdText).join(", ")} to ${file}: it opens, and does not seal yet.`);
  const guards =
    "Guards that verify with a derived key need a new one before it seals: sortition keygen --guard GROUP.";
  await finish(io, file, flags, [guards, `Then: sortition keys use ${first} --key-file ${file}`]);
}

export async function use(io: Io, given: string, flags: KeyStepFlags): Promise<void> {
  const file = neededFile(io, flags);
  const before = readKeyText(readKeyFile(file), file);
  const id = idLike(before, given, file);
  const text = keyIdText(id);
  const [former] = idsIn(before);
  if (former === id) {
    print(io, `${text} is the first key of ${file} already: it seals.`);
    return finish(io, file, flags, []);
  }
  await check(io, file, before, { step: "use", id: text }, flags);
  change(file, (now) => withFirst(now, idLike(now, text, file)));
  print(io, `${text} seals from now on in ${file}; ${keyIdText(former)} still opens.`);
  await finish(io, file, flags, [`Then: sortition keys remove ${keyIdText(former)} --key-file ${file}`]);
}

export async function remove(io: Io, given: string, flags: KeyStepFlags): Promise<void> {
  const file = neededFile(io, flags);
  const before = readKeyText(readKeyFile(file), file);
  const id = idLike(before, given, file);
  const [next] = idsIn(withoutKey(before, id));
  if (next === undefined) {
    throw new InputError(`${keyIdText(id)} is the only key of ${file}: add another one first (sortition keys add)`);
  }
  await check(io, file, before, { step: "remove", id: keyIdText(id), next: keyIdText(next) }, flags);
  change(file, (now) => {
    const after = withoutKey(now, idLike(now, keyIdText(id), file));
    if (idsIn(after)[0] === next) return after;
    throw new InputError(
      `${file} was changed meanwhile, and ${keyIdText(next)} would not seal any more: nothing is removed; try again`,
    );
  });
  print(io, `Removed ${keyIdText(id)} from ${file}: it opens nothing any more. ${keyIdText(next)} seals.`);
  await finish(io, file, flags, []);
}

function change(file: string, edit: (before: KeyFileText) => KeyFileText): void {
  // Also says what is wrong with a file that is not there, or that others can read.
  readKeyFile(file);
  editSecret(file, (path) => writeKeyText(edit(readKeyText(readKeyFile(path), file))));
}

/** Refuses a step that would shut somebody out, or of which nobody can say whether it would. */
async function check(io: Io, file: string, before: KeyFileText, step: KeyStep, flags: KeyStepFlags): Promise<void> {
  const words = `${step.step} ${step.id}`;
  let known: AgentMembers;
  try {
    known = await agentClient(flags, io.env).members();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    if (flags.force) return print(io, `Forced, without knowing who has which key: ${error.message}`);
    throw new InputError(`cannot ${words}, since nobody can say who has which key: ${error.message}; or add --force`);
  }
  const trouble = strangerTo(before, known) ?? obstaclesIn(obstacles(step, [...known.members, ...known.recent]));
  if (trouble === null) return warnOfLeft(io, step, known);
  const { url } = agentClient(flags, io.env);
  if (flags.force) return print(io, `Forced, although ${trouble}.`);
  throw new InputError(
    `cannot ${words}, by what the agent at ${url} knows: ${trouble}. Copy ${file} to them and have them read it (kill -HUP, or POST /v1/rekey); or add --force`,
  );
}

/** An agent of a group with other keys knows nothing of this one. */
function strangerTo(file: KeyFileText, { members, self, group }: AgentMembers): string | null {
  const ids = idsIn(file).map(keyIdText);
  const own = members.find(({ name }) => name === self)?.keys;
  if (own == null || own.opens.some((id) => ids.includes(id))) return null;
  return `that agent, ${harmless(self)} of the group "${harmless(group)}", has none of these keys but ${own.opens.join(", ")}: it may be of another group`;
}

/** Members with the same problem, in one part of the sentence. */
function obstaclesIn(found: readonly Obstacle[]): string | null {
  if (found.length === 0) return null;
  const kinds = [...new Map(found.map((one) => [`${one.why}${one.state}`, one])).values()];
  const who = (kind: Obstacle) =>
    named(found.filter(({ why, state }) => why === kind.why && state === kind.state).map(({ name }) => name));
  return kinds.map((kind) => `${kind.why} ${who(kind)}${kind.state}`).join("; ");
}

function warnOfLeft(io: Io, step: KeyStep, { recent }: AgentMembers): void {
  const left = recent.filter(({ state }) => state === "left").map((one) => ({ ...one, state: "alive" as const }));
  const found = obstacles(step, left).map(({ name }) => name);
  if (found.length > 0) {
    print(
      io,
      `Note: ${named(found)} left the group lately without the key that is needed then: give them this file before they come back.`,
    );
  }
}

/** What is to be done next; the agent of this machine does its part at once where that is wanted. */
async function finish(io: Io, file: string, flags: KeyStepFlags, then: readonly string[]): Promise<void> {
  if (flags.rekey) {
    const client = agentClient(flags, io.env);
    const keys = await client.rekey().catch((error: unknown) => {
      if (!(error instanceof InputError)) throw error;
      throw new InputError(`${file} is changed, but its agent has not read it again: ${error.message}`);
    });
    const said = keys === null ? "" : `: it seals with ${keys.seals} and opens ${keys.opens.join(", ")}`;
    print(io, `The agent at ${client.url} has read its keys again${said}.`);
  }
  print(
    io,
    `Now: copy ${file} to every ${flags.rekey ? "other " : ""}member, and have each read it again (kill -HUP, or POST /v1/rekey).`,
  );
  for (const line of then) print(io, line);
}

// What stands in the way of the next step of replacing a key, and who: those who would not be heard afterwards, or would not hear.

/** Somebody with keys: a member, or one that has failed and may come back as it was. */
export interface KeyHolder {
  readonly name: string;
  readonly state: "alive" | "suspected" | "failed" | "left";
  /** Null: it does not say. */
  readonly keys: MemberKeys | null;
}

/** Ids, as they are shown. */
export type KeyStep =
  /** This key seals from now on, and is among those that the others must open. */
  | { readonly step: "use"; readonly id: string }
  /** This key is opened no longer; `next` seals then. */
  | { readonly step: "remove"; readonly id: string; readonly next: string };

interface Obstacle {
  readonly name: string;
  /** To stand before the name: "1a2b3c4d is not opened by". */
  readonly why: string;
  /** To stand after it. */
  readonly state: string;
}

/** What keeps a step from being safe. A member that left gracefully does not count: when it comes back, warnings name its keys. */
export function obstacles(step: KeyStep, holders: readonly KeyHolder[]): readonly Obstacle[] {
  return holders
    .filter(({ state }) => state !== "left")
    .flatMap(({ name, state, keys }) => {
      const why = obstacle(step, keys);
      return why === null ? [] : [{ name, why, state: STATES[state] }];
    });
}

const STATES: Readonly<Record<KeyHolder["state"], string>> = {
  alive: "",
  suspected: " (which does not answer just now)",
  failed: " (failed within a day, and may come back as it was)",
  left: "",
};

function obstacle(step: KeyStep, keys: MemberKeys | null): string | null {
  if (keys === null) return "the keys are not known, since it runs an earlier version, of";
  if (step.step === "remove" && keys.seals === step.id) return `${step.id} still seals what is sent by`;
  const needed = step.step === "use" ? step.id : step.next;
  return keys.opens.includes(needed) ? null : `${needed} is not opened (only ${keys.opens.join(", ")}) by`;
}
