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
import type { Task } from "../worker.ts";
import { buildDigest } from "./build.ts";
import { CATALOGUE, type Needs } from "./subjects.ts";

export interface Order extends Needs {
  /** A name of the catalogue, or the export of the module that `code` names. */
  readonly protocol: string;
  readonly request: Omit<Request, "protocol">;
  readonly rows: boolean;
}

/** Enough to tell campaigns and codes apart; they stand in subjects and in lines for people. */
const DIGITS = 12;

export const digest = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex").slice(0, DIGITS);

export function orderOf(settings: Settings, rows: boolean): Order {
  const { protocol: source } = sendable(settings);
  if (settings.topology?.startsWith("file:")) {
    throw new InputError(
      `the network ${settings.topology} lies on this machine, and workers elsewhere cannot read it: leave out --nats`,
    );
  }
  const code = codeOf(settings.protocol);
  const { protocol: _, ...request } = requestOf(settings);
  return {
    build: buildDigest(),
    code: code === null ? CATALOGUE : digest(code),
    protocol: typeof source === "string" ? source : source.export,
    request,
    rows,
  };
}

/** Equal ones have equal results, trial by trial. */
export const identityOf = (order: Order): string => digest(encode(order));

export const writeOrder = (order: Order): Uint8Array => encode(order);

/** `modules`: the files that this worker has, by the digest of their code. Throws where it cannot be run here. */
export async function readOrder(bytes: Uint8Array, modules: ReadonlyMap<string, string>): Promise<Task["settings"]> {
  const { build, code, protocol, request } = decode(bytes) as Order;
  if (build !== buildDigest()) throw new InputError(`it is of build ${build}, and this is ${buildDigest()}`);
  const module = modules.get(code);
  if (code !== CATALOGUE && module === undefined) throw new InputError(`there is no protocol file ${code} here`);
  if (typeof request?.topology === "string" && request.topology.startsWith("file:")) {
    throw new InputError("its network is a file, and files of this machine are not for the queue to name");
  }
  const { source } = await loadProtocol(module === undefined ? protocol : { module, export: protocol });
  return written(resolve({ ...request, protocol: source! }));
}
