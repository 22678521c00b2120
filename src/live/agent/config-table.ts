/** Every setting of an agent: what it is called in the environment and on the command line, how text becomes its value, and what follows from its default. */
import { DEFAULT_TTL } from "../../protocols/lease/params.ts";
import { AGENT_ENTRIES, type AgentKey, DEFAULT_HTTP } from "./settings.ts";

/** `path`: a file or folder, whose relative name in a file counts from that file's folder. `lease`: may be one, as in sqlite:FILE. */
export type Kind = "text" | "list" | "number" | "yes" | "path" | "lease";

export interface ConfigOption {
  readonly kind: Kind;
  /** As help shows it; null where arguments are no place for it: everybody on the machine can read them. */
  readonly flag: string | null;
  readonly about: string;
  readonly choices?: readonly string[];
  /** Its value is not shown. */
  readonly secret?: true;
}

export const CONFIG: Readonly<Record<AgentKey, ConfigOption>> = {
  name: {
    kind: "text",
    flag: "--self <name>",
    about:
      "this member's name: unique in the group, and the same after a restart, up to 64 bytes (default: the host's name; two members of one host need two names)",
  },
  group: {
    kind: "text",
    flag: "--group <name>",
    about:
      'the same at all members; groups of other names are not heard, also with the same key (default: "sortition")',
  },
  bind: {
    kind: "text",
    flag: "--bind <address>",
    about:
      "where to listen for members: 10.0.0.7:7001, [::1]:7001 (default: 127.0.0.1:0, a free port of this machine, so that only its own processes can be members)",
  },
  advertise: {
    kind: "text",
    flag: "--advertise <address>",
    about: "where others reach this member (default: as --bind); wrong: it hears nobody and is taken for dead",
  },
  seeds: {
    kind: "list",
    flag: "--join <addresses>",
    about:
      "where other members may be, separated by commas; names are looked up again (default: none, it is alone until somebody joins it)",
  },
  key: {
    kind: "text",
    flag: null,
    secret: true,
    about: "the group's keys as text, a key a line; for the environment",
  },
  keyFile: {
    kind: "path",
    flag: "--key-file <file>",
    about:
      'the group\'s keys, from "sortition keygen"; SIGHUP reads it again (default: none, on loopback only: every process of this machine can be a member)',
  },
  insecure: {
    kind: "yes",
    flag: "--insecure",
    about: "run without a key, also where others can reach it: whoever does can be a member, and can lead",
  },
  offices: {
    kind: "list",
    flag: "--office <name[:k]>",
    about:
      "what there is to lead; shards:3 has three seats, audit:3..5 a council; may be repeated (default: leader); what is not named this member does not lead",
  },
  policy: {
    kind: "text",
    flag: "--policy <how>",
    choices: ["available", "majority"],
    about:
      "whether each side of a parted group may have a leader, or only one that sees more than half, best effort (default: available)",
  },
  expected: {
    kind: "number",
    flag: "--expected <n>",
    about:
      "how many members there should be, for majority (default: the most ever seen, which a restarted member has forgotten)",
  },
  profile: {
    kind: "text",
    flag: "--profile <name>",
    choices: ["local", "lan", "wan"],
    about:
      "times that fit the network: one machine, a local one, the internet (default: lan, in which a slow network looks dead)",
  },
  priority: {
    kind: "number",
    flag: "--priority <number>",
    about: "members of a higher one are elected first; who leads already stays (default: 0, all alike)",
  },
  weight: {
    kind: "number",
    flag: "--weight <number>",
    about: "how often this member is chosen among its equals; 0: only if nobody else is left (default: 1)",
  },
  zone: {
    kind: "text",
    flag: "--zone <name>",
    about: "where this member runs, up to 64 bytes (default: nowhere in particular)",
  },
  preferZone: {
    kind: "text",
    flag: "--prefer-zone <name>",
    about: "members of this zone lead, among equals (default: no zone comes first)",
  },
  protocol: {
    kind: "text",
    flag: "--protocol <name>",
    about: "the protocol of elections (default: auto, which follows from the group's size and its losses)",
  },
  state: {
    kind: "path",
    flag: "--state <folder>",
    about:
      "keeps terms and tokens over restarts (default: none, so that a restarted member may take part in a term again, and two leaders are likelier)",
  },
  lease: {
    kind: "lease",
    flag: "--lease <address>",
    secret: true,
    about:
      "strict mode: whoever leads holds a lease with a token, kept in sqlite:FILE, or postgres://ROLE@HOST:PORT/DATABASE without a password (default: none, so that there is no token and two can lead for a while)",
  },
  leaseFile: {
    kind: "path",
    flag: "--lease-file <file>",
    about: "a file that holds that address, with a password, and that only you can read",
  },
  leaseTtl: {
    kind: "number",
    flag: "--lease-ttl <ms>",
    about: `how long a lease lasts without being renewed, the same at all members; so long nobody leads after a crash (default: ${DEFAULT_TTL})`,
  },
  preemptible: {
    kind: "yes",
    flag: "--preemptible",
    about:
      "the lease of a holder whom nobody reaches is cut short; counts where a seat is first asked for, and stays (default: it is waited for as long as it is renewed)",
  },
  migrate: {
    kind: "yes",
    flag: "--no-migrate",
    about: "do not make missing tables or files for leases, but say what is missing (default: they are made)",
  },
  stallMs: {
    kind: "number",
    flag: "--stall-ms <ms>",
    about: "standstills of this process from here on are told (default: 200; 0: they are not measured)",
  },
  http: {
    kind: "text",
    flag: "--http <address>",
    about: `where HTTP is served, or "off" (default: ${DEFAULT_HTTP}, so that only processes of this machine can ask; with run: off)`,
  },
  httpHosts: {
    kind: "list",
    flag: "--http-host <names>",
    about:
      "further names by which HTTP may be asked, separated by commas (default: those of this machine; requests with another Host are refused)",
  },
  httpToken: {
    kind: "text",
    flag: null,
    secret: true,
    about: "the bearer token of HTTP as text; for the environment",
  },
  httpTokenFile: {
    kind: "path",
    flag: "--http-token-file <file>",
    about:
      "a file with the bearer token that mutations need, and every request from beyond this machine; only you can read it (default: none, so that nothing can be changed by HTTP)",
  },
  tlsCert: {
    kind: "path",
    flag: "--tls-cert <file>",
    about: "serve HTTPS with this certificate and its chain, in PEM; SIGHUP reads it again (default: HTTP)",
  },
  tlsKey: { kind: "path", flag: "--tls-key <file>", about: "the certificate's private key, in PEM" },
  log: {
    kind: "text",
    flag: "--log <form>",
    choices: ["auto", "text", "json"],
    about: "lines for people or one JSON object a line, on standard error (default: auto, text on a terminal)",
  },
  logLevel: {
    kind: "text",
    flag: "--log-level <level>",
    choices: ["debug", "info", "warn", "error"],
    about: "the least that is logged (default: info; debug also tells of each term and each suspicion)",
  },
};

export const AGENT_KEYS = Object.keys(AGENT_ENTRIES) as readonly AgentKey[];

/** keyFile: SORTITION_KEY_FILE */
export const variableOf = (key: AgentKey): string =>
  `SORTITION_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** The first word of its flag; null where it has none. */
export const flagNameOf = (key: AgentKey): string | null => CONFIG[key].flag?.split(" ")[0] ?? null;

/** From the text of a flag or a variable. What is none of its kind stays text, and the schema says what is wrong with it. */
export function readAsKind(key: AgentKey, text: string): unknown {
  const { kind } = CONFIG[key];
  const given = text.trim();
  if (kind === "list") return listIn(given);
  if (kind === "number") return given !== "" && Number.isFinite(Number(given)) ? Number(given) : given;
  if (kind === "yes") return YES_NO[given.toLowerCase()] ?? given;
  return given;
}

const YES_NO: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  1: true,
  false: false,
  no: false,
  off: false,
  0: false,
};

export const listIn = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
