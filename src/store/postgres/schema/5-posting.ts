/**
 * How charges are posted: one call for a batch, in one transaction of its own.
 *
 * Plans are made once and always use indexes: one that was made while a table was empty would read all of it ever after,
 * and to plan each time costs more than the work.
 */
export const POSTING = `
CREATE FUNCTION post_batch(
  p_node text,
  -- The accounts and budgets of the batch, in order, each once. Postings name them by their places.
  p_owners text[],
  -- JSON. The requests are different ones.
  p_postings json,
  p_write_offs json,
  p_states json,
  p_opened json,
  p_closed text[],
  -- Whether a request may be there already: if it is, and this is false, that is an error of a unique index.
  p_again boolean
) RETURNS TABLE (charged bigint, from_lease bigint, from_budgets bigint[], balance bigint, late boolean)
LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  -- Of the owners.
  o_posted bigint[]; o_free bigint[]; o_lease bigint[]; o_spent bigint[]; o_from bigint[];
  o_number bigint[]; o_hash text[]; o_json text[];
  -- Of the postings, as they came.
  i_account int[]; i_budgets text[]; i_request text[]; i_key text[]; i_amount bigint[]; i_at bigint[];
  i_receipt_hash text[]; i_bits int[];
  -- What they came to.
  r_is_done boolean[]; r_is_late boolean[]; r_charged bigint[]; r_from_lease bigint[]; r_from_budgets text[];
  r_balance bigint[]; r_number bigint[]; r_previous text[]; r_hash text[]; r_missing bigint[];
  v_count int; v_owner int; v_budgets int[]; v_from bigint[]; v_charged bigint; v_drawn bigint;
  v_is_missing boolean := false; v_number bigint; v_hash text; v_line record;
BEGIN
  -- Everyone locks in the same order: the node, the balances by their owners, the chain of write-offs. A node that is
  -- removed takes its holds with it, so one that is being removed opens none.
  IF p_opened IS NOT NULL THEN PERFORM 1 FROM nodes WHERE id = p_node FOR KEY SHARE; END IF;
  PERFORM 1 FROM balances WHERE owner = ANY(p_owners) ORDER BY owner FOR UPDATE;
  SELECT array_agg(coalesce(b.posted, 0) ORDER BY o.place), array_agg(coalesce(b.posted - b.leased, 0) ORDER BY o.place),
    array_agg(coalesce(l.amount, 0) ORDER BY o.place), array_agg(coalesce(b.number, 0) ORDER BY o.place),
    array_agg(b.hash ORDER BY o.place), array_agg(to_json(o.owner)::text ORDER BY o.place),
    array_agg(0::bigint), array_agg(0::bigint)
  INTO o_posted, o_free, o_lease, o_number, o_hash, o_json, o_spent, o_from
  FROM unnest(p_owners) WITH ORDINALITY AS o (owner, place)
  LEFT JOIN balances b ON b.owner = o.owner
  LEFT JOIN leases l ON l.owner = o.owner AND l.node = p_node;

  SELECT count(*), array_agg(account), array_agg(budgets), array_agg(request), array_agg(key), array_agg(amount),
    array_agg(at), array_agg(receipt_hash), array_agg(bits), array_agg(false), array_agg(false)
  INTO v_count, i_account, i_budgets, i_request, i_key, i_amount, i_at, i_receipt_hash, i_bits, r_is_done, r_is_late
  FROM json_to_recordset(p_postings) AS p (account int, budgets text, request text, key text, amount bigint,
    at bigint, receipt_hash text, bits int);

  IF EXISTS (SELECT FROM unnest(i_account) AS place WHERE o_hash[place] IS NULL) THEN
    RAISE foreign_key_violation USING MESSAGE = 'there is no such account';
  END IF;
  -- Elements that are not set below would move those after them.
  r_charged := array_fill(NULL::bigint, ARRAY[v_count]); r_from_lease := r_charged; r_balance := r_charged;
  r_number := r_charged; r_missing := r_charged; r_from_budgets := array_fill(NULL::text, ARRAY[v_count]);
  r_previous := r_from_budgets; r_hash := r_from_budgets;

  IF p_again THEN
    FOR v_line IN
      SELECT place, is_expired, cost FROM unnest(i_request) WITH ORDINALITY AS p (request, place)
      JOIN receipts ON receipts.request = p.request
    LOOP
      r_is_late[v_line.place] := v_line.is_expired;
      r_is_done[v_line.place] := NOT v_line.is_expired;
      r_charged[v_line.place] := v_line.cost;
    END LOOP;
    -- The node was taken for dead. What the requests came to takes the place of what was thought of them.
    PERFORM set_expired_aside(array_agg(request)) FROM unnest(i_request, r_is_late) AS p (request, is_late) WHERE is_late;
  END IF;

  FOR i IN 1 .. v_count LOOP
    v_owner := i_account[i];
    v_budgets := i_budgets[i]::int[];
    v_from := '{}';
    IF r_is_done[i] THEN
      -- It is answered as the first time.
      r_from_lease[i] := r_charged[i];
      r_from_budgets[i] := array_fill(r_charged[i], ARRAY[cardinality(v_budgets)])::text;
      r_balance[i] := o_posted[v_owner];
      CONTINUE;
    END IF;
    v_charged := least(i_amount[i], o_lease[v_owner] + o_free[v_owner]);
    FOR j IN 1 .. cardinality(v_budgets) LOOP
      v_charged := least(v_charged, o_lease[v_budgets[j]] + o_free[v_budgets[j]]);
    END LOOP;
    -- Drawn from the lease first.
    FOREACH v_owner IN ARRAY i_account[i] || v_budgets LOOP
      v_drawn := least(v_charged, o_lease[v_owner]);
      o_lease[v_owner] := o_lease[v_owner] - v_drawn;
      o_from[v_owner] := o_from[v_owner] + v_drawn;
      o_free[v_owner] := o_free[v_owner] - (v_charged - v_drawn);
      o_spent[v_owner] := o_spent[v_owner] + v_charged;
      o_posted[v_owner] := o_posted[v_owner] - v_charged;
      v_from := v_from || v_drawn;
    END LOOP;
    v_owner := i_account[i];
    r_charged[i] := v_charged;
    r_from_lease[i] := v_from[1];
    r_from_budgets[i] := v_from[2:]::text;
    r_balance[i] := o_posted[v_owner];
    r_missing[i] := i_amount[i] - v_charged;
    IF v_charged < i_amount[i] THEN v_is_missing := true; END IF;
    IF v_charged > 0 THEN
      v_number := o_number[v_owner] + 1;
      v_hash := encode(sha256(convert_to('["' || o_hash[v_owner] || '",' || o_json[v_owner] || ',' || v_number
        || ',"charge","' || -v_charged || '","' || o_posted[v_owner] || '",' || i_at[i] || ',' || to_json(i_request[i])
        || ',null,null,"' || i_receipt_hash[i] || '",' || to_json(i_key[i]) || ',' || i_bits[i] || ']', 'UTF8')), 'hex');
      r_number[i] := v_number;
      r_previous[i] := o_hash[v_owner];
      r_hash[i] := v_hash;
      o_number[v_owner] := v_number;
      o_hash[v_owner] := v_hash;
    END IF;
  END LOOP;

  INSERT INTO entries (account, number, kind, amount, balance, at, request, receipt_hash, previous_hash, hash, key, budgets)
  SELECT p_owners[account], number, 'charge', -p.charged, p.balance, at, request, receipt_hash, previous, hash, key, bits
  FROM unnest(i_account, r_number, r_charged, r_balance, i_at, i_request, i_receipt_hash, r_previous, r_hash, i_key, i_bits)
    AS p (account, number, charged, balance, at, request, receipt_hash, previous, hash, key, bits)
  WHERE number IS NOT NULL;

  WITH written AS (
    SELECT p_owners[p.account] AS account, p.request, p.key, p.at, p.body, r.number, r.is_late, r.charged,
      CASE WHEN r.number IS NULL THEN p.uncharged_hash END AS hash, p.written_off + r.missing AS written_off,
      p.endpoint, p.model, p.provider, p.status,
      CASE WHEN r.missing > 0 AND p.outcome IN ('ok', 'released') THEN 'written_off' ELSE p.outcome END AS outcome,
      p.failed, p.stream, p.estimated, p.duration, p.first_byte, p.input, p.output
    FROM ROWS FROM (
      json_to_recordset(p_postings) AS (account int, request text, key text, at bigint, body text, uncharged_hash text,
        written_off bigint, endpoint text, model text, provider text, status text, outcome text, failed boolean,
        stream boolean, estimated boolean, duration bigint, first_byte bigint, input bigint, output bigint),
      unnest(r_number), unnest(r_is_late), unnest(r_is_done), unnest(r_charged), unnest(r_missing)
    ) AS p (account, request, key, at, body, uncharged_hash, written_off, endpoint, model, provider, status, outcome,
      failed, stream, estimated, duration, first_byte, input, output, number, is_late, is_done, charged, missing),
    LATERAL (SELECT p.number, p.is_late, p.charged, p.missing) AS r
    WHERE NOT p.is_done
  ), inserted AS (
    INSERT INTO receipts (request, account, key, at, body, entry, hash, is_late, endpoint, model, provider, status,
      outcome, failed, stream, estimated, duration, first_byte, input, output, cost, written_off)
    SELECT request, account, key, at, body, number, hash, is_late, endpoint, model, provider, status,
      outcome, failed, stream, estimated, duration, first_byte, input, output, charged, written_off
    FROM written
  ), hours AS (
    INSERT INTO usage_hours AS u (hour, account, key, model, provider, outcome, requests, errors, input, output, cost,
      written_off, durations, duration, first_bytes, first_byte)
    SELECT at / 3600000, account, key, model, coalesce(provider, ''), outcome, count(*), count(*) FILTER (WHERE failed),
      sum(input), sum(output), sum(charged), sum(written_off),
      count(duration) FILTER (WHERE status = 'settled'), coalesce(sum(duration) FILTER (WHERE status = 'settled'), 0),
      count(first_byte) FILTER (WHERE status = 'settled'), coalesce(sum(first_byte) FILTER (WHERE status = 'settled'), 0)
    FROM written GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 2, 1, 3, 4, 5, 6
    ON CONFLICT (account, hour, key, model, provider, outcome) DO UPDATE SET
      requests = u.requests + excluded.requests, errors = u.errors + excluded.errors, input = u.input + excluded.input,
      output = u.output + excluded.output, cost = u.cost + excluded.cost, written_off = u.written_off + excluded.written_off,
      durations = u.durations + excluded.durations, duration = u.duration + excluded.duration,
      first_bytes = u.first_bytes + excluded.first_bytes, first_byte = u.first_byte + excluded.first_byte
  )
  INSERT INTO key_uses AS u (key, account, last_used_at, requests, spent)
  SELECT key, max(account), max(at), count(*), sum(charged) FROM written GROUP BY key ORDER BY key
  ON CONFLICT (key) DO UPDATE SET last_used_at = greatest(u.last_used_at, excluded.last_used_at),
    requests = u.requests + excluded.requests, spent = u.spent + excluded.spent;

  UPDATE balances b SET posted = o.posted, leased = b.leased - o.drawn, number = CASE WHEN b.allotted IS NULL THEN o.number END,
    hash = o.hash
  FROM unnest(p_owners, o_posted, o_spent, o_from, o_number, o_hash) AS o (owner, posted, spent, drawn, number, hash)
  WHERE b.owner = o.owner AND o.spent > 0;
  UPDATE leases l SET amount = l.amount - o.drawn
  FROM unnest(p_owners, o_from) AS o (owner, drawn)
  WHERE l.owner = o.owner AND l.node = p_node AND o.drawn > 0;

  IF p_states IS NOT NULL THEN PERFORM keep_vendor_state(p_states); END IF;
  IF p_opened IS NOT NULL THEN
    INSERT INTO holds (request, node, account, key, amount, at, receipt)
    SELECT h.request, nodes.id, h.account, h.key, h.amount, h.at, h.receipt
    FROM json_to_recordset(p_opened) AS h (request text, account text, key text, amount bigint, at bigint, receipt text)
    JOIN nodes ON nodes.id = p_node
    ON CONFLICT (request) DO NOTHING;
  END IF;
  IF cardinality(p_closed) > 0 THEN DELETE FROM holds WHERE request = ANY(p_closed); END IF;

  -- The one chain that accounts share: its end is locked last, and only where there is something to write.
  IF v_is_missing OR p_write_offs IS NOT NULL THEN
    PERFORM append_write_offs(json_agg(w ORDER BY w.place, w.is_missing)) FROM (
      SELECT w.place, false AS is_missing, p_owners[i_account[w.place]] AS account, i_key[w.place] AS key,
        i_request[w.place] AS request, i_at[w.place] AS at, w.amount, w.reason
      FROM json_to_recordset(p_write_offs) AS w (place int, amount bigint, reason text)
      WHERE NOT r_is_done[w.place]
      UNION ALL
      SELECT m.place, true, p_owners[i_account[m.place]], i_key[m.place], i_request[m.place], i_at[m.place], m.missing, 'late'
      FROM unnest(r_missing) WITH ORDINALITY AS m (missing, place) WHERE m.missing > 0
    ) AS w;
  END IF;

  RETURN QUERY SELECT p.charged, p.from_lease, p.from_budgets::bigint[], p.balance, p.is_late
    FROM unnest(r_charged, r_from_lease, r_from_budgets, r_balance, r_is_late)
      AS p (charged, from_lease, from_budgets, balance, is_late);
END
$$;

-- Appends to the chain of write-offs.
CREATE FUNCTION append_write_offs(p_lines json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_number bigint; v_hash text; v_previous text; v_line record;
BEGIN
  IF p_lines IS NULL THEN RETURN; END IF;
  SELECT number, hash INTO v_number, v_hash FROM chain_ends WHERE name = 'write_offs' FOR UPDATE;
  FOR v_line IN
    SELECT * FROM json_to_recordset(p_lines) AS w (account text, key text, request text, at bigint, amount bigint, reason text)
  LOOP
    v_number := v_number + 1;
    v_previous := v_hash;
    v_hash := encode(sha256(convert_to('["' || v_previous || '",' || v_number || ',' || v_line.at || ','
      || to_json(v_line.account) || ',' || to_json(v_line.key) || ',' || to_json(v_line.request) || ',"'
      || v_line.amount || '",' || to_json(v_line.reason) || ']', 'UTF8')), 'hex');
    INSERT INTO write_offs (number, at, account, key, request, amount, reason, previous_hash, hash)
    VALUES (v_number, v_line.at, v_line.account, v_line.key, v_line.request, v_line.amount, v_line.reason, v_previous, v_hash);
  END LOOP;
  UPDATE chain_ends SET number = v_number, hash = v_hash WHERE name = 'write_offs';
END
$$;

-- Makes room for the receipts of requests that had expired: what was counted of them is taken back.
CREATE FUNCTION set_expired_aside(p_requests text[]) RETURNS void LANGUAGE sql AS $$
  WITH gone AS (
    DELETE FROM receipts WHERE request = ANY(p_requests) AND is_expired
    RETURNING request, account, key, at, body, hash, position, model, provider, outcome, failed, input, output
  ), kept AS (
    INSERT INTO expired_receipts (request, account, key, at, body, hash, position)
    SELECT request, account, key, at, body, hash, position FROM gone
  ), hours AS (
    UPDATE usage_hours u SET requests = u.requests - g.requests, errors = u.errors - g.errors,
      input = u.input - g.input, output = u.output - g.output
    FROM (SELECT at / 3600000 AS hour, account, key, model, coalesce(provider, '') AS provider, outcome,
        count(*) AS requests, count(*) FILTER (WHERE failed) AS errors, sum(input)::bigint AS input, sum(output)::bigint AS output
      FROM gone GROUP BY 1, 2, 3, 4, 5, 6) AS g
    WHERE (u.account, u.hour, u.key, u.model, u.provider, u.outcome) = (g.account, g.hour, g.key, g.model, g.provider, g.outcome)
  )
  UPDATE key_uses u SET requests = u.requests - g.requests
  FROM (SELECT key, count(*) AS requests FROM gone GROUP BY key) AS g WHERE u.key = g.key
$$;

-- What is known already lives on; an id that another account was given too is no one's from then on.
CREATE FUNCTION keep_vendor_state(p_states json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_state record;
BEGIN
  FOR v_state IN
    SELECT * FROM json_to_recordset(p_states) AS s (id_hash text, provider text, kind text, account text, request text,
      tokens bigint, created_at bigint, expires_at bigint) ORDER BY id_hash COLLATE "C", provider COLLATE "C"
  LOOP
    -- A number is drawn for new ones only: the oldest go by their numbers, which should have few gaps.
    INSERT INTO vendor_state AS known (number, id_hash, provider, kind, account, request, tokens, created_at, expires_at)
    VALUES (
      coalesce((SELECT number FROM vendor_state WHERE id_hash = v_state.id_hash AND provider = v_state.provider),
        nextval('vendor_state_number')),
      v_state.id_hash, v_state.provider, v_state.kind, v_state.account, v_state.request, v_state.tokens,
      v_state.created_at, v_state.expires_at)
    ON CONFLICT (id_hash, provider) DO UPDATE SET
      account = CASE WHEN known.account = excluded.account THEN known.account ELSE '' END,
      -- What is unknown stays unknown; greatest() would leave it out.
      tokens = CASE WHEN known.tokens IS NOT NULL AND excluded.tokens IS NOT NULL
        THEN greatest(known.tokens, excluded.tokens) END,
      expires_at = greatest(known.expires_at, excluded.expires_at);
  END LOOP;
END
$$;

-- The receipts of requests whose process died, unless they have one.
CREATE FUNCTION expire_holds(p_receipts json) RETURNS void LANGUAGE sql AS $$
  WITH expired AS (
    INSERT INTO receipts (request, account, key, at, body, hash, is_expired, endpoint, model, provider, status, outcome,
      failed, stream, estimated, duration, first_byte, input, output, cost, written_off)
    SELECT request, account, key, at, body, hash, true, endpoint, model, provider, status, outcome,
      failed, stream, estimated, duration, first_byte, input, output, 0, 0
    FROM json_to_recordset(p_receipts) AS r (request text, account text, key text, at bigint, body text, hash text,
      endpoint text, model text, provider text, status text, outcome text, failed boolean, stream boolean,
      estimated boolean, duration bigint, first_byte bigint, input bigint, output bigint)
    ON CONFLICT (request) DO NOTHING
    RETURNING account, key, at, model, provider, outcome, failed, input, output
  ), hours AS (
    INSERT INTO usage_hours AS u (hour, account, key, model, provider, outcome, requests, errors, input, output, cost,
      written_off, durations, duration, first_bytes, first_byte)
    SELECT at / 3600000, account, key, model, coalesce(provider, ''), outcome, count(*), count(*) FILTER (WHERE failed),
      sum(input), sum(output), 0, 0, 0, 0, 0, 0
    FROM expired GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 2, 1, 3, 4, 5, 6
    ON CONFLICT (account, hour, key, model, provider, outcome) DO UPDATE SET
      requests = u.requests + excluded.requests, errors = u.errors + excluded.errors,
      input = u.input + excluded.input, output = u.output + excluded.output
  )
  INSERT INTO key_uses AS u (key, account, last_used_at, requests, spent)
  SELECT key, account, max(at), count(*), 0 FROM expired GROUP BY key, account ORDER BY key
  ON CONFLICT (key) DO UPDATE SET last_used_at = greatest(u.last_used_at, excluded.last_used_at),
    requests = u.requests + excluded.requests
$$;

-- Leases a part of a balance to a node. No row: the owner has no balance.
CREATE FUNCTION take_lease(p_node text, p_owner text, p_wanted bigint, p_min bigint)
RETURNS TABLE (granted bigint, posted bigint, free bigint, leased_elsewhere bigint, debt bigint)
LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_account text; v_posted bigint; v_leased bigint; v_lease bigint; v_elsewhere bigint; v_free bigint; v_reserved bigint;
  v_nodes bigint; v_share bigint; v_granted bigint; v_debt bigint; v_is_known boolean;
BEGIN
  -- Who removes the node waits, and takes this lease back too.
  PERFORM 1 FROM nodes WHERE id = p_node FOR KEY SHARE;
  v_is_known := FOUND;
  SELECT account, posted, leased INTO v_account, v_posted, v_leased FROM balances WHERE owner = p_owner FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  v_debt := coalesce((SELECT debt FROM debts WHERE account = p_owner ORDER BY number DESC LIMIT 1), 0);
  IF NOT v_is_known THEN
    -- A node that was taken for dead joins again within a poll: until then it can only wait.
    RETURN QUERY SELECT 0::bigint, v_posted, 0::bigint, v_posted, v_debt;
    RETURN;
  END IF;
  v_lease := coalesce((SELECT amount FROM leases WHERE owner = p_owner AND node = p_node), 0);
  v_elsewhere := v_leased - v_lease;
  v_free := v_posted - v_leased;
  v_reserved := coalesce((SELECT sum(amount) FROM recalls WHERE owner = p_owner AND amount > 0
    AND at > tollgate_now() - 500), 0);
  v_free := v_free - least(v_reserved, v_free);
  v_nodes := (SELECT count(*) FROM nodes);
  v_share := CASE WHEN v_nodes = 1 THEN v_free ELSE v_free / (2 * v_nodes) END;
  v_granted := least(greatest(p_wanted, v_share), v_free);
  IF v_granted < p_min THEN v_granted := 0; END IF;
  IF v_granted > 0 THEN
    UPDATE balances SET leased = leased + v_granted WHERE owner = p_owner;
    INSERT INTO leases AS l (owner, node, account, amount) VALUES (p_owner, p_node, v_account, v_granted)
      ON CONFLICT (owner, node) DO UPDATE SET amount = l.amount + excluded.amount;
  END IF;
  IF v_granted < p_wanted AND v_elsewhere > 0 THEN
    INSERT INTO recalls AS r (owner, node, at, amount) VALUES (p_owner, p_node, tollgate_now(), 0)
      ON CONFLICT (owner, node) DO UPDATE SET at = excluded.at, amount = excluded.amount;
  END IF;
  RETURN QUERY SELECT v_granted, v_posted, v_free - v_granted, v_elsewhere, v_debt;
END
$$;
`
