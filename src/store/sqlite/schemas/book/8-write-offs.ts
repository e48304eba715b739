/** Costs that no one paid, and how far the ledger was when it was last looked at. */
export const WRITE_OFFS = `
-- What requests cost and was not charged. Each line carries the hash of the one before.
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

-- The rows of entries up to one of them: how many there are, and the sum of their hashes; and where the
-- write-offs and the audit log end. So a row that was taken out shows, the last one included.
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
`
