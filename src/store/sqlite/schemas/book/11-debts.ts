/** Card payments that are taken back, and what accounts owe because of it. */
export const DEBTS = `
-- What an account owes, line by line. The newest line of an account says how much it is.
CREATE TABLE debts (
  account TEXT NOT NULL REFERENCES accounts (id),
  number INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  debt INTEGER NOT NULL CHECK (debt >= 0),
  at INTEGER NOT NULL,
  note TEXT NOT NULL,
  -- The entry of the book that paid.
  entry INTEGER,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (account, number)
) STRICT, WITHOUT ROWID;

-- What refunds and disputes of a payment are told by, and how much of it was taken back so far.
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

-- Each refund and dispute, however often it is told.
CREATE TABLE reversals (
  id TEXT PRIMARY KEY,
  intent TEXT NOT NULL REFERENCES card_payments (intent),
  kind TEXT NOT NULL CHECK (kind IN ('charge', 'refund', 'dispute')),
  units INTEGER NOT NULL CHECK (units >= 0),
  is_undone INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX reversals_by_intent ON reversals (intent);
`
