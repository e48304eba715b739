/** What is added up of each group. */
const SUMS = [
  "requests",
  "errors",
  "input",
  "output",
  "cost",
  "written_off",
  "durations",
  "duration",
  "first_bytes",
  "first_byte",
]

function columns(prefix: string): string {
  return SUMS.map((name) => prefix + name).join(", ")
}

/** The sums of receipts, which are grouped by the first seven columns. */
const RECEIPT_SUMS = `r.at / 3600000 AS hour, r.account, r.key, r.model, coalesce(r.provider, '') AS provider, r.outcome,
    r.endpoint, count(*) AS requests, count(*) FILTER (WHERE r.failed) AS errors, sum(r.input)::bigint AS input,
    sum(r.output)::bigint AS output, sum(r.cost)::bigint AS cost, sum(r.written_off)::bigint AS written_off,
    count(r.duration) FILTER (WHERE r.status = 'settled') AS durations,
    coalesce(sum(r.duration) FILTER (WHERE r.status = 'settled'), 0)::bigint AS duration,
    count(r.first_byte) FILTER (WHERE r.status = 'settled') AS first_bytes,
    coalesce(sum(r.first_byte) FILTER (WHERE r.status = 'settled'), 0)::bigint AS first_byte`

/**
 * Sums are told apart by their endpoint too, and know what requests cost before the multiplier. Receipts keep by whom and
 * for what a request was sent.
 *
 * Of receipts from before, and of those that a node of an older version writes, what they cost before the multiplier is
 * not known: it counts as what they cost.
 */
export const USAGE_DIMENSIONS = `
-- To add up what there is takes long where there are many receipts, so requests are settled meanwhile: no table is locked.
CREATE TEMP TABLE seen ON COMMIT DROP AS
  SELECT hour, account, key, model, provider, outcome, p.endpoint, ${columns("p.")}, u::text AS counted
  FROM (SELECT ${RECEIPT_SUMS} FROM receipts AS r GROUP BY 1, 2, 3, 4, 5, 6, 7) AS p
    FULL JOIN usage_hours AS u USING (hour, account, key, model, provider, outcome);
ANALYZE seen;
LOCK TABLE receipts, usage_hours IN ACCESS EXCLUSIVE MODE;
-- What was settled since then is added up again, found by an index.
CREATE TEMP TABLE changed ON COMMIT DROP AS
  SELECT DISTINCT u.hour, u.account, u.key, u.model, u.provider, u.outcome FROM usage_hours AS u
    LEFT JOIN seen AS s USING (hour, account, key, model, provider, outcome)
  WHERE s.counted IS DISTINCT FROM u::text;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off;
CREATE TEMP TABLE present ON COMMIT DROP AS
  SELECT ${RECEIPT_SUMS} FROM changed AS c JOIN receipts AS r
    ON (r.account, r.key, r.model, coalesce(r.provider, ''), r.outcome) = (c.account, c.key, c.model, c.provider, c.outcome)
      AND r.at >= c.hour::bigint * 3600000 AND r.at < (c.hour + 1)::bigint * 3600000
  GROUP BY 1, 2, 3, 4, 5, 6, 7;
RESET enable_seqscan;
RESET enable_hashjoin;
RESET enable_mergejoin;
INSERT INTO present SELECT hour, account, key, model, provider, outcome, endpoint, ${columns("")} FROM seen AS s
  WHERE s.requests IS NOT NULL AND NOT EXISTS (SELECT FROM changed AS c
    WHERE (c.hour, c.account, c.key, c.model, c.provider, c.outcome) = (s.hour, s.account, s.key, s.model, s.provider, s.outcome));

ALTER TABLE receipts ADD COLUMN provider_cost bigint;
-- JSON; null where its caller said nothing.
ALTER TABLE receipts ADD COLUMN labels text;

-- Users, sessions and tags of requests.
CREATE TABLE request_labels (
  name text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  request text COLLATE "C" NOT NULL,
  PRIMARY KEY (name, value, at, request)
);
CREATE INDEX request_labels_by_time ON request_labels (name, at);

ALTER TABLE usage_hours ADD COLUMN endpoint text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE usage_hours ADD COLUMN provider_cost bigint NOT NULL DEFAULT 0;
-- What is left of the sums without the receipts that are there is of receipts that were removed.
UPDATE usage_hours u SET requests = u.requests - p.requests, errors = u.errors - p.errors, input = u.input - p.input,
  output = u.output - p.output, cost = u.cost - p.cost, written_off = u.written_off - p.written_off,
  durations = u.durations - p.durations, duration = u.duration - p.duration,
  first_bytes = u.first_bytes - p.first_bytes, first_byte = u.first_byte - p.first_byte
FROM (SELECT hour, account, key, model, provider, outcome, sum(requests)::bigint AS requests, sum(errors)::bigint AS errors,
    sum(input)::bigint AS input, sum(output)::bigint AS output, sum(cost)::bigint AS cost,
    sum(written_off)::bigint AS written_off, sum(durations)::bigint AS durations, sum(duration)::bigint AS duration,
    sum(first_bytes)::bigint AS first_bytes, sum(first_byte)::bigint AS first_byte
  FROM present GROUP BY 1, 2, 3, 4, 5, 6) AS p
WHERE (u.account, u.hour, u.key, u.model, u.provider, u.outcome) = (p.account, p.hour, p.key, p.model, p.provider, p.outcome);
DELETE FROM usage_hours WHERE requests <= 0;
ALTER TABLE usage_hours DROP CONSTRAINT usage_hours_pkey;
INSERT INTO usage_hours (hour, account, key, model, provider, outcome, endpoint, requests, errors, input, output, cost,
  written_off, durations, duration, first_bytes, first_byte)
SELECT hour, account, key, model, provider, outcome, endpoint, requests, errors, input, output, cost,
  written_off, durations, duration, first_bytes, first_byte FROM present;
UPDATE usage_hours SET provider_cost = cost + written_off;
ALTER TABLE usage_hours ADD PRIMARY KEY (account, hour, key, model, provider, outcome, endpoint);

DO $$
DECLARE
  v_old text[] := ARRAY[
    'p.failed, p.stream, p.estimated, p.duration, p.first_byte, p.input, p.output',
    'stream boolean, estimated boolean, duration bigint, first_byte bigint, input bigint, output bigint),',
    'failed, stream, estimated, duration, first_byte, input, output, number, is_late,',
    'outcome, failed, stream, estimated, duration, first_byte, input, output, cost, written_off)',
    'outcome, failed, stream, estimated, duration, first_byte, input, output, charged, written_off',
    'model, provider, outcome, requests, errors, input, output, cost,
      written_off, durations,',
    'coalesce(provider, ''''), outcome, count(*),',
    'sum(input), sum(output), sum(charged), sum(written_off),',
    'FROM written GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 2, 1, 3, 4, 5, 6',
    'ON CONFLICT (account, hour, key, model, provider, outcome) DO UPDATE',
    'written_off = u.written_off + excluded.written_off,',
    'IF p_states IS NOT NULL THEN'];
  v_new text[] := ARRAY[
    'p.failed, p.stream, p.estimated, p.duration, p.first_byte, p.input, p.output, p.provider_cost, p.labels',
    'stream boolean, estimated boolean, duration bigint, first_byte bigint, input bigint, output bigint,
        provider_cost bigint, labels text),',
    'failed, stream, estimated, duration, first_byte, input, output, provider_cost, labels, number, is_late,',
    'outcome, failed, stream, estimated, duration, first_byte, input, output, cost, written_off, provider_cost, labels)',
    'outcome, failed, stream, estimated, duration, first_byte, input, output, charged, written_off, provider_cost, labels',
    'model, provider, outcome, endpoint, requests, errors, input, output, cost,
      written_off, provider_cost, durations,',
    'coalesce(provider, ''''), outcome, endpoint, count(*),',
    'sum(input), sum(output), sum(charged), sum(written_off), sum(coalesce(provider_cost, charged + written_off)),',
    'FROM written GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 2, 1, 3, 4, 5, 6, 7',
    'ON CONFLICT (account, hour, key, model, provider, outcome, endpoint) DO UPDATE',
    'written_off = u.written_off + excluded.written_off, provider_cost = u.provider_cost + excluded.provider_cost,',
    -- Few callers send any: to look for them costs less than a statement that writes none.
    'IF position(''"labels":"{'' IN p_postings::text) > 0 THEN PERFORM label_requests(i_request); END IF;
  IF p_states IS NOT NULL THEN'];
  v_text text := pg_get_functiondef('post_batch(text, text[], json, json, json, json, text[], boolean)'::regprocedure);
BEGIN
  FOR i IN 1 .. cardinality(v_old) LOOP
    IF position(v_old[i] IN v_text) = 0 THEN RAISE 'post_batch is not as it was: %', v_old[i]; END IF;
    v_text := replace(v_text, v_old[i], v_new[i]);
  END LOOP;
  EXECUTE v_text;
END
$$;

-- Makes the labels of some requests, unless they have them.
CREATE FUNCTION label_requests(p_requests text[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO request_labels (name, value, at, request)
  SELECT l.name, l.value, r.at, r.request
  FROM receipts AS r CROSS JOIN LATERAL (
    SELECT 'user' AS name, r.labels::json ->> 'user' AS value
    UNION ALL SELECT 'session', r.labels::json ->> 'session'
    UNION ALL SELECT 'tag', key || '=' || value FROM json_each_text(r.labels::json -> 'tags')
  ) AS l
  WHERE r.request = ANY(p_requests) AND r.labels IS NOT NULL AND l.value IS NOT NULL
  ON CONFLICT DO NOTHING
$$;

-- Makes room for the receipts of requests that had expired: what was counted of them is taken back.
CREATE OR REPLACE FUNCTION set_expired_aside(p_requests text[]) RETURNS void LANGUAGE sql AS $$
  WITH gone AS (
    DELETE FROM receipts WHERE request = ANY(p_requests) AND is_expired
    RETURNING request, account, key, at, body, hash, position, model, provider, outcome, endpoint, failed, input, output
  ), kept AS (
    INSERT INTO expired_receipts (request, account, key, at, body, hash, position)
    SELECT request, account, key, at, body, hash, position FROM gone
  ), hours AS (
    UPDATE usage_hours u SET requests = u.requests - g.requests, errors = u.errors - g.errors,
      input = u.input - g.input, output = u.output - g.output
    FROM (SELECT at / 3600000 AS hour, account, key, model, coalesce(provider, '') AS provider, outcome, endpoint,
        count(*) AS requests, count(*) FILTER (WHERE failed) AS errors, sum(input)::bigint AS input, sum(output)::bigint AS output
      FROM gone GROUP BY 1, 2, 3, 4, 5, 6, 7) AS g
    WHERE (u.account, u.hour, u.key, u.model, u.provider, u.outcome, u.endpoint)
      = (g.account, g.hour, g.key, g.model, g.provider, g.outcome, g.endpoint)
  )
  UPDATE key_uses u SET requests = u.requests - g.requests
  FROM (SELECT key, count(*) AS requests FROM gone GROUP BY key) AS g WHERE u.key = g.key
$$;

-- The receipts of requests whose process died, unless they have one.
CREATE OR REPLACE FUNCTION expire_holds(p_receipts json) RETURNS void LANGUAGE sql AS $$
  WITH expired AS (
    INSERT INTO receipts (request, account, key, at, body, hash, is_expired, endpoint, model, provider, status, outcome,
      failed, stream, estimated, duration, first_byte, input, output, cost, written_off, provider_cost, labels)
    SELECT request, account, key, at, body, hash, true, endpoint, model, provider, status, outcome,
      failed, stream, estimated, duration, first_byte, input, output, 0, 0, 0, labels
    FROM json_to_recordset(p_receipts) AS r (request text, account text, key text, at bigint, body text, hash text,
      endpoint text, model text, provider text, status text, outcome text, failed boolean, stream boolean,
      estimated boolean, duration bigint, first_byte bigint, input bigint, output bigint, labels text)
    ON CONFLICT (request) DO NOTHING
    RETURNING account, key, at, model, provider, outcome, endpoint, failed, input, output
  ), hours AS (
    INSERT INTO usage_hours AS u (hour, account, key, model, provider, outcome, endpoint, requests, errors, input, output,
      cost, written_off, provider_cost, durations, duration, first_bytes, first_byte)
    SELECT at / 3600000, account, key, model, coalesce(provider, ''), outcome, endpoint, count(*),
      count(*) FILTER (WHERE failed), sum(input), sum(output), 0, 0, 0, 0, 0, 0, 0
    FROM expired GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 2, 1, 3, 4, 5, 6, 7
    ON CONFLICT (account, hour, key, model, provider, outcome, endpoint) DO UPDATE SET
      requests = u.requests + excluded.requests, errors = u.errors + excluded.errors,
      input = u.input + excluded.input, output = u.output + excluded.output
  )
  INSERT INTO key_uses AS u (key, account, last_used_at, requests, spent)
  SELECT key, account, max(at), count(*), 0 FROM expired GROUP BY key, account ORDER BY key
  ON CONFLICT (key) DO UPDATE SET last_used_at = greatest(u.last_used_at, excluded.last_used_at),
    requests = u.requests + excluded.requests
$$;
`
