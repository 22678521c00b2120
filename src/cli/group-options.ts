/** The options of `group`, as its help shows them, and their values. */
import { Option } from "commander";
import { runsInGroups } from "../elector/children.ts";
import type { GroupParams } from "../elector/params.ts";
import { InputError } from "../errors.ts";
import type { MemberOptions } from "../live/group/member.ts";
import { DEFAULT_TTL, LEAST_TTL } from "../protocols/lease/params.ts";
import { findProtocol } from "../protocols/registry.ts";
import { utf8Length } from "../wire/bytes.ts";
import { type EngineFlags, engineAddress, engineOptions } from "./engine-options.ts";
import { numberOf, wholeNumber } from "./values.ts";

const LONGEST_ZONE = 64;
/** A day: who dies with such a lease leaves its office empty for as long. */
const LONGEST_TTL = 86_400_000;

/** As commander gives them: text, but for flags. */
export interface GroupFlags extends EngineFlags {
  readonly self: string;
  readonly bind: string;
  readonly advertise?: string;
  readonly join?: readonly string[];
  readonly keyFile: string;
  readonly group: string;
  readonly office?: readonly string[];
  readonly policy: GroupParams["policy"];
  readonly expected?: string;
  readonly profile: GroupParams["profile"];
  readonly priority: string;
  readonly weight: string;
  readonly zone?: string;
  readonly preferZone?: string;
  readonly protocol: string;
  readonly state?: string;
  readonly leaseTtl?: string;
  readonly preemptible?: true;
  readonly migrate: boolean;
  readonly json?: true;
}

const option = (flags: string, about: string, value: string): Option => new Option(flags, about).default(value, value);
const repeated = (value: string, before: readonly string[] = []): string[] => [...before, value];
const listed = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  ...value.split(",").map((part) => part.trim()),
];

export const groupOptions = (): Option[] => [
  new Option(
    "--self <name>",
    "this member's name: unique in the group, and the same after a restart",
  ).makeOptionMandatory(),
  new Option(
    "--bind <address>",
    "where to listen: 10.0.0.7:7001, [::1]:7001; port 0 takes a free one",
  ).makeOptionMandatory(),
  new Option("--advertise <address>", "where others reach this member, if that is another address"),
  new Option(
    "--join <addresses>",
    "where other members may be, separated by commas; names are looked up again",
  ).argParser(listed),
  new Option(
    "--key-file <file>",
    'the group\'s keys, from "sortition keygen"; SIGHUP reads it again',
  ).makeOptionMandatory(),
  option("--group <name>", "the same at all members; groups of other names are not heard", "sortition"),
  new Option(
    "--office <name[:k]>",
    "what there is to lead; shards:3 has three seats, audit:3..5 a council; may be repeated (default: leader)",
  ).argParser(repeated),
  option("--policy <how>", "whether a minority may lead itself; majority is best effort", "available").choices([
    "available",
    "majority",
  ]),
  new Option("--expected <n>", "how many members there should be, for majority (default: the most ever seen)"),
  option("--profile <name>", "times that fit the network: one machine, a local one, the internet", "lan").choices([
    "local",
    "lan",
    "wan",
  ]),
  option("--priority <number>", "members of a higher one are elected first; who leads already stays", "0"),
  option("--weight <number>", "how often this member is chosen among its equals; 0: only if nobody else is left", "1"),
  new Option("--zone <name>", "where this member runs, up to 64 bytes"),
  new Option("--prefer-zone <name>", "members of this zone lead, among equals"),
  option("--protocol <name>", "the protocol of elections; auto follows from the group's size and its losses", "auto"),
  ...engineOptions("strict mode: whoever leads holds a lease with a token, kept in"),
  new Option(
    "--lease-ttl <ms>",
    `how long a lease lasts without being renewed, the same at all members (default: ${DEFAULT_TTL})`,
  ),
  new Option(
    "--preemptible",
    "the lease of a holder whom nobody reaches is cut short; counts where a seat is first asked for, and stays",
  ),
  new Option("--no-migrate", "do not make missing tables or files for leases, but say what is missing"),
  new Option("--state <folder>", "keeps terms and tokens over restarts; without it a restarted member is a new one"),
  new Option("--json", "one JSON object a line"),
];

/** How leases are kept; null without them. */
export interface LeaseFlags {
  readonly address: string;
  readonly ttl: number;
  readonly preemptible: boolean;
  readonly migrate: boolean;
}

export function leaseOptions(flags: GroupFlags, env?: Parameters<typeof engineAddress>[1]): LeaseFlags | null {
  const address = engineAddress(flags, env);
  const { leaseTtl, preemptible = false, migrate } = flags;
  if (address === null) {
    const [stray] = [leaseTtl && "--lease-ttl", preemptible && "--preemptible", !migrate && "--no-migrate"].filter(
      Boolean,
    );
    if (stray !== undefined) throw new InputError(`${stray} is for leases: give --lease too, or leave it out`);
    return null;
  }
  const ttl = leaseTtl === undefined ? DEFAULT_TTL : wholeNumber(leaseTtl, "--lease-ttl", LEAST_TTL, LONGEST_TTL);
  return { address, ttl, preemptible, migrate };
}

export function memberOptions(flags: GroupFlags): Omit<MemberOptions, "keyring" | "onEvent"> {
  const expected = flags.expected === undefined ? null : wholeNumber(flags.expected, "--expected", 1);
  if (expected !== null && flags.policy !== "majority") {
    throw new InputError("--expected is for --policy majority: give both, or neither");
  }
  if (flags.protocol !== "auto" && !runsInGroups(findProtocol(flags.protocol).protocol)) {
    throw new InputError(
      `--protocol ${flags.protocol} does not elect a leader in a group: choose auto, or one for complete graphs`,
    );
  }
  const weight = numberOf(flags.weight, "--weight");
  if (weight < 0) throw new InputError(`--weight must be at least 0, not ${flags.weight}`);
  const { zone = "" } = flags;
  if (utf8Length(zone) > LONGEST_ZONE) {
    throw new InputError(`--zone takes up to ${LONGEST_ZONE} bytes, not ${utf8Length(zone)}: give it a shorter name`);
  }
  return {
    name: flags.self,
    group: flags.group,
    bind: flags.bind,
    advertise: flags.advertise,
    seeds: flags.join ?? [],
    state: flags.state ?? null,
    params: {
      offices: flags.office ?? ["leader"],
      policy: flags.policy,
      expected,
      profile: flags.profile,
      protocol: flags.protocol,
      preferredZone: flags.preferZone ?? null,
      attributes: { priority: numberOf(flags.priority, "--priority"), weight, zone },
    },
  };
}
