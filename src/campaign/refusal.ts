/** A refusal travels between threads as text: the class of an error is lost there. */
import { InputError, ProtocolError } from "../errors.ts";

export interface Refused {
  readonly refusal: string;
  /** Of a protocol of the user's own that failed: where. */
  readonly stack: string | null;
}

/** An `InputError` as text for the other thread. Any other error is a fault of this package, and is thrown again. */
export function refused(error: unknown): Refused {
  if (!(error instanceof InputError)) throw error;
  const stack = error instanceof ProtocolError ? error.stack!.slice(error.stack!.indexOf("\n") + 1) : null;
  return { refusal: error.message, stack };
}

export const isRefused = (answer: object): answer is Refused =>
  "refusal" in answer && typeof answer.refusal === "string";

export const thrown = ({ refusal, stack }: Refused): InputError =>
  stack === null ? new InputError(refusal) : new ProtocolError(refusal, stack);
