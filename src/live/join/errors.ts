/** What goes wrong with a member of a group, by kind: programs go by the code, people by the message. */
import { didYouMean, InputError } from "../../errors.ts";

/**
 * `BAD_OPTION`: an option of `join` is wrong, missing or unknown. `BAD_KEY`: no key, or none that can be read. `BAD_LEASE`: where leases
 * are kept cannot be used. `ADDRESS_IN_USE`: another process listens there. `CANNOT_START`: anything else that kept it from starting.
 * `NAME_TAKEN`: a live process is a member under this name. `MISFIT`: its leases, policy or seats differ from the group's. `NO_SUCH_OFFICE`, `NO_SUCH_MEMBER`: nobody knows it here. `ALREADY_LED`:
 * other work of this process leads that office. `NOT_HELD`: this member does not hold what it should hand over. `HELD`: a live member leads it already. `BUSY`: it is being
 * handed over to somebody else. `NOT_TAKEN`: another member than the one named leads now. `UNSETTLED`: the work has not ended in
 * time. `JOB_FAILED`: a job has failed as often as it may. `TIMED_OUT`: nothing has come of it in time. `LEFT`: this member has left. `STOPPED`: it had to stop.
 */
export type GroupErrorCode =
  | "BAD_OPTION"
  | "BAD_KEY"
  | "BAD_LEASE"
  | "ADDRESS_IN_USE"
  | "CANNOT_START"
  | "NAME_TAKEN"
  | "MISFIT"
  | "NO_SUCH_OFFICE"
  | "NO_SUCH_MEMBER"
  | "ALREADY_LED"
  | "NOT_HELD"
  | "HELD"
  | "BUSY"
  | "NOT_TAKEN"
  | "UNSETTLED"
  | "JOB_FAILED"
  | "TIMED_OUT"
  | "LEFT"
  | "STOPPED";

/** What a member of a group throws, and what its promises reject with: a code, and what to do about it. */
export class GroupError extends InputError {
  override readonly name = "GroupError";
  readonly code: GroupErrorCode;
  /** What to do, as it stands at the end of the message. */
  readonly advice: string;

  constructor(code: GroupErrorCode, what: string, advice: string, options?: ErrorOptions) {
    super(`${what}: ${advice}`, options);
    this.code = code;
    this.advice = advice;
  }
}

/** An error of the parts below, whose message says what to do already. */
export function groupError(code: GroupErrorCode, error: unknown): unknown {
  if (!(error instanceof InputError) || error instanceof GroupError) return error;
  const parts = error.message.split(": ");
  const advice = parts.length > 1 ? parts.pop()! : "see to it, then join again";
  return new GroupError(code, parts.join(": "), advice, { cause: error });
}

/** What to do about a name that nobody knows: the one that was meant, or all there are. */
export const meant = (typed: string, known: readonly string[], all: string): string =>
  didYouMean(typed, known).slice(2) || all;

/** Of what kept a member from starting. */
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
