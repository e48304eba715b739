/** The audit log, and the index of requests. */
export const REPORTS = `
-- Who changed what. Each line carries the hash of the one before.
CREATE TABLE audit (
  number INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT NOT NULL,
  action TEXT NOT NULL,
  account TEXT,
  target TEXT,
  before_body TEXT,
  after_body TEXT,
  address TEXT,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_account ON audit (account, number);

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'an audit record is never changed'); END;
CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'an audit record is never deleted'); END;
-- A replaced row would be deleted without a trigger: so a row can only be the next one.
CREATE TRIGGER audit_only_grows BEFORE INSERT ON audit
WHEN NEW.number IS NOT 1 + coalesce((SELECT max(number) FROM audit), 0)
BEGIN SELECT RAISE(ABORT, 'an audit record is the next one'); END;
`
