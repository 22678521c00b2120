/** What leases need in a PostgreSQL database: tables, functions, and who may call them. */
import { FIRST_RETRY, LONGEST_RETRY } from "../../protocols/lease/register-records.ts";
import { ACQUIRE, DOOR, LOOK, OF_ONE_LEASE, RECORDS, RENEW } from "./postgres-requests.ts";

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

// The lease register (protocols/lease/register.ts) in the language of PostgreSQL: one function call is one request. What is more
// here is locking, always in this order: the group's row, session rows by id, the seat's row; rows that are new come last.
//
// - Whoever takes, freezes or ends a seat has locked the session that holds it, and whoever renews a session has locked it: so no
//  renewal passes while its seat is taken. A session that is found expired is *written* as ended.
// - The clock, and whatever is decided upon, is read in statements after those that lock: a clock read before a wait is old.
// - What to lock is looked up before. Where it has changed when the locks are there, everything is undone (40001) and asked again.

const CLOCK = `
-- Milliseconds since 1970. Tests put another clock here.
CREATE FUNCTION $SCHEMA.sortition_now() RETURNS bigint LANGUAGE sql VOLATILE
  RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;

-- Another one after a restart, or where the tables were made anew or restored: leases may be alive that they do not know of.
CREATE FUNCTION $SCHEMA.sortition_incarnation() RETURNS text LANGUAGE sql VOLATILE
  RETURN concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()),
    pg_relation_filenode('$SCHEMA.sortition_groups'), pg_relation_filenode('$SCHEMA.sortition_sessions'),
    pg_relation_filenode('$SCHEMA.sortition_seats'));

CREATE FUNCTION $SCHEMA.sortition_moved() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what was to be locked has changed: ask again' USING ERRCODE = '40001';
END $$;
`;

const SETTLING = `
-- The session as it counts from now on. An expiry more than one TTL ahead was written before the clock was stepped back.
CREATE FUNCTION $SCHEMA.sortition_settled(s $SCHEMA.sortition_sessions, now bigint)
RETURNS $SCHEMA.sortition_sessions LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF s.id IS NOT NULL AND NOT s.ended THEN
    s.ended := s.expires <= now;
    s.expires := least(s.expires, now + s.ttl);
  END IF;
  RETURN s;
END $$;

-- What is left of a seat's lease; the session is the one that the seat names. 0 or less where it is over.
CREATE FUNCTION $SCHEMA.sortition_left(x $SCHEMA.sortition_seats, s $SCHEMA.sortition_sessions, now bigint)
RETURNS bigint LANGUAGE sql IMMUTABLE
  RETURN CASE WHEN x.lease IS NULL OR x.over OR s.id IS NULL OR s.ended THEN 0
    ELSE least(s.expires - now, s.ttl, x.until - now) END;

-- The seat as it counts from now on: a lease or a reservation that has passed is marked as such.
CREATE FUNCTION $SCHEMA.sortition_settled(
  x $SCHEMA.sortition_seats, s $SCHEMA.sortition_sessions, longest bigint, now bigint)
RETURNS $SCHEMA.sortition_seats LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF x.lease IS NOT NULL AND NOT x.over THEN
    x.over := $SCHEMA.sortition_left(x, s, now) <= 0;
    IF NOT x.over AND x.until IS NOT NULL THEN x.until := least(x.until, now + s.ttl); END IF;
  END IF;
  IF x.reserved_until <= now OR longest IS NULL THEN
    x.reserved_name := NULL;
    x.reserved_until := NULL;
  ELSIF x.reserved_until IS NOT NULL THEN
    x.reserved_until := least(x.reserved_until, now + longest);
  END IF;
  RETURN x;
END $$;

CREATE FUNCTION $SCHEMA.sortition_write(was $SCHEMA.sortition_sessions, s $SCHEMA.sortition_sessions)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF was IS DISTINCT FROM s THEN
    UPDATE $SCHEMA.sortition_sessions SET (ttl, expires, ended, counter) = (s.ttl, s.expires, s.ended, s.counter)
      WHERE grp = s.grp AND id = s.id;
  END IF;
END $$;

CREATE FUNCTION $SCHEMA.sortition_write(was $SCHEMA.sortition_seats, x $SCHEMA.sortition_seats)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF was IS DISTINCT FROM x THEN
    UPDATE $SCHEMA.sortition_seats
      SET (token, lease, lease_token, session, until, over, reserved_name, reserved_until)
        = (x.token, x.lease, x.lease_token, x.session, x.until, x.over, x.reserved_name, x.reserved_until)
      WHERE grp = x.grp AND seat = x.seat;
  END IF;
END $$;

CREATE FUNCTION $SCHEMA.sortition_holder(x $SCHEMA.sortition_seats, s $SCHEMA.sortition_sessions)
RETURNS jsonb LANGUAGE sql IMMUTABLE
  RETURN jsonb_build_object('name', s.name, 'life', s.life, 'token', x.lease_token, 'lease', x.lease,
    'frozen', x.until IS NOT NULL);
`;

/** `schema` as it is written in SQL. */
function functionsSql(schema: string, version: number): string {
  const words = {
    $SCHEMA: schema,
    $VERSION: String(version),
    $FIRST_RETRY: String(FIRST_RETRY),
    $LONGEST_RETRY: String(LONGEST_RETRY),
  };
  const named = (sql: string) =>
    Object.entries(words).reduce((text, [word, value]) => text.replaceAll(word, value), sql);
  return [CLOCK, SETTLING, ACQUIRE, RENEW, OF_ONE_LEASE, LOOK, RECORDS, DOOR].map(named).join("");
}
