/** Keys of people, which encrypt what names them, and the records from which a name was removed. */
export const PEOPLE = `
CREATE TABLE people (
  -- A user's id, or one that stands for an e-mail address.
  person TEXT PRIMARY KEY,
  address_hash TEXT UNIQUE,
  -- Null: they are erased.
  key TEXT,
  erased_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE redactions (
  -- The audit record that vouches for it.
  record INTEGER NOT NULL,
  -- Of an entry of this account; null: of an audit record.
  account TEXT,
  number INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX redactions_by_number ON redactions (number);

-- Only what names people can be removed from a record, and only where a redaction says so.
DROP TRIGGER audit_is_never_changed;
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
WHEN NEW.number IS NOT OLD.number OR NEW.at IS NOT OLD.at OR NEW.actor_kind IS NOT OLD.actor_kind
  OR NEW.actor_id IS NOT OLD.actor_id OR NEW.action IS NOT OLD.action OR NEW.account IS NOT OLD.account
  OR NEW.target IS NOT OLD.target OR NEW.previous_hash IS NOT OLD.previous_hash OR NEW.hash IS NOT OLD.hash
  OR NOT EXISTS (SELECT 1 FROM redactions WHERE account IS NULL AND number = OLD.number)
BEGIN SELECT RAISE(ABORT, 'an audit record is never changed'); END;
`
