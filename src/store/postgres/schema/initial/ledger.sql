-- The ledger: balances, entries, write-offs, payments and debts. Every table contains the account. Every transaction
-- touches one account, or a batch that can be divided by account, so that the tables can be distributed by it.

-- The balance of an owner (an account, or a budget of a key), its leased part, and the end of an account's chain of
-- entries. They share one row because a posting locks it anyway.
CREATE TABLE balances (
  owner text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL REFERENCES accounts (id),
  posted bigint NOT NULL CHECK (posted >= 0),
  leased bigint NOT NULL DEFAULT 0 CHECK (leased >= 0 AND leased <= posted),
  -- Everything that a budget was ever given, changes included; less `posted`, it is the amount spent. Null for accounts.
  allotted bigint,
  -- The last entry of an account. Null for budgets.
  number bigint,
  hash text COLLATE "C"
) WITH (fillfactor = 50);
CREATE INDEX balances_by_account ON balances (account);

-- Grows with every row of entries and receipts. A row may become visible before one with a smaller position. Reading in
-- order therefore stops at the last position that no running transaction can precede (see anchor).
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
  -- The budgets of its key that a charge drew on: 1 the total, 2 that of the day, 4 that of the month.
  budgets int NOT NULL DEFAULT 0,
  position bigint NOT NULL DEFAULT nextval('ledger_position'),
  PRIMARY KEY (account, number, at)
) PARTITION BY RANGE (at);
CREATE INDEX entries_by_position ON entries (position);
CREATE INDEX entries_by_kind ON entries (account, kind, number) WHERE kind <> 'charge';
CREATE TABLE entries_other PARTITION OF entries DEFAULT;

-- Costs that were not charged. Each line carries the hash of the one before it (append_write_offs).
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

-- Card payments, to which refunds and disputes refer, with the amount taken back so far.
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

-- The debts of accounts, line by line. The newest line of an account has the present debt.
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

-- The extent of the ledger when it was last checked: its rows up to a position, how many, and the sum of their hashes; and
-- the ends of the shared chains.
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

-- Stands for rows that were removed because of their age, of all accounts together: until when they were removed, how many,
-- the sum of their hashes, and the greatest position among them.
CREATE TABLE pruned_rows (until bigint NOT NULL, row_count bigint NOT NULL, hash_sum text NOT NULL, last_row bigint NOT NULL);
INSERT INTO pruned_rows VALUES (0, 0, '', 0);

-- The last removed entry of each account, which the next one follows.
CREATE TABLE last_pruned_entries (
  account text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL,
  balance bigint NOT NULL,
  hash text COLLATE "C" NOT NULL
);

-- Amounts that removed charges drew on each budget.
CREATE TABLE pruned_budgets (owner text COLLATE "C" PRIMARY KEY, spent bigint NOT NULL);
