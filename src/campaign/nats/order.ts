/**
 * What a campaign asks of workers: settings as plain data. Code is named by its digest and never sent; the worker checks the settings as
 * it would check a user's.
 */
import { createHash } from "node:crypto";
import { InputError } from "../../errors.ts";
import { codeOf } from "../../protocols/registry.ts";
import { type Request, requestOf, resolve, type Settings, written } from "../../simulation/settings.ts";
import { decode, encode } from "../../wire/codec.ts";
import { loadProtocol } from "../load-protocol.ts";
import { sendable } from "../pool.ts";
import { buildDigest } from "../statement.ts";
import type { ChunkTask } from "../worker.ts";
import { CATALOGUE, type WorkerNeeds } from "./subjects.ts";

export interface CampaignOrder extends WorkerNeeds {
  /** A name of the catalogue, or the export of the module that `code` names. */
  readonly protocol: string;
  readonly request: Omit<Request, "protocol">;
  readonly rows: boolean;
}

/** Enough to tell campaigns and codes apart; they stand in subjects and in lines for people. */
const DIGITS = 12;

export const digest = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex").slice(0, DIGITS);

const isFile = (topology: unknown): boolean => typeof topology === "string" && topology.startsWith("file:");

export function orderOf(settings: Settings, rows: boolean): CampaignOrder {
  const { protocol: source } = sendable(settings);
  const code = codeOf(settings.protocol);
  const { protocol: _, ...request } = requestOf(settings);
  if (isFile(request.topology)) {
    throw new InputError("a network from a file does not go over NATS: cut the campaign with --shard instead");
  }
  return {
    build: buildDigest(),
    code: code === null ? CATALOGUE : digest(code),
    protocol: typeof source === "string" ? source : source.export,
    request,
    rows,
  };
}

/** Equal ones have equal results, trial by trial. */
export const orderIdentity = (order: CampaignOrder): string => digest(encode(order));

/** `modules`: the files that this worker has, by the digest of their code. Throws where it cannot be run here. */
export async function readOrder(
  bytes: Uint8Array,
  modules: ReadonlyMap<string, string>,
): Promise<{ readonly settings: ChunkTask["settings"]; readonly rows: boolean }> {
  const { build, code, protocol, request, rows } = decode(bytes) as CampaignOrder;
  if (build !== buildDigest()) throw new InputError(`it is of build ${build}, and this is ${buildDigest()}`);
  const module = modules.get(code);
  if (code !== CATALOGUE && module === undefined) throw new InputError(`there is no protocol file ${code} here`);
  if (isFile(request?.topology)) throw new InputError("files of this machine are not for the queue to name");
  const { source } = await loadProtocol(module === undefined ? protocol : { module, export: protocol });
  return { settings: written(resolve({ ...request, protocol: source! })), rows: rows === true };
}
