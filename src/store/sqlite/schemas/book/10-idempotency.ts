/**
 * Requests that came with an idempotency key, for a day. Their answers are files. Totals follow by
 * triggers; those of all together are the row with an empty scope.
 */
export const IDEMPOTENCY = `
CREATE TABLE idempotency (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  request TEXT NOT NULL UNIQUE,
  node TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  rights TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'kept')),
  size INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (claimed_at);
CREATE INDEX idempotency_kept ON idempotency (claimed_at, request) WHERE state = 'kept';
CREATE INDEX idempotency_kept_of_scope ON idempotency (scope, claimed_at, request) WHERE state = 'kept';

CREATE TABLE idempotency_totals (
  scope TEXT PRIMARY KEY,
  keys INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER idempotency_added AFTER INSERT ON idempotency BEGIN
  INSERT INTO idempotency_totals VALUES (new.scope, 1, new.size), ('', 1, new.size)
  ON CONFLICT (scope) DO UPDATE SET keys = keys + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER idempotency_resized AFTER UPDATE OF size ON idempotency BEGIN
  UPDATE idempotency_totals SET bytes = bytes + new.size - old.size WHERE scope IN (new.scope, '');
END;
CREATE TRIGGER idempotency_removed AFTER DELETE ON idempotency BEGIN
  UPDATE idempotency_totals SET keys = keys - 1, bytes = bytes - old.size
  WHERE scope IN (old.scope, '');
  DELETE FROM idempotency_totals WHERE scope = old.scope AND keys = 0;
END;
`
