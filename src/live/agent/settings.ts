/** The settings of an agent that depend on each other, and those that follow from the machine. */
import { hostname } from "node:os";
import { InputError } from "../../errors.ts";
import type { Values } from "../../setting.ts";
import { type AGENT, DEFAULT_HTTP } from "../../settings/member.ts";
import { MOST_NAME_BYTES, socketPath } from "../../settings/member-kinds.ts";
import { utf8Length } from "../../wire/bytes.ts";
import { checkTogether, keyringFrom } from "../join/options.ts";
import { readPlace } from "../net/address.ts";
import { insecureKeyring, type Keyring } from "../net/keyring.ts";
import { isLoopback } from "../net/udp.ts";

/** The settings with their defaults. */
export type AgentSettings = Values<typeof AGENT> & { readonly name: string };

/** Names of machines can be longer than those of members. */
export function hostName(): string {
  let name = hostname();
  while (utf8Length(name) > MOST_NAME_BYTES) name = name.slice(0, -1);
  return name === "" ? "localhost" : name;
}

/** Checks rules that need more than one setting. Throws if the agent must not start; returns warnings. */
export function checkAgent(settings: AgentSettings): readonly string[] {
  checkTogether(settings);
  return [...keyWarnings(settings), ...httpWarnings(settings)];
}

const isLocal = (address: string): boolean => {
  const at = readPlace(address);
  return at !== null && (isLoopback(at) || at.host === "localhost");
};

const isKeyed = ({ key, keyFile }: AgentSettings): boolean => key !== undefined || keyFile !== undefined;

/** Reads the keys anew. Without any, the public insecure key: `checkAgent` has checked whether that is allowed. */
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
    return [
      `there is no key, and ${far} can be reached by others: every host that reaches it can become a member, and can lead`,
    ];
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
  if (socketPath(http) !== null) {
    if (tlsCert === undefined) return [];
    throw new InputError((field) => `HTTP at ${http} stays in this machine: leave ${field("tlsCert")} out`);
  }
  if (isLocal(http)) return [];
  if (httpToken === undefined && httpTokenFile === undefined) {
    throw new InputError(
      (field) =>
        `HTTP at ${http} can be reached by others: give a file with a token, ${field("httpTokenFile")}, or serve it at an address of this machine alone such as ${DEFAULT_HTTP}`,
    );
  }
  if (tlsCert !== undefined) return [];
  return [
    `HTTP at ${http} is not encrypted: a host that reads the traffic learns the token; tlsCert and tlsKey encrypt it`,
  ];
}
