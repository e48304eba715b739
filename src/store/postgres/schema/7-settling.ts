/**
 * Posts a batch so that its rows are locked for as long as the work takes, and not while the disk is waited for: the work
 * is committed without waiting, which lets go of the rows, and a second commit waits for the log up to its own end, which
 * is behind. So when this returns, the batch is durable, and where it is not, nothing later is either.
 *
 * That holds also where the server is told not to wait for its disk.
 */
export const SETTLING = `
-- Of a table that is not analyzed yet, the planner takes a node for one of few rows, and read all leases of the node for
-- each batch. Written like this, it can only look up the leases of the batch.
DO $$
DECLARE
  v_old text[] := ARRAY[
    'coalesce(l.amount, 0)',
    'LEFT JOIN leases l ON l.owner = o.owner AND l.node = p_node',
    'UPDATE leases l SET amount = l.amount - o.drawn
  FROM unnest(p_owners, o_from) AS o (owner, drawn)
  WHERE l.owner = o.owner AND l.node = p_node AND o.drawn > 0'];
  v_new text[] := ARRAY[
    'coalesce((SELECT l.amount FROM leases l WHERE l.owner = o.owner AND l.node = p_node), 0)',
    '',
    'UPDATE leases l SET amount = l.amount - o_from[array_position(p_owners, l.owner)]
  WHERE l.owner = ANY(p_owners) AND l.node = p_node AND o_from[array_position(p_owners, l.owner)] > 0'];
  v_text text := pg_get_functiondef('post_batch(text, text[], json, json, json, json, text[], boolean)'::regprocedure);
BEGIN
  FOR i IN 1 .. cardinality(v_old) LOOP
    IF position(v_old[i] IN v_text) = 0 THEN RAISE 'post_batch is not as it was'; END IF;
    v_text := replace(v_text, v_old[i], v_new[i]);
  END LOOP;
  EXECUTE v_text;
END
$$;
-- The same: an index that finds a node's leases is taken only by those who state what is always true.
DROP INDEX leases_by_node;
CREATE INDEX leases_by_node ON leases (node) WHERE amount >= 0;

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
