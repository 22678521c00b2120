/** The worker thread's end of a campaign. */
import { InputError } from "../errors.ts";
import type { Settings } from "../simulation/settings.ts";
import { type Chunk, type ChunkResult, runChunk } from "../statistics/chunk.ts";

export interface Task {
  readonly settings: Settings;
  readonly chunk: Chunk;
}

/** A refusal travels as text: the class of an error is lost between threads. */
export type Answer =
  | { readonly refusal: null; readonly result: ChunkResult }
  | { readonly refusal: string; readonly result: null };

export default function work({ settings, chunk }: Task): Answer {
  try {
    return { refusal: null, result: runChunk(settings, chunk) };
  } catch (error) {
    if (error instanceof InputError) return { refusal: error.message, result: null };
    throw error;
  }
}
