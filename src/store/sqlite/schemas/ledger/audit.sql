-- The audit log, and the removal of people's names from its otherwise unchangeable records.

-- Changes with their actors. Each record contains the hash of the previous record.
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
-- Records are never changed, with one exception: an erasure may remove a person's name from a record that a redaction
-- covers.
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
WHEN NEW.number IS NOT OLD.number OR NEW.at IS NOT OLD.at OR NEW.actor_kind IS NOT OLD.actor_kind
  OR NEW.actor_id IS NOT OLD.actor_id OR NEW.action IS NOT OLD.action OR NEW.account IS NOT OLD.account
  OR NEW.target IS NOT OLD.target OR NEW.previous_hash IS NOT OLD.previous_hash OR NEW.hash IS NOT OLD.hash
  OR NOT EXISTS (SELECT 1 FROM redactions WHERE account IS NULL AND number = OLD.number)
BEGIN SELECT RAISE(ABORT, 'an audit record is never changed'); END;
CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'an audit record is never deleted'); END;
-- Replacing a row would delete the old row without firing a trigger, so an inserted row must have the next number.
CREATE TRIGGER audit_only_grows BEFORE INSERT ON audit
WHEN NEW.number IS NOT 1 + coalesce((SELECT max(number) FROM audit), 0)
BEGIN SELECT RAISE(ABORT, 'an audit record is the next one'); END;

-- The keys with which people's names are encrypted in records.
CREATE TABLE person_keys (
  -- A user's id, or an id that stands for an email address.
  person TEXT PRIMARY KEY,
  address_hash TEXT UNIQUE,
  -- Null if the person was erased.
  key TEXT,
  erased_at INTEGER
) STRICT, WITHOUT ROWID;

-- Records from which a name was removed.
CREATE TABLE redactions (
  -- The audit record of the erasure.
  record INTEGER NOT NULL,
  -- The account of the entry; null for an audit record.
  account TEXT,
  number INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX redactions_by_number ON redactions (number);
