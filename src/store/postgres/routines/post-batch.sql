-- Charges a batch of requests. It posts them to the ledger, writes their receipts, and updates balances, leases, holds
-- and sums. settle_batch calls it in a separate transaction. A request is charged at most the amount that its account
-- and the budgets of its key have. The rest becomes a write-off.
--
-- Query plans are made once and always use indexes. A plan for an empty table would always scan the whole table, and
-- planning each time takes longer than the work itself.
CREATE OR REPLACE FUNCTION post_batch(
  p_node text,
  -- The accounts and budgets in the batch, sorted and distinct. Postings refer to them by position, starting at 1.
  p_owners text[],
  -- A JSON array with one posting for each request. No request occurs twice.
  p_postings json,
  -- Costs that the caller has already written off, by the position of their postings; null if there are none.
  p_write_offs json,
  -- State that vendors store for accounts (see keep_vendor_state); null if there is none.
  p_states json,
  -- Holds to write; null if there are none.
  p_opened json,
  -- Ids of requests whose holds are removed.
  p_closed text[],
  -- Whether requests may have been posted before. If false, a request that already has a receipt violates a unique
  -- index.
  p_again boolean
) RETURNS TABLE (charged bigint, from_lease bigint, from_budgets bigint[], balance bigint, late boolean)
LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  -- State of the owners, by position in p_owners. o_spent is the amount charged in this batch, and o_from is the part
  -- that came from leases.
  o_posted bigint[]; o_free bigint[]; o_lease bigint[]; o_spent bigint[]; o_from bigint[];
  o_number bigint[]; o_hash text[]; o_json text[];
  -- Input: the postings, by position in p_postings.
  i_account int[]; i_budgets text[]; i_request text[]; i_key text[]; i_amount bigint[]; i_at bigint[];
  i_receipt_hash text[]; i_bits int[];
  -- Results, by position in p_postings.
  r_is_done boolean[]; r_is_late boolean[]; r_charged bigint[]; r_from_lease bigint[]; r_from_budgets text[];
  r_balance bigint[]; r_number bigint[]; r_previous text[]; r_hash text[]; r_missing bigint[];
  v_count int; v_owner int; v_budgets int[]; v_from bigint[]; v_charged bigint; v_drawn bigint;
  v_is_missing boolean := false; v_number bigint; v_hash text; v_line record;
BEGIN
  -- Every transaction locks in the same order: the node, the balances by owner, the chain of write-offs. Removing a
  -- node also removes its holds, so a node that is being removed cannot open holds.
  IF p_opened IS NOT NULL THEN PERFORM 1 FROM nodes WHERE id = p_node FOR KEY SHARE; END IF;
  PERFORM 1 FROM balances WHERE owner = ANY(p_owners) ORDER BY owner FOR UPDATE;
  SELECT array_agg(coalesce(b.posted, 0) ORDER BY o.place), array_agg(coalesce(b.posted - b.leased, 0) ORDER BY o.place),
    -- A subquery is used, because with a join, the planner could read all leases of the node until the table is
    -- analyzed.
    array_agg(coalesce((SELECT l.amount FROM leases l WHERE l.owner = o.owner AND l.node = p_node), 0) ORDER BY o.place),
    array_agg(coalesce(b.number, 0) ORDER BY o.place),
    array_agg(b.hash ORDER BY o.place), array_agg(to_json(o.owner)::text ORDER BY o.place),
    array_agg(0::bigint), array_agg(0::bigint)
  INTO o_posted, o_free, o_lease, o_number, o_hash, o_json, o_spent, o_from
  FROM unnest(p_owners) WITH ORDINALITY AS o (owner, place)
  LEFT JOIN balances b ON b.owner = o.owner;

  SELECT count(*), array_agg(account), array_agg(budgets), array_agg(request), array_agg(key), array_agg(amount),
    array_agg(at), array_agg(receipt_hash), array_agg(bits), array_agg(false), array_agg(false)
  INTO v_count, i_account, i_budgets, i_request, i_key, i_amount, i_at, i_receipt_hash, i_bits, r_is_done, r_is_late
  FROM json_to_recordset(p_postings) AS p (account int, budgets text, request text, key text, amount bigint,
    at bigint, receipt_hash text, bits int);

  IF EXISTS (SELECT FROM unnest(i_account) AS place WHERE o_hash[place] IS NULL) THEN
    RAISE foreign_key_violation USING MESSAGE = 'there is no such account';
  END IF;
  -- Arrays get their full length, because later loops skip elements.
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
    -- The node was considered dead, so these requests have expired receipts. Their real receipts replace these.
    PERFORM set_expired_aside(array_agg(request)) FROM unnest(i_request, r_is_late) AS p (request, is_late) WHERE is_late;
  END IF;

  FOR i IN 1 .. v_count LOOP
    v_owner := i_account[i];
    v_budgets := i_budgets[i]::int[];
    v_from := '{}';
    IF r_is_done[i] THEN
      -- The request was posted by an earlier attempt, so the same result is returned.
      r_from_lease[i] := r_charged[i];
      r_from_budgets[i] := array_fill(r_charged[i], ARRAY[cardinality(v_budgets)])::text;
      r_balance[i] := o_posted[v_owner];
      CONTINUE;
    END IF;
    -- The charge is at most the amount that the account and each of the key's budgets have.
    v_charged := least(i_amount[i], o_lease[v_owner] + o_free[v_owner]);
    FOR j IN 1 .. cardinality(v_budgets) LOOP
      v_charged := least(v_charged, o_lease[v_budgets[j]] + o_free[v_budgets[j]]);
    END LOOP;
    -- The amount is drawn from the account and from each budget, using this node's lease first.
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
      -- Hashes the same JSON as `hashEntry` (accounting/hash-chain.ts).
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

  -- Writes the entries.
  INSERT INTO entries (account, number, kind, amount, balance, at, request, receipt_hash, previous_hash, hash, key, budgets)
  SELECT p_owners[account], number, 'charge', -p.charged, p.balance, at, request, receipt_hash, previous, hash, key, bits
  FROM unnest(i_account, r_number, r_charged, r_balance, i_at, i_request, i_receipt_hash, r_previous, r_hash, i_key, i_bits)
    AS p (account, number, charged, balance, at, request, receipt_hash, previous, hash, key, bits)
  WHERE number IS NOT NULL;

  -- Writes the receipts, with the sums by hour and by key.
  WITH written AS (
    SELECT p_owners[p.account] AS account, p.request, p.key, p.at, p.body, r.number, r.is_late, r.charged,
      CASE WHEN r.number IS NULL THEN p.uncharged_hash END AS hash, p.written_off + r.missing AS written_off,
      CASE WHEN r.missing > 0 AND p.outcome IN ('ok', 'released') THEN 'written_off' ELSE p.outcome END AS outcome,
      p.provider_cost, endpoint, model, provider, price_group, status, failed, stream, estimated, duration,
      first_byte, input, output, labels
    FROM ROWS FROM (
      json_to_recordset(p_postings) AS (account int, request text, key text, at bigint, body text, uncharged_hash text,
        written_off bigint, outcome text, provider_cost bigint, endpoint text, model text, provider text,
        price_group text, status text, failed boolean, stream boolean, estimated boolean, duration bigint,
        first_byte bigint, input bigint, output bigint, labels text),
      unnest(r_number), unnest(r_is_late), unnest(r_is_done), unnest(r_charged), unnest(r_missing)
    ) AS p (account, request, key, at, body, uncharged_hash, written_off, outcome, provider_cost, endpoint,
      model, provider, price_group, status, failed, stream, estimated, duration, first_byte, input, output, labels,
      number, is_late, is_done, charged, missing),
    LATERAL (SELECT p.number, p.is_late, p.charged, p.missing) AS r
    WHERE NOT p.is_done
  ), inserted AS (
    INSERT INTO receipts (request, account, key, at, body, entry, hash, is_late, cost, written_off, outcome,
      provider_cost, endpoint, model, provider, price_group, status, failed, stream, estimated, duration,
      first_byte, input, output, labels)
    SELECT request, account, key, at, body, number, hash, is_late, charged, written_off, outcome,
      provider_cost, endpoint, model, provider, price_group, status, failed, stream, estimated, duration,
      first_byte, input, output, labels
    FROM written
  ), hours AS (
    INSERT INTO usage_hours AS u (hour, account, key, model, provider, outcome, endpoint, price_group, requests,
      errors, input, output,
      cost, written_off, provider_cost, durations, duration, first_bytes, first_byte)
    SELECT at / 3600000, account, key, model, coalesce(provider, '') AS provider, outcome, endpoint,
      coalesce(price_group, '') AS price_group, count(*),
      count(*) FILTER (WHERE failed), sum(input), sum(output), stored_amount(sum(charged)),
      stored_amount(sum(written_off)), stored_amount(sum(coalesce(provider_cost, charged + written_off))),
      count(duration) FILTER (WHERE status = 'settled'), coalesce(sum(duration) FILTER (WHERE status = 'settled'), 0),
      count(first_byte) FILTER (WHERE status = 'settled'), coalesce(sum(first_byte) FILTER (WHERE status = 'settled'), 0)
    FROM written GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 2, 1, 3, 4, 5, 6, 7, 8
    ON CONFLICT (hour, account, key, model, provider, outcome, endpoint, price_group) DO UPDATE SET
      requests = u.requests + excluded.requests, errors = u.errors + excluded.errors, input = u.input + excluded.input,
      output = u.output + excluded.output, cost = stored_amount(u.cost::numeric + excluded.cost),
      written_off = stored_amount(u.written_off::numeric + excluded.written_off),
      provider_cost = stored_amount(u.provider_cost::numeric + excluded.provider_cost),
      durations = u.durations + excluded.durations, duration = u.duration + excluded.duration,
      first_bytes = u.first_bytes + excluded.first_bytes, first_byte = u.first_byte + excluded.first_byte
  )
  INSERT INTO key_uses AS u (key, account, last_used_at, requests, spent)
  SELECT key, max(account), max(at), count(*), stored_amount(sum(charged)) FROM written GROUP BY key ORDER BY key
  ON CONFLICT (key) DO UPDATE SET last_used_at = greatest(u.last_used_at, excluded.last_used_at),
    requests = u.requests + excluded.requests, spent = stored_amount(u.spent::numeric + excluded.spent);

  -- Updates the balances and this node's leases.
  UPDATE balances b SET posted = o.posted, leased = b.leased - o.drawn,
    number = CASE WHEN b.allotted IS NULL THEN o.number END, hash = o.hash
  FROM unnest(p_owners, o_posted, o_spent, o_from, o_number, o_hash) AS o (owner, posted, spent, drawn, number, hash)
  WHERE b.owner = o.owner AND o.spent > 0;
  UPDATE leases l SET amount = l.amount - o_from[array_position(p_owners, l.owner)]
  WHERE l.owner = ANY(p_owners) AND l.node = p_node AND o_from[array_position(p_owners, l.owner)] > 0;

  -- Few callers send labels. Searching for them in the text takes less time than a statement that writes no rows.
  IF position('"labels":"{' IN p_postings::text) > 0 THEN PERFORM label_requests(i_request); END IF;
  IF p_states IS NOT NULL THEN PERFORM keep_vendor_state(p_states); END IF;
  IF p_opened IS NOT NULL THEN
    INSERT INTO holds (request, node, account, key, amount, at, receipt)
    SELECT h.request, nodes.id, h.account, h.key, h.amount, h.at, h.receipt
    FROM json_to_recordset(p_opened) AS h (request text, account text, key text, amount bigint, at bigint, receipt text)
    JOIN nodes ON nodes.id = p_node
    ON CONFLICT (request) DO NOTHING;
  END IF;
  IF cardinality(p_closed) > 0 THEN DELETE FROM holds WHERE request = ANY(p_closed); END IF;

  -- All accounts share this chain, so its end is locked last, and only if there are lines to append.
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
