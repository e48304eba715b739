/**
 * The money. Every table carries the account, and every step touches one account or a batch that can be divided by
 * account, so that the tables can be distributed by it.
 */
export const LEDGER = `
-- What an owner (an account, or a budget of a key) has, how much of it nodes have leased, and where an account's chain of
-- entries ends: all of it in the one row that a posting locks anyway.
CREATE TABLE balances (
  owner text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL REFERENCES accounts (id),
  posted bigint NOT NULL CHECK (posted >= 0),
  leased bigint NOT NULL DEFAULT 0 CHECK (leased >= 0 AND leased <= posted),
  -- All that a budget was ever given, changes included: less what is posted, it is what was spent. Null for accounts.
  allotted bigint,
  -- The last entry of an account. Null for budgets.
  number bigint,
  hash text COLLATE "C"
) WITH (fillfactor = 50);
CREATE INDEX balances_by_account ON balances (account);

-- Grows with every row of entries and receipts. A row may become visible before one with a smaller position: whoever reads
-- in order stops at what every transaction is over for (see the anchor).
CREATE SEQUENCE ledger_position;

-- The lines of the ledger. The lock on its balance gives an account's next number to one transaction at a time.
CREATE TABLE entries (
  account text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  balance bigint NOT NULL,
  at bigint NOT NULL,
  request text COLLATE "C",
  note text,
  author text,
  receipt_hash text COLLATE "C",
  previous_hash text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  key text COLLATE "C",
  -- Which budgets of its key a charge drew on: 1 the total, 2 that of the day, 4 that of the month.
  budgets int NOT NULL DEFAULT 0,
  position bigint NOT NULL DEFAULT nextval('ledger_position'),
  PRIMARY KEY (account, number, at)
) PARTITION BY RANGE (at);
CREATE INDEX entries_by_position ON entries (position);
CREATE INDEX entries_by_kind ON entries (account, kind, number) WHERE kind <> 'charge';
CREATE TABLE entries_other PARTITION OF entries DEFAULT;

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
  -- Of a request that was not charged: an entry has its own.
  hash text COLLATE "C",
  -- Its process died, and nothing was charged.
  is_expired boolean NOT NULL DEFAULT false,
  -- It took the place of a receipt that said it had expired, which expired_receipts keeps.
  is_late boolean NOT NULL DEFAULT false,
  position bigint NOT NULL DEFAULT nextval('ledger_position'),
  -- What reports need of it, as the receipt says it.
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
  written_off bigint NOT NULL
) PARTITION BY RANGE (request);
-- Each index costs every charge. Lists are read in order of time, an account's and everyone's; there is none by key, model
-- or provider: the sums by hour say in which hours there were such requests.
CREATE INDEX receipts_by_account ON receipts (account, at);
CREATE INDEX receipts_by_time ON receipts (at);
-- What went wrong is looked for among very much that did not.
CREATE INDEX troubled_receipts_by_account ON receipts (account, at) WHERE failed OR written_off > 0;
CREATE INDEX troubled_receipts_by_time ON receipts (at) WHERE failed OR written_off > 0;
CREATE INDEX receipts_by_position ON receipts (position) WHERE entry IS NULL;
CREATE TABLE receipts_other PARTITION OF receipts DEFAULT;

-- What the receipts of requests said that had expired and were settled after all.
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
  requests bigint NOT NULL,
  errors bigint NOT NULL,
  input bigint NOT NULL,
  output bigint NOT NULL,
  cost bigint NOT NULL,
  written_off bigint NOT NULL,
  durations bigint NOT NULL,
  duration bigint NOT NULL,
  first_bytes bigint NOT NULL,
  first_byte bigint NOT NULL,
  PRIMARY KEY (account, hour, key, model, provider, outcome)
) WITH (fillfactor = 70);
CREATE INDEX usage_hours_by_time ON usage_hours (hour);

CREATE TABLE key_uses (
  key text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  last_used_at bigint NOT NULL,
  requests bigint NOT NULL,
  spent bigint NOT NULL
) WITH (fillfactor = 50);

-- The processes that hold leases.
CREATE TABLE nodes (
  id text COLLATE "C" PRIMARY KEY,
  process int NOT NULL,
  host text NOT NULL,
  machine text,
  -- By the database's clock, Unix milliseconds.
  beat_at bigint NOT NULL
);

CREATE TABLE leases (
  owner text COLLATE "C" NOT NULL,
  node text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (owner, node)
) WITH (fillfactor = 50);
CREATE INDEX leases_by_node ON leases (node);

-- A node that is short asks the others for the idle part of their leases. Also what a budget is to shrink by, and what an
-- account owes.
CREATE TABLE recalls (
  owner text COLLATE "C" NOT NULL,
  node text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  amount bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, node)
);

-- Requests that have run for a while, with what they hold.
CREATE TABLE holds (
  request text COLLATE "C" PRIMARY KEY,
  node text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  at bigint NOT NULL,
  receipt text NOT NULL
);
CREATE INDEX holds_by_node ON holds (node);
CREATE INDEX holds_by_account ON holds (account);

-- What requests cost and was not charged. Each line carries the hash of the one before.
CREATE TABLE write_offs (
  number bigint PRIMARY KEY,
  at bigint NOT NULL,
  account text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  request text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  reason text COLLATE "C" NOT NULL,
  previous_hash text NOT NULL,
  hash text NOT NULL,
  UNIQUE (request, reason)
);
CREATE INDEX write_offs_by_account ON write_offs (account, number);
CREATE TRIGGER write_off_is_never_changed BEFORE UPDATE OR DELETE ON write_offs
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- A payment from outside becomes one entry, however often it is reported.
CREATE TABLE payments (
  id text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL REFERENCES accounts (id),
  entry bigint NOT NULL
);

-- What an account owes, line by line. The newest line of an account says how much it is.
CREATE TABLE debts (
  account text COLLATE "C" NOT NULL REFERENCES accounts (id),
  number bigint NOT NULL,
  amount bigint NOT NULL,
  debt bigint NOT NULL CHECK (debt >= 0),
  at bigint NOT NULL,
  note text NOT NULL,
  -- The entry that paid.
  entry bigint,
  previous_hash text NOT NULL,
  hash text NOT NULL,
  PRIMARY KEY (account, number)
);

CREATE TABLE card_payments (
  intent text COLLATE "C" PRIMARY KEY,
  payment text COLLATE "C" NOT NULL REFERENCES payments (id),
  account text COLLATE "C" NOT NULL REFERENCES accounts (id),
  amount bigint NOT NULL CHECK (amount >= 0),
  units bigint NOT NULL CHECK (units >= 0),
  currency text NOT NULL,
  taken bigint NOT NULL DEFAULT 0 CHECK (taken >= 0 AND taken <= amount)
);
CREATE INDEX card_payments_by_account ON card_payments (account);

-- Each refund and dispute, however often it is reported.
CREATE TABLE reversals (
  id text COLLATE "C" PRIMARY KEY,
  intent text COLLATE "C" NOT NULL REFERENCES card_payments (intent),
  kind text NOT NULL CHECK (kind IN ('charge', 'refund', 'dispute')),
  units bigint NOT NULL CHECK (units >= 0),
  is_undone boolean NOT NULL
);
CREATE INDEX reversals_by_intent ON reversals (intent);

-- How far the ledger was when it was last looked at: its rows up to a position, how many, and the sum of their hashes.
CREATE TABLE anchor (
  last_row bigint NOT NULL,
  last_hash text,
  row_count bigint NOT NULL,
  hash_sum text NOT NULL,
  at bigint NOT NULL,
  write_offs bigint NOT NULL,
  write_offs_hash text NOT NULL,
  audit bigint NOT NULL,
  audit_hash text NOT NULL,
  -- A position up to which every row is visible once all transactions before this one are over.
  next_row bigint NOT NULL,
  next_transaction bigint NOT NULL
);
INSERT INTO anchor VALUES (0, NULL, 0, '', 0, 0, repeat('0', 64), 0, repeat('0', 64), 0, 0);
`
