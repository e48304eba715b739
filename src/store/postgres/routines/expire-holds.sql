-- Writes receipts of requests whose process died, unless they already have a receipt. Nothing is charged for these
-- requests, but they are counted.
CREATE OR REPLACE FUNCTION expire_holds(p_receipts json) RETURNS void LANGUAGE sql AS $$
  WITH expired AS (
    INSERT INTO receipts (request, account, key, at, body, hash, is_expired, cost, written_off, provider_cost, outcome,
      endpoint, model, provider, price_group, status, failed, stream, estimated, duration, first_byte, input,
      output, labels)
    SELECT request, account, key, at, body, hash, true, 0, 0, 0, outcome, endpoint, model, provider, price_group,
      status, failed, stream, estimated, duration, first_byte, input, output, labels
    FROM json_to_recordset(p_receipts) AS r (request text, account text, key text, at bigint, body text, hash text,
      outcome text, endpoint text, model text, provider text, price_group text, status text, failed boolean,
      stream boolean, estimated boolean, duration bigint, first_byte bigint, input bigint, output bigint,
      labels text)
    ON CONFLICT (request) DO NOTHING
    RETURNING at, account, key, model, provider, outcome, endpoint, price_group, failed, input, output
  ), hours AS (
    INSERT INTO usage_hours AS u (hour, account, key, model, provider, outcome, endpoint, price_group, requests,
      errors, input, output,
      cost, written_off, provider_cost, durations, duration, first_bytes, first_byte)
    SELECT at / 3600000, account, key, model, coalesce(provider, '') AS provider, outcome, endpoint,
      coalesce(price_group, '') AS price_group, count(*),
      count(*) FILTER (WHERE failed), sum(input), sum(output), 0, 0, 0, 0, 0, 0, 0
    FROM expired GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 2, 1, 3, 4, 5, 6, 7, 8
    ON CONFLICT (hour, account, key, model, provider, outcome, endpoint, price_group) DO UPDATE SET
      requests = u.requests + excluded.requests, errors = u.errors + excluded.errors,
      input = u.input + excluded.input, output = u.output + excluded.output
  )
  INSERT INTO key_uses AS u (key, account, last_used_at, requests, spent)
  SELECT key, account, max(at), count(*), 0 FROM expired GROUP BY key, account ORDER BY key
  ON CONFLICT (key) DO UPDATE SET last_used_at = greatest(u.last_used_at, excluded.last_used_at),
    requests = u.requests + excluded.requests;

  -- These requests may still be settled, so they are not in report segments. Reports add them separately.
  INSERT INTO expired_requests
  SELECT r.request, r.at FROM json_to_recordset(p_receipts) AS p (request text) JOIN receipts AS r ON r.request = p.request
  WHERE r.is_expired ON CONFLICT DO NOTHING
$$;
