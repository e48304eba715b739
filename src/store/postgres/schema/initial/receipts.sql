-- Receipts of requests, and the sums that are written with them.

-- One row for each request that held money: its key makes a second charge impossible. Ids grow with time, so the table is
-- divided by them, a day each.
CREATE TABLE receipts (
  request text COLLATE "C" NOT NULL PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  body text NOT NULL,
  -- The entry that charged it; null when nothing was charged.
  entry bigint,
  -- The hash of a request that was not charged; an entry has its own.
  hash text COLLATE "C",
  -- Its process died, and nothing was charged.
  is_expired boolean NOT NULL DEFAULT false,
  -- It replaced the receipt of an expired request, which expired_receipts has.
  is_late boolean NOT NULL DEFAULT false,
  position bigint NOT NULL DEFAULT nextval('ledger_position'),
  -- Values from the receipt that reports need.
  endpoint text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  provider text COLLATE "C",
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
  -- The cost before the multiplier; null: as much as was charged and written off.
  provider_cost bigint,
  -- JSON: the user, session and tags that the caller sent; null: none.
  labels text
) PARTITION BY RANGE (request);
-- Each index costs every charge. Lists are read in order of time, of an account and of all accounts. There is no index by
-- key, model or provider: the sums by hour show in which hours there were such requests.
CREATE INDEX receipts_by_account ON receipts (account, at);
CREATE INDEX receipts_by_time ON receipts (at);
-- Requests with problems are few among many.
CREATE INDEX troubled_receipts_by_account ON receipts (account, at) WHERE failed OR written_off > 0;
CREATE INDEX troubled_receipts_by_time ON receipts (at) WHERE failed OR written_off > 0;
CREATE INDEX receipts_by_position ON receipts (position) WHERE entry IS NULL;
CREATE TABLE receipts_other PARTITION OF receipts DEFAULT;

-- Receipts of expired requests that were settled after all (set_expired_aside).
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

-- Sums of requests by the hour (hours since 1970, UTC), written with the charges.
CREATE TABLE usage_hours (
  hour int NOT NULL,
  account text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  endpoint text COLLATE "C" NOT NULL DEFAULT '',
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
  PRIMARY KEY (account, hour, key, model, provider, outcome, endpoint)
) WITH (fillfactor = 70);
CREATE INDEX usage_hours_by_time ON usage_hours (hour);

CREATE TABLE key_uses (
  key text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  last_used_at bigint NOT NULL,
  requests bigint NOT NULL,
  spent bigint NOT NULL
) WITH (fillfactor = 50);
