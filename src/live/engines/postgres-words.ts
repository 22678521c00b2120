/** What PostgreSQL and the network say, in words that tell a person what to do. Never with a password. */
import { InputError } from "../../errors.ts";
import type { PostgresAddress } from "./postgres-address.ts";

/** https://www.postgresql.org/docs/current/errcodes-appendix.html, or the code of a system's error. */
const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");

/** Undone by the server as a whole, so that the same request can be asked again at once: a row came first, or a deadlock. */
export const isUndone = (error: unknown): boolean => ["40001", "40P01", "23505"].includes(codeOf(error));

/** There is no such schema or table. */
export const isMissingObject = (error: unknown): boolean => ["3F000", "42P01"].includes(codeOf(error));

/** Whether the connection can be used again: the server answered, and did not say that it ends it. */
export const isConnectionFine = (error: unknown): boolean =>
  error instanceof InputError || (error as { severity?: unknown } | null)?.severity === "ERROR";

export function wordsFor(error: unknown, { client, role, schema }: PostgresAddress): string {
  const code = codeOf(error);
  const said = String((error as Error | null)?.message ?? error);
  const where = String(client.host).startsWith("/") ? client.host : `${client.host}:${client.port}`;
  switch (code) {
    case "ECONNREFUSED":
    case "ENOENT":
      return `nothing listens at ${where}: start the server, or fix the address`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `the name ${client.host} cannot be looked up: fix the address, or the resolver of this machine`;
    case "28P01":
      return `the password of role "${role}" is not accepted; PGPASSWORD or the lease file must have the right one`;
    case "28000":
      return `role "${role}" is not let in: ${said}`;
    case "3D000":
      return `there is no database "${client.database}": create it, or name another one in the address`;
    case "42501":
      return `role "${role}" lacks a right (${said}); GRANT USAGE ON SCHEMA ${schema} and SELECT, INSERT, UPDATE, DELETE ON ${schema}.sortition_rows, or have the table made by somebody who may (see "sortition lease sql")`;
    case "25006":
      return "the server only reads: it is a standby, or set to; give the address of the primary";
    case "53300":
      return "the server has no connection left (max_connections)";
    case "53100":
      return "the server's disk is full";
    case "57014":
      return "the server did not finish in time";
    case "57P01":
    case "57P02":
    case "57P03":
      return `the server is starting or stopping (${said})`;
  }
  if (/SASL|client password must be a string/.test(said)) {
    return `the server asks for a password of role "${role}": set PGPASSWORD, or use a lease file`;
  }
  if (said === "The server does not support SSL connections") {
    return "the server has no TLS, which sslmode asks for: switch ssl on there, or say sslmode=disable on a network you trust";
  }
  return said === "" ? "the server has answered with something that is no answer" : said;
}
