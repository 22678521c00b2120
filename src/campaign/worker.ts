/** The worker thread's end of a campaign. */
import "./graph-files.ts";
import { readAgain, type WrittenSettings } from "../simulation/settings.ts";
import { type Chunk, type ChunkResult, runChunk } from "../statistics/chunk.ts";
import { loadProtocol } from "./load-protocol.ts";
import { type Refused, refused } from "./refusal.ts";

export interface ChunkTask {
  readonly settings: WrittenSettings;
  readonly chunk: Chunk;
}

export type ChunkAnswer =
  | { readonly refusal: null; readonly result: ChunkResult }
  | (Refused & { readonly result: null });

export default async function work({ settings, chunk }: ChunkTask): Promise<ChunkAnswer> {
  try {
    await loadProtocol(settings.protocol);
    return { refusal: null, result: runChunk(readAgain(settings), chunk) };
  } catch (error) {
    return { ...refused(error), result: null };
  }
}
