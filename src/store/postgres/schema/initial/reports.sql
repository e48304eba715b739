-- Data for reports in addition to receipts: labels, segments, failures, and comparisons with providers' bills.

-- Users, sessions and tags of requests (see label_requests).
CREATE TABLE request_labels (
  name text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  request text COLLATE "C" NOT NULL,
  PRIMARY KEY (name, value, at, request)
);

-- A copy of the requests in columns, with thousands of requests in each segment. It is used for sums that are not
-- stored in a table. Charges do not write segments. Nodes create them from receipts when reports are requested.
CREATE TABLE request_segments (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  count int NOT NULL,
  -- The start times of the first and the last request in the segment.
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
-- Compression is disabled, because compressing numbers takes more time than it saves.
ALTER TABLE segment_columns ALTER COLUMN numbers SET STORAGE EXTERNAL;

-- The ids that stand for names and labels of requests in columns.
CREATE TABLE request_names (
  id int PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text COLLATE "C" NOT NULL UNIQUE,
  -- The start time of the last request with this name.
  last_at bigint NOT NULL
);

-- Expired requests. They are not in segments, because they may still be settled. There are few of them.
CREATE TABLE expired_requests (
  request text COLLATE "C" PRIMARY KEY,
  at bigint NOT NULL
);
CREATE INDEX expired_requests_by_time ON expired_requests (at);

-- Requests that were answered with errors in the last days.
CREATE TABLE failed_requests (
  request text COLLATE "C" PRIMARY KEY,
  at bigint NOT NULL,
  endpoint text NOT NULL,
  status bigint NOT NULL,
  kind text NOT NULL,
  parameter text,
  message text NOT NULL,
  account text COLLATE "C",
  key text COLLATE "C",
  model text
);
CREATE INDEX failed_requests_by_time ON failed_requests (at, request);
CREATE INDEX failed_requests_by_account ON failed_requests (account, at, request);

-- Upstream calls that failed in the last days.
CREATE TABLE failed_attempts (
  request text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  deployment text COLLATE "C" NOT NULL,
  status bigint NOT NULL,
  kind text NOT NULL,
  code text,
  message text NOT NULL,
  PRIMARY KEY (request, at, deployment)
);
CREATE INDEX failed_attempts_by_time ON failed_attempts (at);

-- The latest comparison with each provider's bill.
CREATE TABLE reconciliations (
  provider text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL,
  at bigint NOT NULL,
  body text NOT NULL
);

-- Provider cost that is not in receipts, with the comparison that found it.
CREATE TABLE provider_corrections (
  provider text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  number bigint NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (day, provider, number)
);
