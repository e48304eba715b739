import type { Schema } from "../migrate.ts"

const USERS = `
CREATE TABLE users (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT,
  is_operator INTEGER NOT NULL,
  is_disabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER
) STRICT, WITHOUT ROWID;

-- Accounts of users at OpenID Connect providers.
CREATE TABLE identities (
  provider TEXT NOT NULL,
  subject TEXT NOT NULL,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (provider, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_user ON identities (user);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL UNIQUE,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  is_remembered INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  address TEXT,
  agent TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_user ON sessions (user);

CREATE TABLE second_factors (
  user TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret TEXT NOT NULL,
  backup_codes TEXT NOT NULL,
  is_active INTEGER NOT NULL,
  last_step INTEGER,
  failures INTEGER NOT NULL,
  locked_until INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The authenticator's id for the passkey, base64url.
  credential TEXT NOT NULL UNIQUE,
  -- The public key in COSE format, base64url.
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL,
  -- JSON.
  transports TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_user ON passkeys (user);

-- Short-lived tokens, such as those in links for setting a password.
CREATE TABLE proofs (
  hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  user TEXT REFERENCES users (id) ON DELETE CASCADE,
  value TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX proofs_user ON proofs (user);

-- Attempts to sign in, by network address and by email address. All processes share the counts.
CREATE TABLE attempts (
  key TEXT PRIMARY KEY,
  count INTEGER NOT NULL,
  begun_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

/** The users of the console and their credentials, in `console.db`. Times are Unix milliseconds. */
export const CONSOLE_SCHEMA: Schema = { file: "console.db", firstVersion: 100, steps: [USERS] }
