/** One function for each kind of request, in PL/pgSQL. Order of checks and words are those of protocols/lease/register*.ts. */

export const ACQUIRE = `
CREATE FUNCTION $SCHEMA.sortition_acquire(g text, q jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  asked_floor numeric := (q->>'floor')::numeric;
  asked_ttl bigint := ceil((q->>'ttl')::numeric);
  current text := $SCHEMA.sortition_incarnation();
  grp_row $SCHEMA.sortition_groups;
  is_new_group boolean;
  is_new_seat boolean;
  is_behind boolean;
  seen_session text;
  each $SCHEMA.sortition_sessions;
  own $SCHEMA.sortition_sessions;
  own_was $SCHEMA.sortition_sessions;
  holder $SCHEMA.sortition_sessions;
  x $SCHEMA.sortition_seats;
  x_was $SCHEMA.sortition_seats;
  now bigint;
  next numeric;
  denial text;
  wait bigint := 0;
BEGIN
  -- What to lock. Tokens, the longest TTL and the incarnation never go back, so that a group that needs no writing now needs none later.
  SELECT * INTO x FROM $SCHEMA.sortition_seats WHERE grp = g AND seat = q->>'seat';
  is_new_seat := NOT FOUND;
  seen_session := x.session;
  SELECT * INTO grp_row FROM $SCHEMA.sortition_groups WHERE grp = g;
  is_new_group := NOT FOUND;
  IF NOT is_new_group THEN
    IF grp_row.incarnation = current AND grp_row.barred IS NULL AND asked_ttl <= grp_row.longest
      AND asked_floor <= coalesce(x.token, 0) THEN
      SELECT * INTO grp_row FROM $SCHEMA.sortition_groups WHERE grp = g FOR SHARE;
      IF grp_row.barred IS NOT NULL THEN PERFORM $SCHEMA.sortition_moved(); END IF;
    ELSE
      SELECT * INTO grp_row FROM $SCHEMA.sortition_groups WHERE grp = g FOR UPDATE;
    END IF;
  END IF;
  FOR each IN SELECT * FROM $SCHEMA.sortition_sessions WHERE grp = g AND id IN (q->>'session', seen_session)
    ORDER BY id COLLATE "C" FOR UPDATE
  LOOP
    IF each.id = q->>'session' THEN own := each; END IF;
    IF each.id = seen_session THEN holder := each; END IF;
  END LOOP;
  IF NOT is_new_seat THEN
    SELECT * INTO x FROM $SCHEMA.sortition_seats WHERE grp = g AND seat = q->>'seat' FOR UPDATE;
    IF x.session IS DISTINCT FROM seen_session THEN PERFORM $SCHEMA.sortition_moved(); END IF;
  END IF;
  now := $SCHEMA.sortition_now();

  -- A session counts only where somebody looks at it: the holder's where its lease is not over, one's own below.
  x_was := x;
  IF x.lease IS NOT NULL AND NOT x.over THEN
    each := holder;
    holder := $SCHEMA.sortition_settled(holder, now);
    PERFORM $SCHEMA.sortition_write(each, holder);
    IF own.id = holder.id THEN own := holder; END IF;
  END IF;
  IF NOT is_new_seat THEN
    x := $SCHEMA.sortition_settled(x, holder, grp_row.longest, now);
    PERFORM $SCHEMA.sortition_write(x_was, x);
    x_was := x;
  END IF;
  IF asked_floor > greatest(coalesce(x.token, 0), now) + 4294967296 THEN
    RETURN $SCHEMA.sortition_denied(q, 'floor', 0, coalesce(x.token, 0), NULL);
  END IF;

  -- The group: grants are barred where a lease may be alive that these rows do not know of. Written, so that it happens once.
  is_behind := asked_floor > coalesce(x.token, 0);
  IF grp_row.barred IS NOT NULL THEN
    grp_row.barred := CASE WHEN grp_row.barred > now THEN least(grp_row.barred, now + grp_row.longest) END;
    UPDATE $SCHEMA.sortition_groups SET barred = grp_row.barred WHERE grp = g;
  END IF;
  IF is_new_group THEN
    INSERT INTO $SCHEMA.sortition_groups
      VALUES (g, current, CASE WHEN is_behind THEN now + asked_ttl END, asked_ttl)
      ON CONFLICT DO NOTHING RETURNING * INTO grp_row;
    IF NOT FOUND THEN PERFORM $SCHEMA.sortition_moved(); END IF;
  ELSIF is_behind OR grp_row.incarnation <> current THEN
    UPDATE $SCHEMA.sortition_groups
      SET incarnation = current, longest = greatest(longest, asked_ttl), barred = now + greatest(longest, asked_ttl)
      WHERE grp = g RETURNING * INTO grp_row;
  END IF;

  -- The seat comes to be when it is first asked for. The floor is kept, so that no token up to it is given again.
  IF is_new_seat THEN
    INSERT INTO $SCHEMA.sortition_seats (grp, seat, token, preemptible)
      VALUES (g, q->>'seat', asked_floor, (q->>'preemptible')::boolean)
      ON CONFLICT DO NOTHING RETURNING * INTO x;
    IF NOT FOUND THEN PERFORM $SCHEMA.sortition_moved(); END IF;
    x_was := x;
  ELSIF is_behind THEN
    x.token := asked_floor;
    PERFORM $SCHEMA.sortition_write(x_was, x);
    x_was := x;
  END IF;

  own_was := own;
  own := $SCHEMA.sortition_settled(own, now);
  PERFORM $SCHEMA.sortition_write(own_was, own);
  own_was := own;
  IF own.id IS NOT NULL AND (own.ended OR own.life <> (q->>'life')::bigint) THEN
    denial := 'over';
  ELSIF x.lease = q->>'lease' THEN
    -- An answer was lost, or this is a late copy: what was given stands, and what is over stays over.
    IF x.over OR x.session <> q->>'session' OR own.id IS NULL THEN denial := 'over'; END IF;
  ELSIF x.lease IS NOT NULL AND NOT x.over THEN
    denial := 'held';
    wait := $SCHEMA.sortition_left(x, holder, now);
  ELSIF x.reserved_name <> q->>'name' THEN
    denial := 'reserved';
    wait := least(x.reserved_until - now, grp_row.longest);
  ELSIF grp_row.barred IS NOT NULL THEN
    denial := 'barred';
    wait := least(grp_row.barred - now, grp_row.longest);
  ELSE
    next := greatest(x.token + 1, now);
    IF next > 9007199254740991 THEN denial := 'floor'; END IF;
  END IF;
  IF denial IS NOT NULL THEN
    RETURN $SCHEMA.sortition_denied(q, denial, wait, x.token,
      CASE WHEN denial = 'held' THEN $SCHEMA.sortition_holder(x, holder) END);
  END IF;

  IF own.id IS NULL THEN
    INSERT INTO $SCHEMA.sortition_sessions
      VALUES (g, q->>'session', q->>'name', (q->>'life')::bigint, asked_ttl, now + asked_ttl, false, 0)
      ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN PERFORM $SCHEMA.sortition_moved(); END IF;
    PERFORM $SCHEMA.sortition_prune(g, now);
  ELSE
    own.ttl := greatest(own.ttl, asked_ttl);
    own.expires := now + own.ttl;
    own.counter := own.counter + 1;
    PERFORM $SCHEMA.sortition_write(own_was, own);
  END IF;
  IF asked_ttl > grp_row.longest THEN
    UPDATE $SCHEMA.sortition_groups SET longest = asked_ttl WHERE grp = g;
  END IF;
  IF next IS NOT NULL THEN
    x.token := next;
    x.lease := q->>'lease';
    x.lease_token := next;
    x.session := q->>'session';
    x.until := NULL;
    x.over := false;
    x.reserved_name := NULL;
    x.reserved_until := NULL;
    PERFORM $SCHEMA.sortition_write(x_was, x);
  END IF;
  RETURN jsonb_build_object('kind', 'granted', 'id', q->'id', 'to', q->'life', 'seat', q->'seat', 'lease', q->'lease',
    'token', x.lease_token);
END $$;

CREATE FUNCTION $SCHEMA.sortition_denied(q jsonb, why text, wait bigint, token bigint, holder jsonb)
RETURNS jsonb LANGUAGE sql IMMUTABLE
  RETURN jsonb_build_object('kind', 'denied', 'id', q->'id', 'to', q->'life', 'seat', q->'seat', 'lease', q->'lease',
    'why', why, 'holder', holder, 'wait', wait, 'token', token);

-- Sessions of which nobody has heard for an hour, and which no seat names; those that somebody looks at just now can wait.
CREATE FUNCTION $SCHEMA.sortition_prune(g text, now bigint) RETURNS void LANGUAGE sql
BEGIN ATOMIC
  DELETE FROM $SCHEMA.sortition_sessions WHERE grp = g AND id IN (
    SELECT id FROM $SCHEMA.sortition_sessions s WHERE s.grp = g AND s.expires < now - 3600000
      AND NOT EXISTS (SELECT FROM $SCHEMA.sortition_seats x WHERE x.grp = g AND x.session = s.id)
      ORDER BY s.expires LIMIT 20 FOR UPDATE SKIP LOCKED);
END;
`;

export const RENEW = `
CREATE FUNCTION $SCHEMA.sortition_renew(g text, q jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  asked_ttl bigint := ceil((q->>'ttl')::numeric);
  named jsonb := (q->'keeps') || (q->'gives');
  longest_ttl bigint := (SELECT longest FROM $SCHEMA.sortition_groups WHERE grp = g);
  s $SCHEMA.sortition_sessions;
  s_was $SCHEMA.sortition_sessions;
  x $SCHEMA.sortition_seats;
  x_was $SCHEMA.sortition_seats;
  now bigint;
  leases jsonb := '[]';
  lost jsonb := '[]';
  one jsonb;
BEGIN
  IF asked_ttl > longest_ttl THEN PERFORM FROM $SCHEMA.sortition_groups WHERE grp = g FOR UPDATE; END IF;
  SELECT * INTO s FROM $SCHEMA.sortition_sessions WHERE grp = g AND id = q->>'session' FOR UPDATE;
  now := $SCHEMA.sortition_now();
  s_was := s;
  s := $SCHEMA.sortition_settled(s, now);
  IF s.id IS NULL OR s.ended OR s.life <> (q->>'life')::bigint THEN
    PERFORM $SCHEMA.sortition_write(s_was, s);
    RETURN jsonb_build_object('kind', 'ended', 'id', q->'id', 'to', q->'life', 'lost', named);
  END IF;
  FOR x IN SELECT * FROM $SCHEMA.sortition_seats WHERE grp = g AND session = s.id ORDER BY seat COLLATE "C" LOOP
    x_was := x;
    x := $SCHEMA.sortition_settled(x, s, longest_ttl, now);
    -- Before the session is extended: what is given up ends when it would have ended without this renewal.
    IF NOT x.over AND q->'gives' @> jsonb_build_array(jsonb_build_object('seat', x.seat, 'lease', x.lease)) THEN
      x.until := least(x.until, s.expires);
    END IF;
    PERFORM $SCHEMA.sortition_write(x_was, x);
    IF NOT x.over THEN
      leases := leases || jsonb_build_object('seat', x.seat, 'lease', x.lease, 'token', x.lease_token,
        'frozen', x.until IS NOT NULL);
    END IF;
  END LOOP;
  s.ttl := greatest(s.ttl, asked_ttl);
  s.expires := now + s.ttl;
  s.counter := s.counter + 1;
  PERFORM $SCHEMA.sortition_write(s_was, s);
  IF s.ttl > longest_ttl THEN
    UPDATE $SCHEMA.sortition_groups SET longest = greatest(longest, s.ttl) WHERE grp = g;
  END IF;
  FOR one IN SELECT * FROM jsonb_array_elements(named) LOOP
    IF NOT leases @> jsonb_build_array(jsonb_build_object('seat', one->'seat', 'lease', one->'lease')) THEN
      lost := lost || jsonb_build_array(one);
    END IF;
  END LOOP;
  RETURN jsonb_build_object('kind', 'renewed', 'id', q->'id', 'to', q->'life', 'leases', leases, 'lost', lost);
END $$;
`;

/** Release and pre-emption: both concern one lease, by token and id, so that a late word about one never hits its successor. */
export const OF_ONE_LEASE = `
CREATE FUNCTION $SCHEMA.sortition_of_one_lease(g text, q jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  longest_ttl bigint := (SELECT longest FROM $SCHEMA.sortition_groups WHERE grp = g);
  seen_session text;
  s $SCHEMA.sortition_sessions;
  s_was $SCHEMA.sortition_sessions;
  x $SCHEMA.sortition_seats;
  x_was $SCHEMA.sortition_seats;
  now bigint;
  is_there boolean;
  reserve bigint;
  remains bigint;
BEGIN
  SELECT session INTO seen_session FROM $SCHEMA.sortition_seats WHERE grp = g AND seat = q->>'seat';
  SELECT * INTO s FROM $SCHEMA.sortition_sessions WHERE grp = g AND id = seen_session FOR UPDATE;
  SELECT * INTO x FROM $SCHEMA.sortition_seats WHERE grp = g AND seat = q->>'seat' FOR UPDATE;
  IF x.session IS DISTINCT FROM seen_session THEN PERFORM $SCHEMA.sortition_moved(); END IF;
  now := $SCHEMA.sortition_now();
  IF x.lease IS NOT NULL AND NOT x.over THEN
    s_was := s;
    s := $SCHEMA.sortition_settled(s, now);
    PERFORM $SCHEMA.sortition_write(s_was, s);
  END IF;
  IF x.seat IS NOT NULL THEN
    x_was := x;
    x := $SCHEMA.sortition_settled(x, s, longest_ttl, now);
  END IF;
  is_there := coalesce(NOT x.over AND x.lease = q->>'lease' AND x.lease_token = (q->>'token')::numeric, false);
  IF is_there AND q->>'kind' = 'release' THEN
    x.over := true;
    reserve := least(ceil((q->'reserve'->>'ms')::numeric), s.ttl);
    x.reserved_name := CASE WHEN reserve > 0 AND q->'reserve'->>'ms' IS NOT NULL THEN q->'reserve'->>'name' END;
    x.reserved_until := CASE WHEN x.reserved_name IS NOT NULL THEN now + reserve END;
  ELSIF is_there AND x.preemptible THEN
    x.until := least(x.until, s.expires);
    remains := $SCHEMA.sortition_left(x, s, now);
  END IF;
  IF x.seat IS NOT NULL THEN PERFORM $SCHEMA.sortition_write(x_was, x); END IF;
  RETURN jsonb_build_object('id', q->'id', 'to', q->'life', 'seat', q->'seat', 'lease', q->'lease')
    || CASE q->>'kind' WHEN 'release' THEN jsonb_build_object('kind', 'released', 'was', is_there)
      ELSE jsonb_build_object('kind', 'frozen', 'left', remains) END;
END $$;
`;

export const LOOK = `
-- The clock first: read after the rows, it could find expired what was extended in between.
CREATE FUNCTION $SCHEMA.sortition_look(g text, q jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  now bigint := $SCHEMA.sortition_now();
  seats jsonb;
BEGIN
  SELECT jsonb_agg(jsonb_build_object('seat', x.seat, 'token', x.token, 'preemptible', x.preemptible,
      'holder', CASE WHEN l.remains > 0
        THEN $SCHEMA.sortition_holder(x, s) || jsonb_build_object('left', l.remains) END,
      'reserved', CASE WHEN x.reserved_until > now
        THEN jsonb_build_object('name', x.reserved_name, 'left', least(x.reserved_until - now, r.longest)) END)
      ORDER BY x.seat COLLATE "C") INTO seats
    FROM $SCHEMA.sortition_seats x
    JOIN $SCHEMA.sortition_groups r USING (grp)
    LEFT JOIN $SCHEMA.sortition_sessions s ON s.grp = x.grp AND s.id = x.session,
    LATERAL (SELECT $SCHEMA.sortition_left(x, s, now) AS remains) l
    WHERE x.grp = g;
  RETURN jsonb_build_object('kind', 'seen', 'id', q->'id', 'to', q->'life', 'seats', coalesce(seats, '[]'));
END $$;
`;

/** Jobs: protocols/lease/register-records.ts. The seat is locked before the record, so that nothing begins under a lease that ends meanwhile. */
export const RECORDS = `
CREATE FUNCTION $SCHEMA.sortition_recorded(q jsonb, verdict text, r jsonb, now bigint, wait numeric)
RETURNS jsonb LANGUAGE sql IMMUTABLE
  RETURN jsonb_build_object('kind', 'record', 'id', q->'id', 'to', q->'life', 'key', q->'key', 'verdict', verdict,
    'wait', wait, 'record', CASE WHEN r IS NOT NULL THEN (r - 'attempt' - 'keep') ||
      jsonb_build_object('key', q->'key', 'ago', greatest(0, now - (r->>'at')::numeric)) END);

CREATE FUNCTION $SCHEMA.sortition_record(g text, q jsonb, r jsonb, now bigint, is_new boolean, more jsonb)
RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  written jsonb := coalesce(r, '{}') || jsonb_build_object('attempt', q->'attempt', 'name', q->'name', 'token', q->'token',
    'status', q->'status', 'at', now, 'keep', q->'keep') || more;
  expires_at numeric := now + (q->>'keep')::numeric;
BEGIN
  IF is_new THEN
    INSERT INTO $SCHEMA.sortition_records VALUES (g, q->>'key', expires_at, written) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN PERFORM $SCHEMA.sortition_moved(); END IF;
  ELSE
    UPDATE $SCHEMA.sortition_records SET expires = expires_at, row = written WHERE grp = g AND key = q->>'key';
  END IF;
  RETURN written;
END $$;

CREATE FUNCTION $SCHEMA.sortition_begin(g text, q jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  longest_ttl bigint := (SELECT longest FROM $SCHEMA.sortition_groups WHERE grp = g);
  repeats boolean := q->>'repeat' IS NOT NULL;
  seen_session text;
  s $SCHEMA.sortition_sessions;
  s_was $SCHEMA.sortition_sessions;
  x $SCHEMA.sortition_seats;
  x_was $SCHEMA.sortition_seats;
  now bigint;
  r jsonb;
  is_new boolean;
  is_same boolean;
  is_final boolean;
  pause numeric := 0;
  wait numeric;
BEGIN
  SELECT session INTO seen_session FROM $SCHEMA.sortition_seats WHERE grp = g AND seat = q->>'seat';
  SELECT * INTO s FROM $SCHEMA.sortition_sessions WHERE grp = g AND id = seen_session FOR UPDATE;
  SELECT * INTO x FROM $SCHEMA.sortition_seats WHERE grp = g AND seat = q->>'seat' FOR UPDATE;
  IF x.session IS DISTINCT FROM seen_session THEN PERFORM $SCHEMA.sortition_moved(); END IF;
  SELECT row INTO r FROM $SCHEMA.sortition_records WHERE grp = g AND key = q->>'key' FOR UPDATE;
  is_new := NOT FOUND;
  now := $SCHEMA.sortition_now();
  IF x.lease IS NOT NULL AND NOT x.over THEN
    s_was := s;
    s := $SCHEMA.sortition_settled(s, now);
    PERFORM $SCHEMA.sortition_write(s_was, s);
  END IF;
  IF x.seat IS NOT NULL THEN
    x_was := x;
    x := $SCHEMA.sortition_settled(x, s, longest_ttl, now);
    PERFORM $SCHEMA.sortition_write(x_was, x);
  END IF;
  IF NOT coalesce(NOT x.over AND x.lease = q->>'lease' AND x.lease_token = (q->>'token')::numeric, false) THEN
    RETURN $SCHEMA.sortition_recorded(q, 'refused', r, now, 0);
  END IF;
  IF r->>'attempt' = q->>'attempt' THEN RETURN $SCHEMA.sortition_recorded(q, 'begun', r, now, 0); END IF;
  IF is_new AND (q->>'noted')::boolean THEN
    r := $SCHEMA.sortition_record(g, q, r, now, is_new, jsonb_build_object('occurrence', q->'occurrence', 'attempt', '',
      'attempts', 0, 'failures', 0, 'state', 'noted', 'status', NULL));
    RETURN $SCHEMA.sortition_recorded(q, 'noted', r, now, 0);
  END IF;
  IF NOT is_new AND NOT repeats AND (r->>'occurrence')::numeric > (q->>'occurrence')::numeric THEN
    RETURN $SCHEMA.sortition_recorded(q, 'later', r, now, 0);
  END IF;
  is_same := NOT is_new AND (repeats OR (r->>'occurrence')::numeric = (q->>'occurrence')::numeric);
  is_final := is_same AND (r->>'state' IN ('done', 'noted')
    OR (r->>'state' = 'failed' AND (r->>'failures')::numeric >= (q->>'attempts')::numeric));
  IF is_final AND NOT repeats THEN
    RETURN $SCHEMA.sortition_recorded(q, CASE WHEN r->>'state' = 'failed' THEN 'failed' ELSE 'done' END, r, now, 0);
  END IF;
  IF is_final THEN pause := (q->>'repeat')::numeric;
  ELSIF is_same AND r->>'state' = 'failed' THEN
    pause := least($LONGEST_RETRY, $FIRST_RETRY * 2 ^ least(30, (r->>'failures')::numeric - 1));
  END IF;
  wait := CASE WHEN pause = 0 THEN 0 ELSE least((r->>'at')::numeric + pause - now, pause) END;
  IF wait > 0 THEN RETURN $SCHEMA.sortition_recorded(q, 'wait', r, now, wait); END IF;
  DELETE FROM $SCHEMA.sortition_records WHERE grp = g AND expires < now AND key <> q->>'key';
  r := $SCHEMA.sortition_record(g, q, r, now, is_new, jsonb_build_object(
    'occurrence', CASE WHEN NOT repeats THEN (q->>'occurrence')::numeric
      WHEN is_same AND NOT is_final THEN (r->>'occurrence')::numeric ELSE now END,
    'attempts', CASE WHEN is_same AND NOT is_final THEN (r->>'attempts')::numeric + 1 ELSE 1 END,
    'failures', CASE WHEN is_same AND NOT is_final THEN (r->>'failures')::numeric ELSE 0 END,
    'state', 'running', 'status', NULL));
  RETURN $SCHEMA.sortition_recorded(q, 'begun', r, now, 0);
END $$;

CREATE FUNCTION $SCHEMA.sortition_finish(g text, q jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  r jsonb;
  is_new boolean;
  is_own boolean;
  now bigint;
BEGIN
  SELECT row INTO r FROM $SCHEMA.sortition_records WHERE grp = g AND key = q->>'key' FOR UPDATE;
  is_new := NOT FOUND;
  now := $SCHEMA.sortition_now();
  is_own := coalesce(r->>'attempt' = q->>'attempt', false);
  IF NOT is_new AND NOT is_own AND (r->>'occurrence')::numeric >= (q->>'occurrence')::numeric THEN
    RETURN $SCHEMA.sortition_recorded(q, 'superseded', r, now, 0);
  END IF;
  IF NOT is_own OR r->>'state' = 'running' THEN
    r := $SCHEMA.sortition_record(g, q, r, now, is_new, jsonb_build_object('occurrence', q->'occurrence',
      'attempts', CASE WHEN is_own THEN (r->>'attempts')::numeric ELSE 1 END,
      'failures', CASE WHEN is_own THEN (r->>'failures')::numeric ELSE 0 END
        + CASE WHEN q->>'outcome' = 'failed' THEN 1 ELSE 0 END,
      'state', q->'outcome'));
  END IF;
  RETURN $SCHEMA.sortition_recorded(q, 'recorded', r, now, 0);
END $$;

CREATE FUNCTION $SCHEMA.sortition_recall(g text, q jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RETURN $SCHEMA.sortition_recorded(q, 'seen',
    (SELECT row FROM $SCHEMA.sortition_records WHERE grp = g AND key = q->>'key'), $SCHEMA.sortition_now(), 0);
END $$;
`;

export const DOOR = `
-- The only function that members need: it runs with the rights of whoever made the tables. Null for what is no request: whoever
-- gets that far could ask for more.
CREATE FUNCTION $SCHEMA.sortition_lease(version integer, g text, q jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF version <> $VERSION THEN
    RAISE EXCEPTION 'the tables of leases are of version $VERSION' USING ERRCODE = 'SO001';
  END IF;
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'leases need transactions that read what is committed' USING ERRCODE = 'SO002';
  END IF;
  -- An answer must not be lost with the machine; whoever waits for replicas as well goes on doing so.
  IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  RETURN CASE q->>'kind'
    WHEN 'acquire' THEN $SCHEMA.sortition_acquire(g, q)
    WHEN 'renew' THEN $SCHEMA.sortition_renew(g, q)
    WHEN 'release' THEN $SCHEMA.sortition_of_one_lease(g, q)
    WHEN 'freeze' THEN $SCHEMA.sortition_of_one_lease(g, q)
    WHEN 'look' THEN $SCHEMA.sortition_look(g, q)
    WHEN 'begin' THEN $SCHEMA.sortition_begin(g, q)
    WHEN 'finish' THEN $SCHEMA.sortition_finish(g, q)
    WHEN 'recall' THEN $SCHEMA.sortition_recall(g, q)
  END;
END $$;
`;
