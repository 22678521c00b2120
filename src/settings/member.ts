/**
 * Every setting of a member of a live group, once. The options of `join`, the agent's config file, its environment variables, the flags of
 * `agent`, `group` and `run`, their help, the completion and docs/settings.md are made from this table. CONTRIBUTING.md says how to add one.
 */
import { flagOf } from "../errors.ts";
import { DEFAULT_TTL, LEAST_TTL, LONGEST_TTL } from "../protocols/lease/params.ts";
import { type Details, type Setting, setting, type Values } from "../setting.ts";
import { choice, number, whole } from "../values.ts";
import {
  address,
  duration,
  file,
  folder,
  httpPlace,
  jobKey,
  listOfItems,
  milliseconds,
  nonEmpty,
  onOrOff,
  shortName,
} from "./member-kinds.ts";

/** What only members' settings have. */
export interface MemberDetails extends Details {
  /** Never shown, never passed on to a command of `sortition run`, and never read from a file that other users can read. */
  readonly secret?: true;
  /** Without a flag, since every user of the machine can read arguments. */
  readonly hasNoFlag?: true;
  /** What follows this prefix names a file or folder; in a config file, relative names start from the folder of that file. */
  readonly pathAfter?: "" | "sqlite:";
  /** A flag that works and that no help shows: what this setting was called before. `isWhole`: a comma does not end an item. */
  readonly formerFlag?: { readonly name: string; readonly isWhole?: true };
  /** Names that people try, for "did you mean". */
  readonly misnamed?: readonly string[];
}

const DAY = 86_400_000;

/** Port 7070 of this machine alone: its processes can read, and no process can change anything without a token. */
export const DEFAULT_HTTP = "127.0.0.1:7070";

/** How many minutes a flight record keeps, where nobody says. */
export const RECORD_MINUTES = 10;

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** How this member takes part in elections: handed to the elector under these names (`electionParams`). */
export const ELECTIONS = {
  offices: setting(listOfItems(nonEmpty("an office"), "a list of at least one office", 1), {
    value: "names",
    about: "offices that this member can lead; shards:3 has three seats, audit:3..5 is a council",
    default: "leader",
    formerFlag: { name: "--office", isWhole: true },
  }),
  policy: setting(choice("available", "majority"), {
    value: "policy",
    about: "sides of a partition that may lead: available (all), majority (more than half, best effort)",
    default: "available",
  }),
  expected: setting(whole(1), {
    value: "count",
    about: "for the policy majority: number of members that there should be",
    otherwise: "the most ever seen, which a restarted member has forgotten",
  }),
  profile: setting(choice("local", "lan", "wan"), {
    value: "name",
    about: "timeouts that fit the network: local (one machine), lan or wan (the internet)",
    default: "lan",
    otherwise: "lan, which takes members behind a slow network for dead",
  }),
  priority: setting(number(), {
    value: "number",
    about: "members of higher priority are elected first; a member that leads already stays",
    default: "0",
  }),
  weight: setting(number(0), {
    value: "number",
    about: "chance to be elected among members of equal priority; 0: only without any other",
    default: "1",
  }),
  zone: setting(shortName, {
    value: "name",
    about: "zone in which this member runs",
    otherwise: "none",
  }),
  preferZone: setting(shortName, {
    value: "name",
    about: "among members of equal priority, members of this zone lead",
    otherwise: "none, so all zones are alike",
  }),
  mixed: setting(onOrOff, {
    about: "accept members with other leases, policy or seats, while you change them one by one",
    default: "false",
  }),
  protocol: setting(nonEmpty("the name of a protocol"), {
    value: "name",
    about: "protocol of elections",
    default: "auto",
    otherwise: "auto, which follows from the group's size and its losses",
  }),
} satisfies Readonly<Record<string, Setting & MemberDetails>>;

/** Of every member, also of one that a program starts with `join`. */
export const MEMBER = {
  name: setting(shortName, {
    value: "name",
    about: "name of this member, unique in the group and the same after a restart",
    otherwise: "the host's name; `join` must be given one",
    formerFlag: { name: "--self" },
  }),
  group: setting(shortName, {
    value: "name",
    about: "name of the group, the same at all members; a member ignores other groups",
    default: "sortition",
  }),
  bind: setting(address, {
    value: "address",
    about: "address to listen at, such as 10.0.0.7:7001 or [::1]:7001; port 0 takes a free port",
    default: "127.0.0.1:0",
    otherwise: "127.0.0.1:0, which only processes of this machine can reach",
  }),
  advertise: setting(address, {
    value: "address",
    about: "address at which others reach this member; a wrong one makes it look dead",
    otherwise: "as bind",
  }),
  transport: setting(choice("udp", "tcp"), {
    value: "name",
    about: "udp, or tcp if the network blocks UDP; the same at all members",
    default: "udp",
  }),
  seeds: setting(listOfItems(address, "a list of addresses"), {
    value: "addresses",
    about: "addresses of members, separated by commas; this member's address may be among them",
    default: "",
    otherwise: "none, so this member is alone until another one joins it",
    formerFlag: { name: "--join" },
    misnamed: ["members"],
  }),
  key: setting(nonEmpty("the text of a key"), {
    value: "text",
    about: "the group's keys as text, one key a line; for programs and the environment",
    otherwise: "none",
    secret: true,
    hasNoFlag: true,
  }),
  keyFile: setting(file, {
    value: "file",
    about: "file of the group's keys, from `sortition keygen`; only its owner may read it",
    otherwise: "none: every process of this machine can join; `join` needs a key",
    pathAfter: "",
    misnamed: ["keys"],
  }),
  insecure: setting(onOrOff, {
    about: "run without a key: every process that reaches this member can join and lead",
    default: "false",
  }),
  ...ELECTIONS,
  state: setting(folder, {
    value: "folder",
    about: "folder that keeps terms and tokens over restarts",
    otherwise: "none: after a restart, this member can take part in one term twice",
    pathAfter: "",
  }),
  lease: setting(
    nonEmpty(
      "an address, sqlite:FILE, postgres://ROLE@HOST/DATABASE, etcd://HOST:2379, redis://HOST:6379, kubernetes: or nats://HOST:4222",
    ),
    {
      value: "address",
      about:
        "lease store: sqlite:FILE, postgres://ROLE@HOST/DATABASE, etcd://HOST:2379, redis://HOST:6379, kubernetes: or nats://HOST:4222; no password; same at all members",
      otherwise: "none: there is no token, and two members can lead for a while",
      secret: true,
      pathAfter: "sqlite:",
    },
  ),
  leaseFile: setting(file, {
    value: "file",
    about: "file with the lease store's address and password; only its owner may read it",
    otherwise: "none",
    pathAfter: "",
  }),
  balance: setting(onOrOff, {
    about: "seats are spread over the members; with --no-balance a member keeps its seats",
    default: "true",
  }),
  leaseWait: setting(milliseconds("at most a day", 0, DAY), {
    value: "time",
    about: "how long to wait at the start for the lease store, before giving up",
    otherwise: "0: this member starts anyway, and asks when it is elected",
  }),
  leaseTtl: setting(milliseconds(`at least ${LEAST_TTL} ms and at most an hour`, LEAST_TTL, LONGEST_TTL), {
    value: "time",
    about: "how long a lease lasts without renewal; the same at all members",
    otherwise: String(DEFAULT_TTL),
    misnamed: ["ttl"],
  }),
  preemptible: setting(onOrOff, {
    about: "shorten the lease of a leader that no member reaches; set it at all members",
    default: "false",
  }),
  migrate: setting(onOrOff, {
    about: "this member makes missing tables of the lease store; with --no-migrate it stops",
    default: "true",
  }),
  record: setting(file, {
    value: "file",
    about: "flight record: file with this member's last minutes, for `sortition replay`",
    otherwise: "none, so nothing is recorded",
    pathAfter: "",
  }),
  recordMinutes: setting(whole(1, 1440), {
    value: "minutes",
    about: "minutes that the flight record keeps; ten need at most 17 MB",
    otherwise: String(RECORD_MINUTES),
  }),
  stallMs: setting(milliseconds("at least 10 ms, or 0", 10, Number.MAX_SAFE_INTEGER, true), {
    value: "time",
    about: "shortest pause of this process that is reported; 0: pauses are not measured",
    default: "200",
  }),
} satisfies Readonly<Record<string, Setting & MemberDetails>>;

/** With every default in its place. */
export type MemberSettings = Values<typeof MEMBER> & { readonly name: string };

/** Of members that serve HTTP and write a log: the agent, and `sortition run`. */
export const AGENT = {
  ...MEMBER,
  http: setting(httpPlace, {
    value: "address",
    about: 'address at which HTTP is served, unix:PATH for a Unix socket, or "off"',
    default: DEFAULT_HTTP,
    otherwise: `${DEFAULT_HTTP}, which only processes of this machine can reach; with run: off`,
  }),
  httpHosts: setting(listOfItems(nonEmpty("the name of a host"), "a list of names"), {
    value: "names",
    about: "further host names by which HTTP may be asked, separated by commas",
    default: "",
    otherwise: "those of this machine; requests with another Host are refused",
    formerFlag: { name: "--http-host" },
  }),
  httpToken: setting(nonEmpty("the text of a token"), {
    value: "text",
    about: "bearer token of HTTP as text; for the environment",
    otherwise: "none",
    secret: true,
    hasNoFlag: true,
  }),
  httpTokenFile: setting(file, {
    value: "file",
    about: "file with the bearer token; only its owner may read it",
    otherwise: "none: HTTP serves only this machine, and only for reading",
    pathAfter: "",
  }),
  tlsCert: setting(file, {
    value: "file",
    about: "certificate with its chain, in PEM, with which HTTPS is served; SIGHUP reads it again",
    otherwise: "none, so HTTP is not encrypted",
    pathAfter: "",
  }),
  tlsKey: setting(file, {
    value: "file",
    about: "private key of the certificate, in PEM",
    otherwise: "none",
    pathAfter: "",
  }),
  log: setting(choice("auto", "text", "json"), {
    value: "form",
    about: "form of the log: text, json (one object a line) or auto",
    default: "auto",
    otherwise: "auto, which is text on a terminal and json elsewhere",
  }),
  logLevel: setting(choice(...LOG_LEVELS), {
    value: "level",
    about: "lowest level that is logged: debug (each term, view and suspicion), info, warn or error",
    default: "info",
    otherwise: "info; with run: warn",
  }),
} satisfies Readonly<Record<string, Setting & MemberDetails>>;

/** A day. */
const LONGEST_GRACE = 86_400_000;
const MOST_SEATS = 1000;

/** What `sortition run` has besides: flags only. */
export const RUN_COMMAND = {
  k: setting(whole(1, MOST_SEATS), {
    value: "count",
    about: "number of members that run the command at a time",
    default: "1",
  }),
  restart: setting(onOrOff, {
    about: "when the command ends by itself, stand for the office again; otherwise end too",
    default: "false",
  }),
  grace: setting(milliseconds("at most a day", 1, LONGEST_GRACE), {
    value: "time",
    about: "from SIGTERM to SIGKILL; a longer grace needs a longer lease",
    otherwise: "two fifths of leaseTtl, 10000 at most",
  }),
  cgroup: setting(choice("auto", "always", "never"), {
    value: "when",
    about: "hold the command's processes by a cgroup (v2): auto (if possible), always, or never",
    default: "auto",
  }),
  once: setting(jobKey, {
    value: "key",
    about: "run the command once in the whole group, under this key",
    otherwise: "it runs whenever this member leads",
  }),
  every: setting(duration, {
    value: "time",
    about: "run the command at multiples of this time, such as 15m, on one member",
    otherwise: "no schedule",
  }),
  cron: setting(nonEmpty("a cron expression"), {
    value: "times",
    about: 'run the command by a cron expression ("0 3 * * *"), on one member',
    otherwise: "no schedule",
  }),
  tz: setting(nonEmpty("a time zone"), {
    value: "zone",
    about: "time zone of --cron, such as Europe/Berlin",
    otherwise: "that of this machine",
  }),
  after: setting(duration, {
    value: "time",
    about: "run the command again this long after its last end, on any member",
    otherwise: "no schedule",
  }),
  job: setting(jobKey, {
    value: "key",
    about: "key of a scheduled job in the lease store",
    otherwise: "the command and its schedule",
  }),
  missed: setting(choice("run", "skip"), {
    value: "what",
    about: "a scheduled time without a leader: run (late, only the latest) or skip",
    default: "run",
  }),
  attempts: setting(whole(1, 1000), {
    value: "count",
    about: "failures after which a job is given up; until then another member tries",
    default: "3",
  }),
  keep: setting(duration, {
    value: "time",
    about: "how long the lease store remembers a job after its last run",
    default: "30d",
  }),
};

export type MemberKey = keyof typeof MEMBER;
export type AgentKey = keyof typeof AGENT;
export const MEMBER_KEYS = Object.keys(MEMBER) as readonly MemberKey[];
export const AGENT_KEYS = Object.keys(AGENT) as readonly AgentKey[];

/** A setting of the table, whichever it is. */
export const agentSetting = (key: AgentKey): Setting & MemberDetails => AGENT[key];

/** keyFile: SORTITION_KEY_FILE */
export const variableOf = (key: AgentKey): string =>
  `SORTITION_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** keyFile: --key-file. What is on unless it is said otherwise is switched off: --no-migrate. Null where a setting has no flag. */
export function memberFlag(key: AgentKey): string | null {
  const { hasNoFlag, value, default: fallback } = agentSetting(key);
  if (hasNoFlag) return null;
  return value === undefined && fallback === "true" ? `--no-${flagOf(key).slice(2)}` : flagOf(key);
}

/** The setting that somebody means who uses a former name or a likely one; null if there is none. */
export const meantBy = (name: string): AgentKey | null =>
  AGENT_KEYS.find((key) => {
    const { formerFlag, misnamed = [] } = agentSetting(key);
    return formerFlag?.name === flagOf(name) || misnamed.includes(name);
  }) ?? null;

/** A wrong value, for an error. Passwords and keys are not shown. */
export const shownValue = (value: unknown, isSecret = false): string =>
  isSecret ? "something else" : (JSON.stringify(value) ?? String(value)).slice(0, 100);
