/** The errors of a member of a group. Each has a code for programs, and a message with advice for people. */
import { didYouMean, InputError } from "../../errors.ts";

/** The codes of a `GroupError`, for programs. */
export type GroupErrorCode =
  /** An option of `join` is wrong, missing or unknown. */
  | "BAD_OPTION"
  /** There is no key, or the key cannot be read. */
  | "BAD_KEY"
  /** The lease store cannot be used. */
  | "BAD_LEASE"
  /** Another process listens at the address. */
  | "ADDRESS_IN_USE"
  /** Anything else that kept the member from starting. */
  | "CANNOT_START"
  /** A live process is a member under this name. */
  | "NAME_TAKEN"
  /** The member's leases, policy or seats differ from the group's. */
  | "MISFIT"
  /** This member does not know the office. */
  | "NO_SUCH_OFFICE"
  /** This member does not know the member that was named. */
  | "NO_SUCH_MEMBER"
  /** Other work of this process leads the office. */
  | "ALREADY_LED"
  /** This member does not hold the office that it was told to hand over. */
  | "NOT_HELD"
  /** A live member leads the office already. */
  | "HELD"
  /** The office is being handed over to another member. */
  | "BUSY"
  /** Another member than the one named leads now. */
  | "NOT_TAKEN"
  /** The work has not ended in time. */
  | "UNSETTLED"
  /** A job has failed as often as it may. */
  | "JOB_FAILED"
  /** The call has reached its timeout. */
  | "TIMED_OUT"
  /** This member has left the group. */
  | "LEFT"
  /** This member had to stop. */
  | "STOPPED";

/** What a member of a group throws, and what its promises reject with. */
export class GroupError extends InputError {
  override readonly name = "GroupError";
  readonly code: GroupErrorCode;
  /** What to do; also the end of the message. */
  readonly advice: string;

  constructor(code: GroupErrorCode, what: string, advice: string, options?: ErrorOptions) {
    super(`${what}: ${advice}`, options);
    this.code = code;
    this.advice = advice;
  }
}

/** A `GroupError` for an `InputError` of the parts below. What follows the last colon of its message is the advice. */
export function groupError(code: GroupErrorCode, error: unknown): unknown {
  if (!(error instanceof InputError) || error instanceof GroupError) return error;
  const parts = error.message.split(": ");
  const advice = parts.length > 1 ? parts.pop()! : "fix that, then join again";
  return new GroupError(code, parts.join(": "), advice, { cause: error });
}

/** Advice for an unknown name: the name that was probably meant, or all names. */
export const meant = (typed: string, known: readonly string[], all: string): string =>
  didYouMean(typed, known).slice(2) || all;

/** The `GroupError` for what kept a member from starting. */
export function startError(error: unknown): unknown {
  const { code } = ((error as Error | null)?.cause ?? {}) as { readonly code?: unknown };
  if (code !== "EADDRINUSE") return groupError("CANNOT_START", error);
  const { message } = error as Error;
  return new GroupError("ADDRESS_IN_USE", message, "choose another port, or end that process", { cause: error });
}

export const noSuchOffice = (office: string, known: readonly string[]) =>
  new GroupError(
    "NO_SUCH_OFFICE",
    `this member knows no office "${office}"`,
    meant(office, known, `add it to the option "offices", which has ${known.join(", ")}`),
  );
