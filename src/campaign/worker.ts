/** The worker thread's end of a campaign. */
import "./graph-files.ts";
import { InputError, ProtocolError } from "../errors.ts";
import { readAgain, type WrittenSettings } from "../simulation/settings.ts";
import { type Chunk, type ChunkResult, runChunk } from "../statistics/chunk.ts";
import { loadProtocol } from "./load-protocol.ts";

export interface Task {
  readonly settings: WrittenSettings;
  readonly chunk: Chunk;
}

/** A refusal travels as text: the class of an error is lost between threads. */
export type Answer =
  | { readonly refusal: null; readonly result: ChunkResult }
  | { readonly refusal: string; readonly stack: string | null; readonly result: null };

export default async function work({ settings, chunk }: Task): Promise<Answer> {
  try {
    await loadProtocol(settings.protocol);
    return { refusal: null, result: runChunk(readAgain(settings), chunk) };
  } catch (error) {
    if (error instanceof InputError) {
      const stack = error instanceof ProtocolError ? error.stack!.slice(error.stack!.indexOf("\n") + 1) : null;
      return { refusal: error.message, stack, result: null };
    }
    throw error;
  }
}
