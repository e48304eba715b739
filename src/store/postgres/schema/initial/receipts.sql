-- Receipts of requests, and the sums that are written with them.

-- One row for each request for which credits were held. The primary key makes a second charge impossible. Request ids
-- increase over time, so the table is divided into daily partitions by their ranges.
CREATE TABLE receipts (
  request text COLLATE "C" NOT NULL PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  body text NOT NULL,
  -- The number of the charge's entry; null if nothing was charged.
  entry bigint,
  -- The hash of the receipt if nothing was charged. A charge's hash is in its entry.
  hash text COLLATE "C",
  -- Whether the request expired, because its process died and nothing was charged.
  is_expired boolean NOT NULL DEFAULT false,
  -- Whether this receipt replaced the receipt of an expired request, which is now in expired_receipts.
  is_late boolean NOT NULL DEFAULT false,
  position bigint NOT NULL DEFAULT nextval('ledger_position'),
  -- Values from the receipt that reports need.
  endpoint text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  provider text COLLATE "C",
  price_group text COLLATE "C",
  status text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  failed boolean NOT NULL,
  stream boolean NOT NULL,
  estimated boolean NOT NULL,
  duration bigint,
  first_byte bigint,
  input bigint NOT NULL,
  output bigint NOT NULL,
  cost bigint NOT NULL,
  written_off bigint NOT NULL,
  -- The cost before the multiplier; null if it equals the amount that was charged and written off.
  provider_cost bigint,
  -- The user, session and tags that the caller sent, as JSON; null if there are none.
  labels text
) PARTITION BY RANGE (request);
-- Each index slows down every charge. Lists are read in chronological order, for one account or for all accounts. There
-- is no index by key, model or provider, because the hourly sums show the hours with such requests.
CREATE INDEX receipts_by_account ON receipts (account, at);
CREATE INDEX receipts_by_time ON receipts (at);
-- These indexes are small, because few requests fail or are partly written off.
CREATE INDEX troubled_receipts_by_account ON receipts (account, at) WHERE failed OR written_off > 0;
CREATE INDEX troubled_receipts_by_time ON receipts (at) WHERE failed OR written_off > 0;
CREATE INDEX receipts_by_position ON receipts (position) WHERE entry IS NULL;
CREATE TABLE receipts_other PARTITION OF receipts DEFAULT;

-- Receipts of expired requests that were settled later (see set_expired_aside).
CREATE TABLE expired_receipts (
  request text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  body text NOT NULL,
  hash text COLLATE "C" NOT NULL,
  position bigint NOT NULL
);
CREATE INDEX expired_receipts_by_position ON expired_receipts (position);

-- Hourly sums of requests, which are written with the charges. Hours are counted from 1970 in UTC.
CREATE TABLE usage_hours (
  hour int NOT NULL,
  account text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  endpoint text COLLATE "C" NOT NULL DEFAULT '',
  price_group text COLLATE "C" NOT NULL DEFAULT '',
  requests bigint NOT NULL,
  errors bigint NOT NULL,
  input bigint NOT NULL,
  output bigint NOT NULL,
  cost bigint NOT NULL,
  written_off bigint NOT NULL,
  provider_cost bigint NOT NULL DEFAULT 0,
  durations bigint NOT NULL,
  duration bigint NOT NULL,
  first_bytes bigint NOT NULL,
  first_byte bigint NOT NULL,
  PRIMARY KEY (account, hour, key, model, provider, outcome, endpoint, price_group)
) WITH (fillfactor = 70);
-- The model is included, so that the hours of a model are found without reading the rows of others.
CREATE INDEX usage_hours_by_time ON usage_hours (hour, model);

CREATE TABLE key_uses (
  key text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  last_used_at bigint NOT NULL,
  requests bigint NOT NULL,
  spent bigint NOT NULL
) WITH (fillfactor = 50);
