-- Comparisons with the bills of providers.

-- The latest comparison with each provider's bill.
CREATE TABLE reconciliations (
  provider TEXT PRIMARY KEY,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;

-- Provider cost that is not in receipts, with the comparison that found it.
CREATE TABLE provider_corrections (
  provider TEXT NOT NULL,
  day INTEGER NOT NULL,
  number INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (day, provider, number)
) STRICT, WITHOUT ROWID;
