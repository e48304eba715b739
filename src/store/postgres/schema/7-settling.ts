/**
 * Posts a batch so that its rows are locked for as long as the work takes, and not while the disk is waited for: the work
 * is committed without waiting, which lets go of the rows, and a second commit waits for the log up to its own end, which
 * is behind. So when this returns, the batch is durable, and where it is not, nothing later is either.
 *
 * That holds also where the server is told not to wait for its disk.
 */
export const SETTLING = `
CREATE PROCEDURE settle_batch(
  p_node text, p_owners text[], p_postings json, p_write_offs json, p_states json, p_opened json, p_closed text[],
  p_again boolean,
  -- JSON: the rows of post_batch, as arrays. Amounts are text.
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
  -- A commit that has written nothing waits for nothing.
  PERFORM pg_logical_emit_message(true, 'tollgate', '');
END
$$;
`
