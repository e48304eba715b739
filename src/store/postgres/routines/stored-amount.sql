-- Limits a sum of amounts to the range of its column, so that no sum can prevent a charge from being posted.
CREATE OR REPLACE FUNCTION stored_amount(amount numeric) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT greatest(least(amount, 9223372036854775807), -9223372036854775807)::bigint
$$;
