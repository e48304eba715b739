-- Writes the user, session and tags of receipts to `request_labels`, unless they are already there.
CREATE OR REPLACE FUNCTION label_requests(p_requests text[]) RETURNS void LANGUAGE sql AS $$
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
