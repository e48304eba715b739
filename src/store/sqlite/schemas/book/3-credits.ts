/** Codes, payments, and budgets of a day and of a month. */
export const CREDITS = `
-- Whether prompts and answers of its requests are kept.
ALTER TABLE accounts ADD COLUMN stores_content INTEGER NOT NULL DEFAULT 0;

ALTER TABLE keys ADD COLUMN daily_budget INTEGER;
ALTER TABLE keys ADD COLUMN monthly_budget INTEGER;

-- All that a budget was ever given, changes included: less what is posted, it is what was spent.
-- Null for accounts, whose entries say it.
ALTER TABLE balances ADD COLUMN allotted INTEGER;
UPDATE balances SET allotted = (SELECT budget FROM keys WHERE id = owner)
  WHERE owner IN (SELECT id FROM keys);

-- Which budgets of its key a charge drew on: 1 the total, 2 that of the day, 4 that of the month.
ALTER TABLE entries ADD COLUMN budgets INTEGER NOT NULL DEFAULT 0;
UPDATE entries SET budgets = 1
  WHERE number IS NOT NULL AND key IN (SELECT id FROM keys WHERE budget IS NOT NULL);

-- Grants and the like are few among many charges. Charges are not in it, so they cost no more for it.
CREATE INDEX entries_by_kind ON entries (account, kind, number)
  WHERE number IS NOT NULL AND kind <> 'charge';

-- What somebody who is no node wants to take out: it is not leased anew meanwhile.
ALTER TABLE recalls ADD COLUMN amount INTEGER NOT NULL DEFAULT 0;

CREATE INDEX holds_by_account ON holds (account);

CREATE TABLE codes (
  id TEXT PRIMARY KEY,
  -- HMAC of the code. The code itself is nowhere.
  hash TEXT NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  note TEXT,
  amount INTEGER NOT NULL CHECK (amount > 0),
  uses INTEGER NOT NULL CHECK (uses > 0),
  used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0 AND used <= uses),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  author TEXT
) STRICT;
CREATE INDEX codes_by_time ON codes (created_at, id);

-- An account redeems a code once.
CREATE TABLE redemptions (
  code TEXT NOT NULL REFERENCES codes (id),
  account TEXT NOT NULL REFERENCES accounts (id),
  entry INTEGER NOT NULL,
  PRIMARY KEY (code, account)
) STRICT, WITHOUT ROWID;

-- A payment becomes one entry, however often it is told.
CREATE TABLE payments (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts (id),
  entry INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
