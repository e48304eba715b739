-- Data for reports in addition to receipts: labels, segments, failures, and comparisons with providers' bills.

-- Users, sessions and tags of requests (label_requests).
CREATE TABLE request_labels (
  name text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  request text COLLATE "C" NOT NULL,
  PRIMARY KEY (name, value, at, request)
);

-- A columnar copy of the requests, thousands in a segment, for sums that no table has. Nodes make segments of
-- the receipts when reports are requested: charges do not write them.
CREATE TABLE request_segments (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  count int NOT NULL,
  -- When the first and the last of its requests began.
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
-- Compressing numbers costs more than it saves.
ALTER TABLE segment_columns ALTER COLUMN numbers SET STORAGE EXTERNAL;

-- The numbers that columns have for names and labels of requests.
CREATE TABLE request_names (
  id int PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text COLLATE "C" NOT NULL UNIQUE,
  -- When the last request of that name began.
  last_at bigint NOT NULL
);

-- Expired requests are in no segment, since they may be settled after all. They are few.
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

-- The last comparison with each provider's bill.
CREATE TABLE reconciliations (
  provider text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL,
  at bigint NOT NULL,
  body text NOT NULL
);

-- Provider cost that receipts do not contain, by the comparison that found it.
CREATE TABLE provider_corrections (
  provider text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  number bigint NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (day, provider, number)
);
