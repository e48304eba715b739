/** A charge and its receipt become one row. */
export const CHARGES = `
-- A charge and its receipt become one row: half the pages that a commit has to write.
ALTER TABLE entries RENAME TO old_entries;
CREATE TABLE entries (
  account TEXT NOT NULL REFERENCES accounts (id),
  -- Null in the receipt of a request that was not charged, which is no line of the book.
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
  receipt TEXT,
  CHECK (number IS NULL OR (kind IS NOT NULL AND amount IS NOT NULL AND balance IS NOT NULL
    AND previous_hash IS NOT NULL AND hash IS NOT NULL))
) STRICT;
INSERT INTO entries
  SELECT old.*, receipts.key, receipts.body FROM old_entries AS old
  LEFT JOIN receipts ON receipts.request = old.request
    AND receipts.account = old.account AND receipts.entry = old.number
  ORDER BY old.at, old.account, old.number;
INSERT INTO entries (account, at, request, key, receipt)
  SELECT account, at, request, key, body FROM receipts
  WHERE request NOT IN (SELECT request FROM old_entries WHERE request IS NOT NULL);
DROP TABLE old_entries;
DROP TABLE receipts;
CREATE UNIQUE INDEX entries_by_number ON entries (account, number);
-- One row for each request that held money: it makes a second charge impossible.
CREATE UNIQUE INDEX entries_by_request ON entries (request) WHERE request IS NOT NULL;
`
