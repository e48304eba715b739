/**
 * Requests once more, column by column, some thousands in a segment, for sums that no table has. Nodes make segments of the
 * receipts when reports are asked for: no charge writes any of it.
 */
export const REQUEST_SEGMENTS = `
CREATE TABLE request_segments (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  count int NOT NULL,
  -- When the first of them began, and the last one.
  first_at bigint NOT NULL,
  last_at bigint NOT NULL
);
-- The position of the last receipt that is in a segment.
CREATE TABLE segment_end (position bigint NOT NULL);
INSERT INTO segment_end VALUES (0);

CREATE TABLE segment_columns (
  segment bigint NOT NULL REFERENCES request_segments (id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  numbers bytea NOT NULL,
  PRIMARY KEY (segment, name)
);
-- To compress numbers costs more than it saves.
ALTER TABLE segment_columns ALTER COLUMN numbers SET STORAGE EXTERNAL;

-- What columns have numbers for: all names and labels of requests.
CREATE TABLE request_names (
  id int PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text COLLATE "C" NOT NULL UNIQUE,
  -- When the last request of that name began.
  last_at bigint NOT NULL
);

-- Receipts that say a request has expired are in no segment: it may be settled after all. They are few.
CREATE TABLE expired_requests (
  request text COLLATE "C" PRIMARY KEY,
  at bigint NOT NULL
);
CREATE INDEX expired_requests_by_time ON expired_requests (at);
INSERT INTO expired_requests SELECT request, at FROM receipts WHERE entry IS NULL AND is_expired;

ALTER FUNCTION expire_holds(json) RENAME TO write_expired_receipts;
CREATE FUNCTION expire_holds(p_receipts json) RETURNS void LANGUAGE sql AS $$
  SELECT write_expired_receipts(p_receipts);
  INSERT INTO expired_requests
  SELECT r.request, r.at FROM json_to_recordset(p_receipts) AS p (request text) JOIN receipts AS r ON r.request = p.request
  WHERE r.is_expired ON CONFLICT DO NOTHING
$$;
ALTER FUNCTION set_expired_aside(text[]) RENAME TO move_expired_receipts;
CREATE FUNCTION set_expired_aside(p_requests text[]) RETURNS void LANGUAGE sql AS $$
  SELECT move_expired_receipts(p_requests);
  DELETE FROM expired_requests WHERE request = ANY(p_requests)
$$;

-- Reports of labels read segments.
DROP INDEX request_labels_by_time;
`
