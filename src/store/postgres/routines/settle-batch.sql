-- Posts a batch (post_batch) and returns when it is durable. Rows are locked during the work, but not while waiting for
-- the disk. The work is committed without waiting, which releases the rows. A second commit then waits until the log is
-- on disk up to its own record, which follows that of the first commit. If the second commit fails, nothing that was
-- written later is durable either.
--
-- The batch is durable even if the server is configured not to wait for its disk (synchronous_commit = off).
CREATE OR REPLACE PROCEDURE settle_batch(
  -- The parameters of post_batch.
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
  -- Writes a message, because a commit that has written nothing does not wait for the disk.
  PERFORM pg_logical_emit_message(true, 'tollgate', '');
END
$$;
