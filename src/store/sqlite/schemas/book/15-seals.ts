/** What takes the place of rows that were removed because they were old. */
export const SEALS = `
-- Of all accounts together: until when rows were removed (Unix milliseconds), how many, the sum of their hashes, and the
-- greatest rowid among them; and how far it has come where it has not ended.
CREATE TABLE seal (
  until INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
  hash_sum TEXT NOT NULL,
  last_row INTEGER NOT NULL,
  scanned INTEGER NOT NULL
) STRICT;
INSERT INTO seal VALUES (0, 0, '', 0, 0);

-- The last of an account's removed entries: the next one follows it.
CREATE TABLE account_seals (
  account TEXT PRIMARY KEY,
  number INTEGER NOT NULL,
  balance INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What removed charges drew on each budget.
CREATE TABLE sealed_budgets (owner TEXT PRIMARY KEY, spent INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- Sums of removed requests, as the index of requests has them: it can be made again, but not from what is gone.
CREATE TABLE sealed_hours (
  hour INTEGER NOT NULL,
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  outcome TEXT NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  written_off INTEGER NOT NULL,
  durations INTEGER NOT NULL,
  duration INTEGER NOT NULL,
  first_bytes INTEGER NOT NULL,
  first_byte INTEGER NOT NULL,
  PRIMARY KEY (hour, account, key, model, provider, outcome)
) STRICT, WITHOUT ROWID;

CREATE TABLE sealed_key_uses (
  key TEXT PRIMARY KEY,
  last_used_at INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  spent INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
