/** Accounts, their books, keys, and the processes that share them. */
export const BOOK = `
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

-- What an owner (an account, or a key with a budget) has, and how much of it nodes have leased.
CREATE TABLE balances (
  owner TEXT PRIMARY KEY,
  posted INTEGER NOT NULL CHECK (posted >= 0),
  leased INTEGER NOT NULL DEFAULT 0 CHECK (leased >= 0 AND leased <= posted)
) STRICT, WITHOUT ROWID;

CREATE TABLE entries (
  account TEXT NOT NULL REFERENCES accounts (id),
  number INTEGER NOT NULL,
  kind TEXT NOT NULL,
  amount INTEGER NOT NULL,
  balance INTEGER NOT NULL,
  at INTEGER NOT NULL,
  request TEXT,
  note TEXT,
  author TEXT,
  receipt_hash TEXT,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (account, number)
) STRICT, WITHOUT ROWID;

-- One row for each request that held money; its key makes a second charge impossible.
CREATE TABLE receipts (
  request TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  at INTEGER NOT NULL,
  entry INTEGER,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  models TEXT,
  budget INTEGER,
  requests_per_minute INTEGER,
  tokens_per_minute INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  revision INTEGER NOT NULL
) STRICT;
CREATE INDEX keys_by_revision ON keys (revision);

CREATE TABLE key_secrets (
  hash TEXT PRIMARY KEY,
  key TEXT NOT NULL REFERENCES keys (id),
  hint TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX key_secrets_by_key ON key_secrets (key);

CREATE TABLE nodes (
  id TEXT PRIMARY KEY,
  process INTEGER NOT NULL,
  host TEXT NOT NULL,
  beat_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
  owner TEXT NOT NULL,
  node TEXT NOT NULL REFERENCES nodes (id),
  amount INTEGER NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (owner, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE holds (
  request TEXT PRIMARY KEY,
  node TEXT NOT NULL REFERENCES nodes (id),
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  amount INTEGER NOT NULL,
  at INTEGER NOT NULL,
  receipt TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A node that is short asks the others for the idle part of their leases.
CREATE TABLE recalls (
  owner TEXT NOT NULL,
  node TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (owner, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE revision (number INTEGER NOT NULL) STRICT;
INSERT INTO revision VALUES (0);
`
