/** What goes wrong, as RFC 9457 writes it: a status and a code for programs, a sentence and advice for people. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type * as v from "valibot";
import type { ProblemSchema } from "../../../api/schemas.ts";
import { GroupError, type GroupErrorCode } from "../../join/errors.ts";

/** A request under way, and where its answer goes. */
export interface HttpExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Of the API itself; those of `GroupError` are kept as they are. */
export type ApiErrorCode =
  | "BAD_REQUEST"
  | "BAD_HOST"
  | "BAD_ORIGIN"
  | "BAD_QUERY"
  | "BAD_BODY"
  | "NO_SUCH_ROUTE"
  | "NO_SUCH_FILE"
  | "WRONG_METHOD"
  | "WRONG_TYPE"
  | "TOO_LARGE"
  | "HEADERS_TOO_LARGE"
  | "TOO_SLOW"
  | "TOO_MANY"
  | "TOKEN_NEEDED"
  | "NO_TOKEN"
  | "NOT_READY"
  | "INTERNAL";

const STATUS: Readonly<Record<ApiErrorCode | GroupErrorCode, number>> = {
  BAD_REQUEST: 400,
  BAD_HOST: 403,
  BAD_ORIGIN: 403,
  BAD_QUERY: 400,
  BAD_BODY: 400,
  NO_SUCH_ROUTE: 404,
  NO_SUCH_FILE: 404,
  WRONG_METHOD: 405,
  WRONG_TYPE: 415,
  TOO_LARGE: 413,
  HEADERS_TOO_LARGE: 431,
  TOO_SLOW: 408,
  TOO_MANY: 503,
  TOKEN_NEEDED: 401,
  NO_TOKEN: 403,
  NOT_READY: 503,
  INTERNAL: 500,
  BAD_OPTION: 400,
  BAD_KEY: 500,
  BAD_LEASE: 409,
  ADDRESS_IN_USE: 500,
  CANNOT_START: 500,
  NAME_TAKEN: 503,
  MISFIT: 503,
  NO_SUCH_OFFICE: 404,
  NO_SUCH_MEMBER: 404,
  ALREADY_LED: 409,
  NOT_HELD: 409,
  HELD: 409,
  BUSY: 409,
  NOT_TAKEN: 409,
  JOB_FAILED: 409,
  UNSETTLED: 504,
  TIMED_OUT: 504,
  LEFT: 503,
  STOPPED: 503,
};

export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly advice: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ApiErrorCode, what: string, advice: string, headers: Readonly<Record<string, string>> = {}) {
    super(what);
    this.code = code;
    this.advice = advice;
    this.headers = headers;
  }
}

/** A problem that the member's thread has answered. */
export class GivenProblem extends Error {
  readonly problem: HttpProblem;
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: HttpProblem, headers: Readonly<Record<string, string>>) {
    super(problem.detail);
    this.problem = problem;
    this.headers = headers;
  }
}

/** Characters. */
const LONGEST = 400;

export type HttpProblem = v.InferOutput<typeof ProblemSchema>;

export const PROBLEM_TYPE = "application/problem+json";

/** Unexpected errors go to the log, not to the client. */
export function problemOf(error: unknown): HttpProblem {
  if (error instanceof GivenProblem) return error.problem;
  if (error instanceof ApiError) return problem(error.code, error.message, error.advice);
  if (error instanceof GroupError) {
    const what = error.message.endsWith(`: ${error.advice}`)
      ? error.message.slice(0, -error.advice.length - 2)
      : error.message;
    return problem(error.code, what, error.advice);
  }
  return problem("INTERNAL", "something went wrong in the agent", "its log says what; please report it");
}

/** Asked for when there is a problem to tell: an import of node:http loads fetch and HTTP/2 too, 8 MB in each thread. */
export const statusTitle = (status: number): string => process.getBuiltinModule("node:http").STATUS_CODES[status]!;

function problem(code: ApiErrorCode | GroupErrorCode, detail: string, advice: string): HttpProblem {
  const status = STATUS[code];
  return { type: "about:blank", title: statusTitle(status), status, detail: short(detail), code, advice };
}

/** Names may stand in it, which can be as long as a request. */
const short = (sentence: string): string => (sentence.length > LONGEST ? `${sentence.slice(0, LONGEST)}...` : sentence);

/** Something that a stranger has sent, to be shown: in quotes, short, and without anything that acts. */
export function quotedInput(given: string): string {
  const plain = given.replaceAll(/[^\x20-\x7e]|["\\<>&]/g, "?");
  return `"${plain.length > 64 ? `${plain.slice(0, 64)}...` : plain}"`;
}
