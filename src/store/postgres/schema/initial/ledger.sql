-- The ledger: balances, entries, write-offs, payments and debts. Every table contains the account. Every transaction
-- concerns one account, or a batch that can be divided by account, so that the tables can be distributed by account.

-- The balance of an owner (an account or a budget), its leased part, and the end of an account's chain of entries. They
-- are in one row, because a posting locks the row in any case.
CREATE TABLE balances (
  owner text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL REFERENCES accounts (id),
  posted bigint NOT NULL CHECK (posted >= 0),
  leased bigint NOT NULL DEFAULT 0 CHECK (leased >= 0 AND leased <= posted),
  -- All amounts ever allotted to a budget, including limit changes. `allotted` minus `posted` is the amount spent. Null
  -- for accounts.
  allotted bigint,
  -- The number of an account's last entry. Null for budgets.
  number bigint,
  hash text COLLATE "C"
) WITH (fillfactor = 50);
CREATE INDEX balances_by_account ON balances (account);

-- Increases with every row of entries and receipts. A row may become visible before a row with a lower position. Reads
-- in order therefore stop at the last position before which no running transaction can insert rows (see anchor).
CREATE SEQUENCE ledger_position;

-- The entries of the ledger. Because a transaction must lock the balance of an account, only one at a time gets the
-- next number.
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
  -- Bits of the key's budgets that a charge drew on: 1 for the total, 2 for the day, 4 for the month.
  budgets int NOT NULL DEFAULT 0,
  position bigint NOT NULL DEFAULT nextval('ledger_position'),
  PRIMARY KEY (account, number, at)
) PARTITION BY RANGE (at);
CREATE INDEX entries_by_position ON entries (position);
CREATE INDEX entries_by_kind ON entries (account, kind, number) WHERE kind <> 'charge';
CREATE TABLE entries_other PARTITION OF entries DEFAULT;

-- Costs that were not charged. Each line contains the hash of the previous line (see append_write_offs).
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
  FOR EACH ROW EXECUTE FUNCTION reject_change();

-- Payments from outside of the gateway. Each becomes one entry, regardless of how often it is reported.
CREATE TABLE payments (
  id text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL REFERENCES accounts (id),
  entry bigint NOT NULL
);

-- Card payments, to which refunds and disputes refer, with the amounts taken back so far.
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

-- Refunds and disputes. Each has one row, regardless of how often it is reported.
CREATE TABLE reversals (
  id text COLLATE "C" PRIMARY KEY,
  intent text COLLATE "C" NOT NULL REFERENCES card_payments (intent),
  kind text NOT NULL CHECK (kind IN ('charge', 'refund', 'dispute')),
  units bigint NOT NULL CHECK (units >= 0),
  is_undone boolean NOT NULL
);
CREATE INDEX reversals_by_intent ON reversals (intent);

-- The debts of accounts, line by line. The newest line of an account contains its current debt.
CREATE TABLE debts (
  account text COLLATE "C" NOT NULL REFERENCES accounts (id),
  number bigint NOT NULL,
  amount bigint NOT NULL,
  debt bigint NOT NULL CHECK (debt >= 0),
  at bigint NOT NULL,
  note text NOT NULL,
  -- The entry of the payment; null if the line is not a payment.
  entry bigint,
  previous_hash text NOT NULL,
  hash text NOT NULL,
  PRIMARY KEY (account, number)
);

-- The extent of the ledger when the anchor was last advanced: the last position, the number of rows up to it, and the
-- sum of their hashes. Also contains the ends of the chains that all accounts share.
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
  -- A position, and a transaction number. When all transactions with lower numbers have ended, every row up to the
  -- position is visible.
  next_row bigint NOT NULL,
  next_transaction bigint NOT NULL
);
INSERT INTO anchor VALUES (0, NULL, 0, '', 0, 0, repeat('0', 64), 0, repeat('0', 64), 0, 0);

-- Replaces rows of all accounts that were removed because of their age. Contains the time before which rows were
-- removed, their number, the sum of their hashes, and their highest position.
CREATE TABLE pruned_rows (until bigint NOT NULL, row_count bigint NOT NULL, hash_sum text NOT NULL, last_row bigint NOT NULL);
INSERT INTO pruned_rows VALUES (0, 0, '', 0);

-- The last removed entry of each account. The hash of the next entry refers to it.
CREATE TABLE last_pruned_entries (
  account text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL,
  balance bigint NOT NULL,
  hash text COLLATE "C" NOT NULL
);

-- The amounts that removed charges drew on each budget.
CREATE TABLE pruned_budgets (owner text COLLATE "C" PRIMARY KEY, spent bigint NOT NULL);
