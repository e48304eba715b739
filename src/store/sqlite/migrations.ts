import type { Database } from "bun:sqlite"

/**
 * The schema, one step after the other. A step that has shipped is never edited: a change is a new
 * step. `user_version` says how many have been taken.
 */
const MIGRATIONS: readonly string[] = [
  `
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
  `,
  `
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
  `,
]

/**
 * Brings a database to the newest schema.
 * @throws Error when a newer Tollgate has written it.
 */
export function migrate(database: Database): void {
  database.run("BEGIN IMMEDIATE")
  try {
    const row = database.query<{ user_version: bigint | number }, []>("PRAGMA user_version").get()
    const version = Number(row?.user_version ?? 0)
    if (version > MIGRATIONS.length) {
      throw new Error(
        `the database was written by a newer Tollgate (schema ${version}, this one knows ${MIGRATIONS.length}): start that version, or restore a backup`,
      )
    }
    for (const step of MIGRATIONS.slice(version)) database.run(step)
    database.run(`PRAGMA user_version = ${MIGRATIONS.length}`)
    database.run("COMMIT")
  } catch (error) {
    database.run("ROLLBACK")
    throw error
  }
}
