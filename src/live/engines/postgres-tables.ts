/** What leases need in a PostgreSQL database: tables, functions, and who may call them. */
import { functionsSql } from "./postgres-functions.ts";

/** Of tables and functions together; one that is newer than this is refused, for it may mean other things. */
export const SCHEMA_VERSION = 1;

/** Where the tables are kept, if the address does not say otherwise. */
export const DEFAULT_SCHEMA = "sortition";

/** An identifier within SQL text, whatever characters it has. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** All in one schema. Instants are milliseconds since 1970 by the clock of the server. */
function tablesSql(schema: string): string {
  return `
CREATE TABLE ${schema}.sortition_version (version integer NOT NULL);

CREATE TABLE ${schema}.sortition_groups (
  grp text PRIMARY KEY,
  incarnation text NOT NULL,
  barred bigint,
  longest bigint NOT NULL
);

CREATE TABLE ${schema}.sortition_sessions (
  grp text NOT NULL,
  id text NOT NULL,
  name text NOT NULL,
  life bigint NOT NULL,
  ttl bigint NOT NULL,
  expires bigint NOT NULL,
  ended boolean NOT NULL,
  counter bigint NOT NULL,
  PRIMARY KEY (grp, id)
) WITH (fillfactor = 50);

CREATE TABLE ${schema}.sortition_seats (
  grp text NOT NULL,
  seat text NOT NULL,
  token bigint NOT NULL,
  preemptible boolean NOT NULL,
  lease text,
  lease_token bigint,
  session text,
  until bigint,
  over boolean,
  reserved_name text,
  reserved_until bigint,
  PRIMARY KEY (grp, seat)
) WITH (fillfactor = 50);

CREATE TABLE ${schema}.sortition_records (
  grp text NOT NULL,
  key text NOT NULL,
  expires numeric NOT NULL,
  row jsonb NOT NULL,
  PRIMARY KEY (grp, key)
);

CREATE INDEX ON ${schema}.sortition_seats (grp, session);
`;
}

/** Makes everything but the schema itself; the version comes last, so that where there is a version there is all. */
export const contentsSql = (schema: string): string =>
  `${tablesSql(quoted(schema))}${functionsSql(quoted(schema), SCHEMA_VERSION)}
INSERT INTO ${quoted(schema)}.sortition_version VALUES (${SCHEMA_VERSION});
GRANT SELECT ON ${quoted(schema)}.sortition_version TO PUBLIC;
REVOKE ALL ON FUNCTION ${quoted(schema)}.sortition_lease(integer, text, jsonb) FROM PUBLIC;
`;

/** For people, to be run by somebody who may: psql -f. */
export const migrationSql = (schema: string): string => `-- Leases of Sortition, version ${SCHEMA_VERSION}.
BEGIN;
CREATE SCHEMA IF NOT EXISTS ${quoted(schema)};
${contentsSql(schema)}
COMMIT;

-- A member's role needs no more than this, and cannot touch the tables but by that one function:
--   GRANT USAGE ON SCHEMA ${quoted(schema)} TO member;
--   GRANT EXECUTE ON FUNCTION ${quoted(schema)}.sortition_lease(integer, text, jsonb) TO member;
`;
