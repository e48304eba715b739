/**
 * Sums of amounts stop at the largest number of their column, so that no sum can keep a charge from being posted. To read
 * them, they are added up as numerics.
 */
export const SUMS_OF_AMOUNTS = `
CREATE FUNCTION stored_amount(amount numeric) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT greatest(least(amount, 9223372036854775807), -9223372036854775807)::bigint
$$;
DO $$
DECLARE
  v_old text[] := ARRAY[
    'sum(charged), sum(written_off), sum(coalesce(provider_cost, charged + written_off)),',
    'cost = u.cost + excluded.cost, written_off = u.written_off + excluded.written_off, provider_cost = u.provider_cost + excluded.provider_cost,',
    'count(*), sum(charged) FROM written GROUP BY key',
    'spent = u.spent + excluded.spent'];
  v_new text[] := ARRAY[
    'stored_amount(sum(charged)), stored_amount(sum(written_off)), stored_amount(sum(coalesce(provider_cost, charged + written_off))),',
    'cost = stored_amount(u.cost::numeric + excluded.cost),
      written_off = stored_amount(u.written_off::numeric + excluded.written_off),
      provider_cost = stored_amount(u.provider_cost::numeric + excluded.provider_cost),',
    'count(*), stored_amount(sum(charged)) FROM written GROUP BY key',
    'spent = stored_amount(u.spent::numeric + excluded.spent)'];
  v_text text := pg_get_functiondef('post_batch(text, text[], json, json, json, json, text[], boolean)'::regprocedure);
BEGIN
  FOR i IN 1 .. cardinality(v_old) LOOP
    IF position(v_old[i] IN v_text) = 0 THEN RAISE 'post_batch is not as it was: %', v_old[i]; END IF;
    v_text := replace(v_text, v_old[i], v_new[i]);
  END LOOP;
  EXECUTE v_text;
END
$$;
`
