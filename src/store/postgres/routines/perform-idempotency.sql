-- Changes the totals of scopes, which are the number of keys and the bytes of responses, and the total bytes of all
-- scopes (scope '').
CREATE OR REPLACE FUNCTION count_idempotency(p_scopes text[], p_keys bigint[], p_bytes bigint[])
RETURNS void LANGUAGE sql AS $$
  -- Each total is the sum of several rows, and a connection only writes one of them. With a single row, all claims of
  -- an account would wait for each other.
  INSERT INTO idempotency_totals AS t (scope, slot, keys, bytes)
  SELECT scope, pg_backend_pid() % 8, sum(keys), sum(bytes) FROM (
    SELECT scope COLLATE "C" AS scope, keys, bytes FROM unnest(p_scopes, p_keys, p_bytes) AS c (scope, keys, bytes)
    UNION ALL
    SELECT '', 0, bytes FROM unnest(p_bytes) AS c (bytes) WHERE bytes <> 0
  ) AS c GROUP BY scope ORDER BY scope
  ON CONFLICT (scope, slot) DO UPDATE SET keys = t.keys + excluded.keys, bytes = t.bytes + excluded.bytes
$$;

CREATE OR REPLACE FUNCTION describe_claim(p_scope text, p_key text, p_fingerprint text, p_request text, p_node text,
  p_at bigint, p_rights text, p_state text) RETURNS json LANGUAGE sql IMMUTABLE AS $$
  SELECT json_build_object('scope', p_scope, 'key', p_key, 'fingerprint', p_fingerprint, 'request', p_request,
    'node', p_node, 'at', p_at, 'rights', p_rights, 'state', p_state)
$$;

-- Performs steps on idempotency keys ('claim', 'release', 'drop' and 'keep') and returns the result of each step with
-- its position. Steps are performed in the order of their keys, so that concurrent calls do not deadlock. The totals
-- are changed last. Repeating the whole call has no further effect.
CREATE OR REPLACE FUNCTION perform_idempotency(p_steps json) RETURNS TABLE (place bigint, result json)
LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  s record; v_found record; v_old record; v_total bigint; v_max bigint; v_scope text; v_dropped text[];
  -- Changes of the totals. They are written at the end.
  c_scopes text[] := '{}'; c_keys bigint[] := '{}'; c_bytes bigint[] := '{}';
BEGIN
  FOR s IN
    SELECT s.place, s.kind, coalesce(s.scope, i.scope) AS scope, coalesce(s.key, i.key) AS key, s.fingerprint, s.request,
      s.node, s.at, s.rights, s.expired, s.replaces, s."maxKeys" AS max_keys, s.size, s."maxOfScope" AS max_of_scope,
      s."maxOfAll" AS max_of_all
    FROM ROWS FROM (json_to_recordset(p_steps) AS (kind text, scope text, key text, fingerprint text, request text,
      node text, at bigint, rights text, expired bigint, replaces text, "maxKeys" bigint, size bigint,
      "maxOfScope" bigint, "maxOfAll" bigint)) WITH ORDINALITY AS s (kind, scope, key, fingerprint, request,
      node, at, rights, expired, replaces, "maxKeys", size, "maxOfScope", "maxOfAll", place)
    LEFT JOIN idempotency i ON s.kind <> 'claim' AND i.request = s.request
    ORDER BY coalesce(s.scope, i.scope) COLLATE "C", coalesce(s.key, i.key) COLLATE "C", s.place
  LOOP
    place := s.place;
    result := NULL;
    IF s.kind = 'claim' THEN
      -- A key is claimed if it is new, has expired, or if its request is replaced. Otherwise the existing claim is
      -- returned.
      LOOP
        SELECT i.* INTO v_found FROM idempotency i WHERE i.scope = s.scope AND i.key = s.key;
        IF NOT FOUND THEN
          v_total := coalesce((SELECT sum(keys) FROM idempotency_totals WHERE scope = s.scope), 0)
            + coalesce((SELECT sum(keys) FROM unnest(c_scopes, c_keys) AS c (scope, keys) WHERE scope = s.scope), 0);
          EXIT WHEN v_total >= s.max_keys;
          INSERT INTO idempotency (scope, key, fingerprint, request, node, claimed_at, rights, state, size)
          VALUES (s.scope, s.key, s.fingerprint, s.request, s.node, s.at, s.rights, 'running', 0)
          ON CONFLICT (scope, key) DO NOTHING;
          IF FOUND THEN
            c_scopes := c_scopes || s.scope; c_keys := c_keys || 1::bigint; c_bytes := c_bytes || 0::bigint;
            result := describe_claim(s.scope, s.key, s.fingerprint, s.request, s.node, s.at, s.rights, 'running');
            EXIT;
          END IF;
        ELSIF v_found.claimed_at <= s.expired THEN
          UPDATE idempotency SET fingerprint = s.fingerprint, request = s.request, node = s.node, claimed_at = s.at,
            rights = s.rights, state = 'running', size = 0
          WHERE scope = s.scope AND key = s.key AND request = v_found.request AND state = v_found.state
            AND claimed_at = v_found.claimed_at;
          IF FOUND THEN
            c_scopes := c_scopes || s.scope; c_keys := c_keys || 0::bigint; c_bytes := c_bytes || -v_found.size;
            result := describe_claim(s.scope, s.key, s.fingerprint, s.request, s.node, s.at, s.rights, 'running');
            EXIT;
          END IF;
        ELSIF v_found.state = 'running' AND v_found.request = s.replaces THEN
          UPDATE idempotency SET request = s.request, node = s.node, claimed_at = s.at, rights = s.rights
          WHERE scope = s.scope AND key = s.key AND request = s.replaces AND state = 'running';
          IF FOUND THEN
            result := describe_claim(s.scope, s.key, v_found.fingerprint, s.request, s.node, s.at, s.rights, 'running');
            EXIT;
          END IF;
        ELSE
          result := describe_claim(v_found.scope, v_found.key, v_found.fingerprint, v_found.request, v_found.node,
            v_found.claimed_at, v_found.rights, v_found.state);
          EXIT;
        END IF;
        -- Another transaction has inserted the key first, so its row is read.
      END LOOP;
    ELSIF s.kind = 'release' THEN
      DELETE FROM idempotency WHERE request = s.request AND state = 'running' RETURNING scope INTO v_scope;
      result := to_json(FOUND);
      IF FOUND THEN
        c_scopes := c_scopes || v_scope; c_keys := c_keys || -1::bigint; c_bytes := c_bytes || 0::bigint;
      END IF;
    ELSIF s.kind = 'drop' THEN
      SELECT scope, size INTO v_old FROM idempotency WHERE request = s.request FOR UPDATE;
      IF FOUND THEN
        UPDATE idempotency SET state = 'done', size = 0 WHERE request = s.request;
        c_scopes := c_scopes || v_old.scope; c_keys := c_keys || 0::bigint; c_bytes := c_bytes || -v_old.size;
      END IF;
      result := to_json(true);
    ELSE
      -- 'keep': the response is stored, and may replace older ones.
      v_dropped := '{}';
      SELECT scope, size INTO v_found FROM idempotency WHERE request = s.request FOR UPDATE;
      IF FOUND THEN
        UPDATE idempotency SET state = 'kept', size = s.size WHERE request = s.request;
        c_scopes := c_scopes || v_found.scope; c_keys := c_keys || 0::bigint; c_bytes := c_bytes || (s.size - v_found.size);
        -- The oldest responses are dropped to make room for the new one, which may itself be dropped: first those in
        -- its scope, then those in all scopes.
        FOR v_scope, v_max IN VALUES (v_found.scope, s.max_of_scope), ('', s.max_of_all) LOOP
          v_total := coalesce((SELECT sum(bytes) FROM idempotency_totals WHERE scope = v_scope), 0)
            + coalesce((SELECT sum(bytes) FROM unnest(c_scopes, c_bytes) AS c (scope, bytes)
                WHERE v_scope IN (scope, '')), 0);
          WHILE v_total > v_max LOOP
            IF v_scope = '' THEN
              SELECT scope, request, size INTO v_old FROM idempotency WHERE state = 'kept'
              ORDER BY claimed_at, request LIMIT 1 FOR UPDATE SKIP LOCKED;
            ELSE
              SELECT scope, request, size INTO v_old FROM idempotency WHERE state = 'kept' AND scope = v_scope
              ORDER BY claimed_at, request LIMIT 1 FOR UPDATE SKIP LOCKED;
            END IF;
            EXIT WHEN NOT FOUND;
            UPDATE idempotency SET state = 'done', size = 0 WHERE request = v_old.request;
            c_scopes := c_scopes || v_old.scope; c_keys := c_keys || 0::bigint; c_bytes := c_bytes || -v_old.size;
            v_total := v_total - v_old.size;
            v_dropped := v_dropped || v_old.request;
          END LOOP;
        END LOOP;
      END IF;
      result := json_build_object('isKept', v_found.scope IS NOT NULL AND s.request <> ALL (v_dropped),
        'dropped', to_json(v_dropped));
    END IF;
    RETURN NEXT;
  END LOOP;
  PERFORM count_idempotency(c_scopes, c_keys, c_bytes);
END
$$;
