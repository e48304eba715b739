-- Records the accounts that own state stored by vendors, such as responses and files. A known id keeps its row, but
-- gets a later expiry. An id that was also given to another account belongs to no account from then on.
CREATE OR REPLACE FUNCTION keep_vendor_state(p_states json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_state record;
BEGIN
  -- States are sorted by their keys, so that transactions never deadlock.
  FOR v_state IN
    SELECT * FROM json_to_recordset(p_states) AS s (id_hash text, provider text, kind text, account text, request text,
      tokens bigint, created_at bigint, expires_at bigint) ORDER BY id_hash COLLATE "C", provider COLLATE "C"
  LOOP
    -- Only new rows get a number. The oldest rows are found by number, so numbers should have few gaps.
    INSERT INTO vendor_state AS known (number, id_hash, provider, kind, account, request, tokens, created_at, expires_at)
    VALUES (
      coalesce((SELECT number FROM vendor_state WHERE id_hash = v_state.id_hash AND provider = v_state.provider),
        nextval('vendor_state_number')),
      v_state.id_hash, v_state.provider, v_state.kind, v_state.account, v_state.request, v_state.tokens,
      v_state.created_at, v_state.expires_at)
    ON CONFLICT (id_hash, provider) DO UPDATE SET
      account = CASE WHEN known.account = excluded.account THEN known.account ELSE '' END,
      -- If a count is unknown, it stays unknown. greatest() would ignore the null.
      tokens = CASE WHEN known.tokens IS NOT NULL AND excluded.tokens IS NOT NULL
        THEN greatest(known.tokens, excluded.tokens) END,
      expires_at = greatest(known.expires_at, excluded.expires_at);
  END LOOP;
END
$$;
