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

-- What expired is in no segment: it may be settled after all.
CREATE INDEX expired_receipts_by_time ON receipts (at) WHERE is_expired;
`
