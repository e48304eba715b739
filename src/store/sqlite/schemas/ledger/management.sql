-- Accounts, keys, codes, members and settings. Times are Unix milliseconds, amounts nanocredits.

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  -- Whether the prompts and responses of the account's requests are stored.
  stores_content INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'closed')),
  -- The limits as JSON. A missing field means no limit.
  limits TEXT NOT NULL DEFAULT '{}'
) STRICT;

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  -- The user who created the key; null for commands of operators.
  created_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  paused_at INTEGER,
  revoked_at INTEGER,
  -- JSON, except for read_only. Null means all models, no aliases, no origins and all addresses, respectively.
  models TEXT,
  aliases TEXT,
  origins TEXT,
  addresses TEXT,
  read_only INTEGER NOT NULL DEFAULT 0,
  -- Limits; null without a limit.
  budget INTEGER,
  daily_budget INTEGER,
  monthly_budget INTEGER,
  requests_per_minute INTEGER,
  tokens_per_minute INTEGER,
  concurrent_requests INTEGER,
  revision INTEGER NOT NULL
) STRICT;
CREATE INDEX keys_by_revision ON keys (revision);
CREATE INDEX keys_by_account ON keys (account, created_at, id);
CREATE INDEX keys_by_time ON keys (created_at, id);

CREATE TABLE key_secrets (
  -- HMAC of the key. The key itself is not stored.
  hash TEXT PRIMARY KEY,
  key TEXT NOT NULL REFERENCES keys (id),
  hint TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX key_secrets_by_key ON key_secrets (key);

CREATE TABLE codes (
  id TEXT PRIMARY KEY,
  -- HMAC of the code. The code itself is not stored.
  hash TEXT NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  note TEXT,
  amount INTEGER NOT NULL CHECK (amount > 0),
  uses INTEGER NOT NULL CHECK (uses > 0),
  used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0 AND used <= uses),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  author TEXT
) STRICT;
CREATE INDEX codes_by_time ON codes (created_at, id);

-- Redemptions of codes. An account can redeem each code only once.
CREATE TABLE redemptions (
  code TEXT NOT NULL REFERENCES codes (id),
  account TEXT NOT NULL REFERENCES accounts (id),
  entry INTEGER NOT NULL,
  PRIMARY KEY (code, account)
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts (id),
  user_id TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  joined_at INTEGER NOT NULL,
  UNIQUE (account, user_id)
) STRICT;
CREATE INDEX members_by_user ON members (user_id);
CREATE INDEX members_by_time ON members (joined_at, id);

CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts (id),
  -- The email address in lowercase.
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  -- Hash of the token in the link. The token itself is not stored.
  token_hash TEXT NOT NULL UNIQUE,
  invited_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  accepted_at INTEGER
) STRICT;
CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_by_time ON invitations (created_at, id);

-- Settings made in the console.
CREATE TABLE console_settings (
  section TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  -- Encrypted credentials.
  encrypted TEXT,
  revision INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (section, id)
) STRICT, WITHOUT ROWID;

-- Number of changes to settings.
CREATE TABLE settings_revision (number INTEGER NOT NULL) STRICT;
INSERT INTO settings_revision VALUES (0);

-- Number of changes to keys.
CREATE TABLE revision (number INTEGER NOT NULL) STRICT;
INSERT INTO revision VALUES (0);

-- The latest backup at each destination.
CREATE TABLE backups (
  place TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  -- Milliseconds until the next backup; null if no backup is scheduled.
  every INTEGER
) STRICT, WITHOUT ROWID;
