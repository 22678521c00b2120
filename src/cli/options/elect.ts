/** The options of `elect`, as its help shows them, and their values. */
import { Option } from "commander";
import { InputError } from "../../errors.ts";
import { insecureKeyring, type Keyring, loadKeyring } from "../../live/net/keyring.ts";
import { addressText, isLoopback } from "../../live/net/udp.ts";
import { loadMembers, type Member, parametersFor } from "../../live/once/members.ts";
import type { ElectOptions } from "../../live/once/part.ts";
import type { AnyProtocol, Id } from "../../protocol.ts";
import { numberOf, paramOption, paramsOf, probabilityOf, wholeNumber } from "./options.ts";
import { protocolFileOption } from "./protocol-file.ts";

/** As commander gives them: text, but for flags. */
export interface ElectFlags {
  readonly protocolFile?: string;
  readonly self: string;
  readonly members: string;
  readonly keyFile?: string;
  readonly insecure?: true;
  readonly force?: true;
  readonly tau: string;
  readonly param?: readonly string[];
  readonly initiator?: "true" | "false";
  readonly election: string;
  readonly gather: string;
  readonly timeout?: string;
  readonly linger?: string;
  readonly multicast: ElectOptions["multicast"];
  readonly state?: string;
  readonly loss: string;
  readonly seed: string;
}

const option = (flags: string, about: string, value: string): Option => new Option(flags, about).default(value, value);
export const electOptions = (): Option[] => [
  protocolFileOption(),
  new Option("--self <id>", "which of the members this process is").makeOptionMandatory(),
  new Option("--members <file>", 'the group: JSON, or lines such as "1 127.0.0.1:7001"').makeOptionMandatory(),
  new Option("--key-file <file>", 'the group\'s keys, from "sortition keygen"'),
  new Option("--insecure", "use a key that everybody knows; refused beyond loopback"),
  new Option("--force", "allow --insecure beyond loopback"),
  option("--tau <ms>", "the protocol's unit of time: longer than any message takes, the same at all members", "50"),
  paramOption(),
  new Option(
    "--initiator <choice>",
    "whether this member starts unasked (default: all do, or as few as the protocol wants)",
  ).choices(["true", "false"]),
  option("--election <name>", "tells elections of the same group apart; the same at all members", "1"),
  option("--gather <s>", "how long members wait for each other at the start", "10"),
  new Option(
    "--timeout <s>",
    "a member without a verdict gives up after this time (default: 30 s from the start, and what the protocol itself waits)",
  ),
  new Option("--linger <ms>", "silence after the verdict before this member leaves (default: 20 tau)"),
  option("--multicast <how>", "to each member, by gossip, or by gossip in groups of more than 32", "auto").choices([
    "auto",
    "fan-out",
    "epidemic",
  ]),
  new Option("--state <folder>", "where protocols keep what must survive a crash"),
  option("--loss <p>", "drop this share of the datagrams on purpose, to see what happens", "0"),
  option("--seed <number>", "which datagrams --loss drops", "1"),
];

/** A day, in milliseconds: an election that takes longer has failed. */
const LONGEST = 24 * 60 * 60 * 1000;

/** Delays longer than this count as pauses: a few rounds, and more than a busy machine's ordinary hiccups. */
export const stallLimitFor = (tau: number): number => Math.max(100, 2 * tau);

interface ElectSetup {
  readonly self: Member;
  readonly keyring: () => Keyring;
  readonly options: ElectOptions;
  readonly loss: number;
  readonly seed: number;
}

export function setupFrom(protocol: AnyProtocol, flags: ElectFlags): ElectSetup {
  const membership = loadMembers(flags.members);
  const self = memberNamed(membership.members, wholeNumber(flags.self, "--self", 0), flags.members);
  const tau = milliseconds(flags.tau, "--tau", 1, true);
  if (tau < 1) throw new InputError(`--tau must be at least 1, not ${flags.tau}: no network is timely within less`);
  return {
    self,
    keyring: keyringFrom(flags, membership.members),
    loss: probabilityOf(flags.loss, "--loss"),
    seed: wholeNumber(flags.seed, "--seed", 0),
    options: {
      protocol,
      params: parametersFor(protocol, paramsOf(flags.param ?? []), membership),
      membership,
      initiator: flags.initiator === undefined ? null : flags.initiator === "true",
      name: flags.election,
      tau,
      gather: milliseconds(flags.gather, "--gather", 1000, true),
      stallLimit: stallLimitFor(tau),
      multicast: flags.multicast,
      state: flags.state ?? null,
      timeout: flags.timeout === undefined ? null : milliseconds(flags.timeout, "--timeout", 1000, true),
      linger: flags.linger === undefined ? 20 * tau : milliseconds(flags.linger, "--linger", 1, false),
    },
  };
}

/** A time in units of this many milliseconds. */
function milliseconds(text: string, option: string, unit: number, above0: boolean): number {
  const value = unit * numberOf(text, option);
  if (value < 0 || (above0 && value === 0)) {
    throw new InputError(`${option} must be ${above0 ? "above 0" : "at least 0"}, not ${text}`);
  }
  if (value > LONGEST) throw new InputError(`${option} can be at most ${Math.floor(LONGEST / unit)}, not ${text}`);
  return value;
}

function memberNamed(members: readonly Member[], id: Id, file: string): Member {
  const found = members.find((member) => member.id === id);
  if (found !== undefined) return found;
  throw new InputError(`--self ${id} is not in ${file}: it lists ${members.map((member) => member.id).join(", ")}`);
}

/** Read again at each call, so that a changed file can take effect. */
function keyringFrom({ keyFile, insecure, force }: ElectFlags, members: readonly Member[]): () => Keyring {
  if (keyFile !== undefined && insecure) throw new InputError("--key-file and --insecure exclude each other: give one");
  if (keyFile !== undefined) return () => loadKeyring(keyFile);
  if (!insecure) throw new InputError('no key: give --key-file FILE (make one with "sortition keygen"), or --insecure');
  const beyond = members.find((member) => !isLoopback(member));
  if (beyond !== undefined && !force) {
    const where = addressText(beyond);
    throw new InputError(
      `--insecure is for loopback, but member ${beyond.id} is at ${where}: use --key-file, or --force`,
    );
  }
  return insecureKeyring;
}
