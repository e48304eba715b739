-- Posts a batch (post_batch) and returns once it is durable, but holds the locks of its rows only while it works and not
-- while it waits for the disk. The work is committed without waiting, which releases the rows. A second commit then waits
-- until the log is on disk up to its own record, which lies behind the first. If the second one fails, nothing that was
-- written later is durable either.
--
-- This also holds if the server is configured not to wait for its disk (synchronous_commit = off).
CREATE OR REPLACE PROCEDURE settle_batch(
  -- The arguments of post_batch.
  p_node text, p_owners text[], p_postings json, p_write_offs json, p_states json, p_opened json, p_closed text[],
  p_again boolean,
  -- The rows that post_batch returns, as a JSON array of arrays. Amounts are text.
  INOUT posted text
)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT json_agg(json_build_array(charged::text, from_lease::text, from_budgets::text[], balance::text, late))
  INTO posted
  FROM post_batch(p_node, p_owners, p_postings, p_write_offs, p_states, p_opened, p_closed, p_again);
  COMMIT;
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  -- A commit that wrote nothing does not wait for the disk.
  PERFORM pg_logical_emit_message(true, 'tollgate', '');
END
$$;
