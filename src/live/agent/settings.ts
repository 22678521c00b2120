/** The settings of an agent: those of a member, and how it serves HTTP and writes its log. One schema for files, environment and flags. */
import { hostname } from "node:os";
import * as v from "valibot";
import { InputError } from "../../errors.ts";
import { utf8Length } from "../../wire/bytes.ts";
import { keyringFrom } from "../join/keys.ts";
import { checkTogether, MEMBER_ENTRIES, oneOf, text } from "../join/options.ts";
import { readPlace } from "../net/address.ts";
import { insecureKeyring, type Keyring } from "../net/keyring.ts";
import { isLoopback } from "../net/udp.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** Port 7070 of this machine alone: whoever is on it can read, and nobody can change anything without a token. */
export const DEFAULT_HTTP = "127.0.0.1:7070";

/** As long as a member's name may be. */
const LONGEST_NAME = 64;

export const AGENT_ENTRIES = {
  ...MEMBER_ENTRIES,
  name: v.optional(MEMBER_ENTRIES.name, hostName),
  /** Where HTTP is served; "off": nowhere. */
  http: v.optional(
    v.pipe(
      text("an address"),
      v.check((given) => given === "off" || readPlace(given) !== null, 'must be an address, HOST:PORT, or "off"'),
    ),
    DEFAULT_HTTP,
  ),
  /** Further names by which this machine may be asked. */
  httpHosts: v.optional(v.array(text("the name of a host"), "must be a list of names"), []),
  httpToken: v.optional(text("the text of a token")),
  httpTokenFile: v.optional(text("the name of a file")),
  tlsCert: v.optional(text("the name of a file")),
  tlsKey: v.optional(text("the name of a file")),
  log: v.optional(oneOf(["auto", "text", "json"]), "auto"),
  logLevel: v.optional(oneOf(LOG_LEVELS), "info"),
};

export const AGENT_SCHEMA = v.object(AGENT_ENTRIES);

/** With every default in its place. */
export type AgentSettings = Readonly<v.InferOutput<typeof AGENT_SCHEMA>>;
export type AgentKey = keyof AgentSettings;

/** Names of machines can be longer than those of members. */
function hostName(): string {
  let name = hostname();
  while (utf8Length(name) > LONGEST_NAME) name = name.slice(0, -1);
  return name === "" ? "localhost" : name;
}

/** What depends on more than one of them: throws where the agent must not start, and gives what somebody should be told. */
export function checkAgent(settings: AgentSettings): readonly string[] {
  checkTogether(settings);
  return [...keyWarnings(settings), ...httpWarnings(settings)];
}

export const isLocal = (address: string): boolean => {
  const at = readPlace(address);
  return at !== null && (isLoopback(at) || at.host === "localhost");
};

const isKeyed = ({ key, keyFile }: AgentSettings): boolean => key !== undefined || keyFile !== undefined;

/** Reads the keys anew. One that everybody knows, where none is given: `checkAgent` has seen to where that is allowed. */
export const keyringOfAgent = (settings: AgentSettings): Keyring =>
  isKeyed(settings) ? keyringFrom({ ...settings, insecure: false }, {}) : insecureKeyring();

function keyWarnings(settings: AgentSettings): string[] {
  const { bind, advertise = bind, insecure } = settings;
  if (isKeyed(settings)) return [];
  const far = [bind, advertise].find((address) => !isLocal(address));
  if (far === undefined) {
    return insecure
      ? []
      : ["there is no key, so every process of this machine can be a member: give one with --key-file"];
  }
  if (insecure) {
    return [`there is no key, and ${far} can be reached by others: whoever reaches it can be a member, and can lead`];
  }
  throw new InputError(
    (field) =>
      `there is no key, and ${far} can be reached by others, who could be members then: make a key with "sortition keygen --out group.key" and give ${field("keyFile")}, or say ${field("insecure")}`,
  );
}

function httpWarnings(settings: AgentSettings): string[] {
  const { http, httpToken, httpTokenFile, tlsCert, tlsKey } = settings;
  if (http === "off") return [];
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new InputError(
      (field) => `${field("tlsCert")} and ${field("tlsKey")} go together: give both files, or neither`,
    );
  }
  if (httpToken !== undefined && httpTokenFile !== undefined) {
    throw new InputError(`httpToken and httpTokenFile both say which token HTTP asks for: give one of them`);
  }
  if (isLocal(http)) return [];
  if (httpToken === undefined && httpTokenFile === undefined) {
    throw new InputError(
      (field) =>
        `HTTP at ${http} can be reached by others: give a file with a token, ${field("httpTokenFile")}, or serve it at an address of this machine alone such as ${DEFAULT_HTTP}`,
    );
  }
  if (tlsCert !== undefined) return [];
  return [`HTTP at ${http} is not encrypted: whoever can read along learns the token; tlsCert and tlsKey encrypt it`];
}
