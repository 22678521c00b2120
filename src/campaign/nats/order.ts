/**
 * What a campaign asks of workers: settings as plain data, and the network where it was read from a file. Code is named by its digest and
 * never sent; the worker checks the settings as it would check a user's.
 */
import { createHash } from "node:crypto";
import { InputError } from "../../errors.ts";
import { codeOf } from "../../protocols/registry.ts";
import { type Request, requestOf, resolve, type Settings, written } from "../../simulation/settings.ts";
import { decode, encode } from "../../wire/codec.ts";
import { loadProtocol } from "../load-protocol.ts";
import { sendable } from "../pool.ts";
import type { ChunkTask } from "../worker.ts";
import { buildDigest } from "./build.ts";
import type { Nats } from "./connect.ts";
import { isFile, type PackedGraph, packedGraphOf } from "./graph.ts";
import { storeParts } from "./parts.ts";
import { CATALOGUE, graphParts, ORDERS, orderParts, type WorkerNeeds } from "./subjects.ts";

export interface CampaignOrder extends WorkerNeeds {
  /** A name of the catalogue, or the export of the module that `code` names. */
  readonly protocol: string;
  readonly request: Omit<Request, "protocol">;
  readonly rows: boolean;
  /** The digest of the network's file, which goes with the order; its name is nobody's business. */
  readonly graph: string | null;
}

/** Enough to tell campaigns and codes apart; they stand in subjects and in lines for people. */
const DIGITS = 12;

export const digest = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex").slice(0, DIGITS);

export interface Ordered {
  readonly order: CampaignOrder;
  readonly graph: PackedGraph | null;
}

export function orderOf(settings: Settings, rows: boolean): Ordered {
  const { protocol: source } = sendable(settings);
  const code = codeOf(settings.protocol);
  const { protocol: _, topology, ...request } = requestOf(settings);
  const graph = isFile(topology) ? packedGraphOf(topology) : null;
  const order = {
    build: buildDigest(),
    code: code === null ? CATALOGUE : digest(code),
    protocol: typeof source === "string" ? source : source.export,
    request: graph === null ? { ...request, topology } : request,
    rows,
    graph: graph?.digest ?? null,
  };
  return { order, graph };
}

/** Equal ones have equal results, trial by trial. */
export const orderIdentity = (order: CampaignOrder): string => digest(encode(order));

/** The order last: whoever finds it finds the network too. */
export async function publishOrder(nats: Nats, { order, graph }: Ordered, id: string): Promise<void> {
  const isThere = async () => (await nats.jsm.streams.getMessage(ORDERS, { last_by_subj: graphParts(id)(0) })) !== null;
  if (graph !== null && !(await isThere())) await storeParts(nats, graphParts(id), graph.packed);
  await storeParts(nats, orderParts(id), encode(order));
}

/**
 * `modules`: the files that this worker has, by the digest of their code. `fileOf`: the network's file on this machine, by its digest. Null where the
 * queue does not hold all of it; throws where it cannot be run here.
 */
export async function readOrder(
  bytes: Uint8Array,
  modules: ReadonlyMap<string, string>,
  fileOf: (digest: string) => Promise<string | null>,
): Promise<{ readonly settings: ChunkTask["settings"]; readonly rows: boolean } | null> {
  const { build, code, protocol, request, graph, rows } = decode(bytes) as CampaignOrder;
  if (build !== buildDigest()) throw new InputError(`it is of build ${build}, and this is ${buildDigest()}`);
  const module = modules.get(code);
  if (code !== CATALOGUE && module === undefined) throw new InputError(`there is no protocol file ${code} here`);
  if (isFile(request?.topology)) {
    throw new InputError("its network is a file, and files of this machine are not for the queue to name");
  }
  const file = typeof graph === "string" ? await fileOf(graph) : undefined;
  if (file === null) return null;
  const { source } = await loadProtocol(module === undefined ? protocol : { module, export: protocol });
  const network = file === undefined ? {} : { topology: `file:${file}` };
  return { settings: written(resolve({ ...request, ...network, protocol: source! })), rows: rows === true };
}
