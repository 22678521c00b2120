/** Checks whether the files, keys, addresses and lease store of the settings can be used. Creates nothing, and joins no group. */

import { lookup } from "node:dns/promises";
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { flagOf, InputError } from "../../errors.ts";
import { leaseTimes } from "../../protocols/lease/params.ts";
import { addressIn } from "../engines/engine.ts";
import { openEngine } from "../engines/open.ts";
import { MissingTables } from "../engines/postgres-table.ts";
import { checkPlace } from "../engines/sqlite-file.ts";
import { checkReach, readPlace, resolveAddress } from "../net/address.ts";
import { idsOf, keyIdText } from "../net/keyring.ts";
import { openTransport } from "../net/transport.ts";
import { realWorld } from "../real-world.ts";
import { apiToken, certificateOf } from "./http/admission.ts";
import { checkHttpAddress } from "./listening.ts";
import { type AgentSettings, keyringOfAgent } from "./settings.ts";

export interface CheckFinding {
  readonly about: string;
  /** `wrong`: the agent would not start. */
  readonly is: "well" | "noted" | "wrong";
  readonly why: string;
}

type Look = (settings: AgentSettings) => Promise<string | Noted> | string | Noted;
interface Noted {
  readonly noted: string;
}

const LOOKS: readonly (readonly [about: string, look: Look])[] = [
  ["key", keys],
  ["bind", listening],
  ["seeds", seeds],
  ["state", state],
  ["lease", lease],
  ["http", http],
];

export async function checkMeans(settings: AgentSettings): Promise<readonly CheckFinding[]> {
  const findings: CheckFinding[] = [];
  for (const [about, look] of LOOKS) {
    try {
      const found = await look(settings);
      findings.push(
        typeof found === "string" ? { about, is: "well", why: found } : { about, is: "noted", why: found.noted },
      );
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      findings.push({ about, is: "wrong", why: error.wording(flagOf) });
    }
  }
  return findings;
}

function keys(settings: AgentSettings): string | Noted {
  const [sealing, ...others] = idsOf(keyringOfAgent(settings)).map(keyIdText);
  if (settings.key === undefined && settings.keyFile === undefined) return { noted: "one that everybody knows" };
  return others.length === 0 ? `seals with ${sealing}` : `seals with ${sealing}, and opens ${others.join(", ")} too`;
}

/** The agent itself may run already. */
const inUse = (error: unknown, address: string): Noted => {
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
  if (code !== "EADDRINUSE") throw error;
  return { noted: `another process uses ${address} now; well, if it is this agent, which runs already` };
};

async function listening({ bind, advertise, seeds, transport }: AgentSettings): Promise<string | Noted> {
  const at = await resolveAddress(bind, "bind");
  checkReach(advertise === undefined ? at : await resolveAddress(advertise, "advertise"), bind, seeds);
  try {
    await (await openTransport(at, transport)).close();
    return "can be listened at";
  } catch (error) {
    return inUse(error, bind);
  }
}

async function seeds({ seeds }: AgentSettings): Promise<string | Noted> {
  const names = seeds.flatMap((seed) => readPlace(seed) ?? []).filter(({ isName }) => isName);
  const found = await Promise.all(names.map(({ host }) => lookup(host).catch(() => null)));
  const unknown = names.filter((_, index) => found[index] === null).map(({ host }) => host);
  if (unknown.length > 0) {
    return { noted: `nobody knows an address of ${unknown.join(", ")} now; they are looked up again` };
  }
  return seeds.length === 0 ? { noted: "none: this member is alone until another member joins it" } : "have addresses";
}

function state({ state: folder }: AgentSettings): string | Noted {
  if (folder === undefined) return { noted: "none: terms and tokens are forgotten at the end" };
  let at = resolve(folder);
  while (!existsSync(at)) at = dirname(at);
  try {
    accessSync(at, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new InputError(
      `nothing can be kept in ${folder} (${(error as NodeJS.ErrnoException).code}): fix that, or give another folder`,
    );
  }
  return "can be written";
}

async function lease(settings: AgentSettings): Promise<string | Noted> {
  const { lease, leaseFile, leaseTtl, migrate, group } = settings;
  const address = lease ?? (leaseFile === undefined ? null : addressIn(leaseFile));
  if (address === null) return { noted: "none: there is no token, and two can lead for a while" };
  const [, file] = /^sqlite:(.+)$/is.exec(address) ?? [];
  if (file !== undefined && migrate && !existsSync(file)) {
    checkPlace(resolve(file), address, true);
    return { noted: `${address} is not there yet, and will be made` };
  }
  const { requestTimeout } = leaseTimes(leaseTtl);
  try {
    const engine = await openEngine(address, { group, requestTimeout, migrate: false, world: realWorld });
    await engine.close();
    if (engine.trouble !== undefined) throw new InputError(`${engine.name} cannot be asked: ${engine.trouble}`);
    return `${engine.name} answers`;
  } catch (error) {
    if (!(error instanceof MissingTables) || !migrate) throw error;
    return { noted: "the lease store answers; its tables are not there yet, and will be made" };
  }
}

async function http(settings: AgentSettings): Promise<string | Noted> {
  if (settings.http === "off") return { noted: "off" };
  apiToken(settings);
  certificateOf(settings);
  try {
    await checkHttpAddress(settings.http);
    return "can be served";
  } catch (error) {
    return inUse(error, settings.http);
  }
}
