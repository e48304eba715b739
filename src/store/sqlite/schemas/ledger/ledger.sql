-- The ledger: balances, entries with their receipts, write-offs, payments and debts.

-- The balance of an owner (an account or a budget), and the part of it that nodes have leased.
CREATE TABLE balances (
  owner TEXT PRIMARY KEY,
  posted INTEGER NOT NULL CHECK (posted >= 0),
  leased INTEGER NOT NULL DEFAULT 0 CHECK (leased >= 0 AND leased <= posted),
  -- All amounts ever allotted to a budget, including limit changes. `allotted` minus `posted` is the amount spent. Null
  -- for accounts.
  allotted INTEGER
) STRICT, WITHOUT ROWID;

-- The entries of the ledger. A charge and its receipt are in one row, so that a commit writes fewer pages. An uncharged
-- request has a row that only contains its receipt.
CREATE TABLE entries (
  account TEXT NOT NULL REFERENCES accounts (id),
  -- Number of the entry. Null in a row that only contains a receipt. In this case `kind` is null, or 'expired' if the
  -- process died.
  number INTEGER,
  kind TEXT,
  amount INTEGER,
  balance INTEGER,
  at INTEGER NOT NULL,
  request TEXT,
  note TEXT,
  author TEXT,
  receipt_hash TEXT,
  previous_hash TEXT,
  hash TEXT,
  key TEXT,
  -- Bits of the key's budgets that a charge drew on: 1 for the total, 2 for the day, 4 for the month.
  budgets INTEGER NOT NULL DEFAULT 0,
  -- The request of an expired receipt, if it was settled later. The new row is in the unique index in place of this
  -- one.
  replaced TEXT,
  -- The receipt as JSON. It comes after the other columns because it is long.
  receipt TEXT,
  CHECK (number IS NULL OR (kind IS NOT NULL AND amount IS NOT NULL AND balance IS NOT NULL
    AND previous_hash IS NOT NULL AND hash IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX entries_by_number ON entries (account, number);
-- Each request for which credits were held has one row, which makes a second charge impossible.
CREATE UNIQUE INDEX entries_by_request ON entries (request) WHERE request IS NOT NULL;
-- Contains all entries except charges. Charges are much more frequent than other entries.
CREATE INDEX entries_by_kind ON entries (account, kind, number)
  WHERE number IS NOT NULL AND kind <> 'charge';
CREATE INDEX entries_by_replaced ON entries (replaced) WHERE replaced IS NOT NULL;

-- Costs that were not charged. Each line contains the hash of the previous line.
CREATE TABLE write_offs (
  number INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  account TEXT NOT NULL REFERENCES accounts (id),
  key TEXT NOT NULL,
  request TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  reason TEXT NOT NULL,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE (request, reason)
) STRICT;
CREATE INDEX write_offs_by_account ON write_offs (account, number);
CREATE TRIGGER write_off_is_never_changed BEFORE UPDATE ON write_offs
BEGIN SELECT RAISE(ABORT, 'a write-off is never changed'); END;
CREATE TRIGGER write_off_is_never_deleted BEFORE DELETE ON write_offs
BEGIN SELECT RAISE(ABORT, 'a write-off is never deleted'); END;
CREATE TRIGGER write_offs_only_grow BEFORE INSERT ON write_offs
WHEN NEW.number IS NOT 1 + coalesce((SELECT max(number) FROM write_offs), 0)
BEGIN SELECT RAISE(ABORT, 'a write-off is the next one'); END;

-- Payments from outside of the gateway. Each becomes one entry, regardless of how often it is reported.
CREATE TABLE payments (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts (id),
  entry INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Card payments, to which refunds and disputes refer, with the amounts taken back so far.
CREATE TABLE card_payments (
  intent TEXT PRIMARY KEY,
  payment TEXT NOT NULL REFERENCES payments (id),
  account TEXT NOT NULL REFERENCES accounts (id),
  amount INTEGER NOT NULL CHECK (amount >= 0),
  units INTEGER NOT NULL CHECK (units >= 0),
  currency TEXT NOT NULL,
  taken INTEGER NOT NULL DEFAULT 0 CHECK (taken >= 0 AND taken <= amount)
) STRICT, WITHOUT ROWID;
CREATE INDEX card_payments_by_account ON card_payments (account);

-- Refunds and disputes. Each has one row, regardless of how often it is reported.
CREATE TABLE reversals (
  id TEXT PRIMARY KEY,
  intent TEXT NOT NULL REFERENCES card_payments (intent),
  kind TEXT NOT NULL CHECK (kind IN ('charge', 'refund', 'dispute')),
  units INTEGER NOT NULL CHECK (units >= 0),
  is_undone INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX reversals_by_intent ON reversals (intent);

-- The debts of accounts, line by line. The newest line of an account contains its current debt.
CREATE TABLE debts (
  account TEXT NOT NULL REFERENCES accounts (id),
  number INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  debt INTEGER NOT NULL CHECK (debt >= 0),
  at INTEGER NOT NULL,
  note TEXT NOT NULL,
  -- The entry of the payment; null if the line is not a payment.
  entry INTEGER,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (account, number)
) STRICT, WITHOUT ROWID;

-- The extent of the ledger when the anchor was last advanced: the last row, the number of rows up to it, and the sum of
-- their hashes. Also contains the ends of the chains that all accounts share. The anchor reveals a missing row, even if
-- the row was the last one.
CREATE TABLE anchor (
  last_row INTEGER NOT NULL,
  last_hash TEXT,
  row_count INTEGER NOT NULL,
  hash_sum TEXT NOT NULL,
  at INTEGER NOT NULL,
  write_offs INTEGER NOT NULL,
  write_offs_hash TEXT NOT NULL,
  audit INTEGER NOT NULL,
  audit_hash TEXT NOT NULL
) STRICT;
INSERT INTO anchor VALUES (0, NULL, 0, '', 0, 0, '', 0, '');

-- Replaces rows of all accounts that were removed because of their age. Contains the time before which rows were
-- removed, their number, the sum of their hashes, their highest rowid, and the progress of an unfinished removal.
CREATE TABLE pruned_rows (
  until INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
  hash_sum TEXT NOT NULL,
  last_row INTEGER NOT NULL,
  scanned INTEGER NOT NULL
) STRICT;
INSERT INTO pruned_rows VALUES (0, 0, '', 0, 0);

-- The last removed entry of each account. The hash of the next entry refers to it.
CREATE TABLE last_pruned_entries (
  account TEXT PRIMARY KEY,
  number INTEGER NOT NULL,
  balance INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The amounts that removed charges drew on each budget.
CREATE TABLE pruned_budgets (owner TEXT PRIMARY KEY, spent INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- Sums of removed requests, in the format of the reports index (reports.db). Without them, the index could not be
-- rebuilt.
CREATE TABLE pruned_hours (
  hour INTEGER NOT NULL,
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  outcome TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  price_group TEXT NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  written_off INTEGER NOT NULL,
  provider_cost INTEGER NOT NULL,
  durations INTEGER NOT NULL,
  duration INTEGER NOT NULL,
  first_bytes INTEGER NOT NULL,
  first_byte INTEGER NOT NULL,
  PRIMARY KEY (hour, account, key, model, provider, outcome, endpoint, price_group)
) STRICT, WITHOUT ROWID;

CREATE TABLE pruned_key_uses (
  key TEXT PRIMARY KEY,
  last_used_at INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  spent INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
