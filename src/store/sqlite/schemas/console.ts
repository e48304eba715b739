import type { Schema } from "../migrate.ts"

/**
 * The tables of `console.db`. The first step created those of better-auth 1.7 with additional columns; the
 * second moves their rows into tables of our own. Sessions end with it: their tokens were stored as they are,
 * and are now stored as hashes. Times are Unix milliseconds.
 */
export const CONSOLE_SCHEMA: Schema = {
  file: "console.db",
  steps: [
    `
CREATE TABLE "user" (
  "id" text NOT NULL PRIMARY KEY,
  "name" text NOT NULL,
  "email" text NOT NULL UNIQUE,
  "emailVerified" integer NOT NULL,
  "image" text,
  "createdAt" date NOT NULL,
  "updatedAt" date NOT NULL,
  "twoFactorEnabled" integer,
  "isOperator" integer NOT NULL,
  "isDisabled" integer NOT NULL,
  "lastSeenAt" date
);
CREATE TABLE "session" (
  "id" text NOT NULL PRIMARY KEY,
  "expiresAt" date NOT NULL,
  "token" text NOT NULL UNIQUE,
  "createdAt" date NOT NULL,
  "updatedAt" date NOT NULL,
  "ipAddress" text,
  "userAgent" text,
  "userId" text NOT NULL REFERENCES "user" ("id") ON DELETE CASCADE
);
CREATE TABLE "account" (
  "id" text NOT NULL PRIMARY KEY,
  "accountId" text NOT NULL,
  "providerId" text NOT NULL,
  "userId" text NOT NULL REFERENCES "user" ("id") ON DELETE CASCADE,
  "accessToken" text,
  "refreshToken" text,
  "idToken" text,
  "accessTokenExpiresAt" date,
  "refreshTokenExpiresAt" date,
  "scope" text,
  "password" text,
  "createdAt" date NOT NULL,
  "updatedAt" date NOT NULL
);
CREATE TABLE "verification" (
  "id" text NOT NULL PRIMARY KEY,
  "identifier" text NOT NULL,
  "value" text NOT NULL,
  "expiresAt" date NOT NULL,
  "createdAt" date NOT NULL,
  "updatedAt" date NOT NULL
);
CREATE TABLE "twoFactor" (
  "id" text NOT NULL PRIMARY KEY,
  "secret" text NOT NULL,
  "backupCodes" text NOT NULL,
  "userId" text NOT NULL REFERENCES "user" ("id") ON DELETE CASCADE,
  "verified" integer,
  "failedVerificationCount" integer,
  "lockedUntil" date
);
CREATE INDEX "session_userId_idx" ON "session" ("userId");
CREATE INDEX "account_userId_idx" ON "account" ("userId");
CREATE UNIQUE INDEX "account_owner_idx" ON "account" ("providerId", "accountId");
CREATE INDEX "verification_identifier_idx" ON "verification" ("identifier");
CREATE INDEX "twoFactor_secret_idx" ON "twoFactor" ("secret");
CREATE INDEX "twoFactor_userId_idx" ON "twoFactor" ("userId");

-- How often somebody tried, by address and by e-mail address. All processes count together.
CREATE TABLE attempts (
  key TEXT PRIMARY KEY,
  count INTEGER NOT NULL,
  begun_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
    `
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

CREATE TABLE proofs (
  hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  user TEXT REFERENCES users (id) ON DELETE CASCADE,
  value TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX proofs_user ON proofs (user);

INSERT INTO users
  SELECT id, name, email,
    (SELECT password FROM account WHERE userId = "user".id AND accountId = "user".id AND providerId = 'credential'),
    isOperator, isDisabled, CAST(round(unixepoch(createdAt, 'subsec') * 1000) AS INTEGER),
    CAST(round(unixepoch(lastSeenAt, 'subsec') * 1000) AS INTEGER)
  FROM "user";
INSERT INTO identities
  SELECT providerId, accountId, userId, CAST(round(unixepoch(createdAt, 'subsec') * 1000) AS INTEGER)
  FROM account WHERE providerId <> 'credential';
INSERT OR IGNORE INTO second_factors
  SELECT userId, secret, backupCodes, coalesce(twoFactorEnabled, 0), NULL,
    coalesce(failedVerificationCount, 0), CAST(round(unixepoch(lockedUntil, 'subsec') * 1000) AS INTEGER)
  FROM twoFactor JOIN "user" ON "user".id = userId
  ORDER BY verified DESC;
-- Links that set a password keep working; the other rows belong to cookies that no longer do.
INSERT INTO proofs
  SELECT identifier, 'reset-password', value, '', 0, CAST(round(unixepoch(expiresAt, 'subsec') * 1000) AS INTEGER)
  FROM verification WHERE value IN (SELECT id FROM users);

DROP TABLE twoFactor;
DROP TABLE verification;
DROP TABLE account;
DROP TABLE session;
DROP TABLE "user";
`,
    `
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- As the authenticator knows it, base64url.
  credential TEXT NOT NULL UNIQUE,
  -- COSE, base64url.
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL,
  -- JSON.
  transports TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_user ON passkeys (user);
`,
  ],
}
