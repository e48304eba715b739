-- Moves receipts of expired requests to `expired_receipts` when the requests are settled after all, and subtracts them
-- from the sums. The caller then writes the real receipts.
CREATE OR REPLACE FUNCTION set_expired_aside(p_requests text[]) RETURNS void LANGUAGE sql AS $$
  WITH gone AS (
    DELETE FROM receipts WHERE request = ANY(p_requests) AND is_expired
    RETURNING request, at, body, hash, position, account, key, model, provider, outcome, endpoint, price_group,
      failed, input, output
  ), kept AS (
    INSERT INTO expired_receipts (request, account, key, at, body, hash, position)
    SELECT request, account, key, at, body, hash, position FROM gone
  ), hours AS (
    UPDATE usage_hours u SET requests = u.requests - g.requests, errors = u.errors - g.errors,
      input = u.input - g.input, output = u.output - g.output
    FROM (SELECT at / 3600000 AS hour, account, key, model, coalesce(provider, '') AS provider, outcome,
      endpoint, coalesce(price_group, '') AS price_group,
        count(*) AS requests, count(*) FILTER (WHERE failed) AS errors, sum(input)::bigint AS input,
        sum(output)::bigint AS output
      FROM gone GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) AS g
    WHERE (u.hour, u.account, u.key, u.model, u.provider, u.outcome, u.endpoint, u.price_group)
      = (g.hour, g.account, g.key, g.model, g.provider, g.outcome, g.endpoint, g.price_group)
  )
  UPDATE key_uses u SET requests = u.requests - g.requests
  FROM (SELECT key, count(*) AS requests FROM gone GROUP BY key) AS g WHERE u.key = g.key;

  DELETE FROM expired_requests WHERE request = ANY(p_requests)
$$;
