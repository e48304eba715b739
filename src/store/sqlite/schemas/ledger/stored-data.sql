-- Data other than the ledger: vendor state and idempotency keys. Responses of requests with these keys are in files.

-- State that vendors store for accounts. The oldest rows have the lowest numbers.
CREATE TABLE vendor_state (
  number INTEGER PRIMARY KEY,
  id_hash TEXT NOT NULL,
  provider TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- Empty if the id was given to several accounts, so that it belongs to none of them.
  account TEXT NOT NULL,
  request TEXT NOT NULL,
  tokens INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (id_hash, provider)
) STRICT;
CREATE INDEX vendor_state_by_expiry ON vendor_state (expires_at);

-- Requests with an idempotency key, which are stored for a day.
CREATE TABLE idempotency (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  request TEXT NOT NULL UNIQUE,
  node TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  rights TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'kept')),
  -- Size of the stored response in bytes.
  size INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (claimed_at);
CREATE INDEX idempotency_kept ON idempotency (claimed_at, request) WHERE state = 'kept';
CREATE INDEX idempotency_kept_of_scope ON idempotency (scope, claimed_at, request) WHERE state = 'kept';

-- The number of keys in each scope, and the bytes of their responses. The scope '' has the totals of all scopes.
-- Triggers maintain these totals.
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
