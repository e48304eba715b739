-- Accounts, keys, codes, members and settings. Times are Unix milliseconds, amounts nanocredits.

CREATE TABLE accounts (
  id text COLLATE "C" PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  created_at bigint NOT NULL,
  -- Whether the prompts and responses of the account's requests are stored.
  stores_content boolean NOT NULL DEFAULT false,
  state text COLLATE "C" NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'closed')),
  -- The limits as JSON. A missing field means no limit.
  limits text NOT NULL DEFAULT '{}'
);

CREATE TABLE keys (
  id text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL REFERENCES accounts (id),
  name text COLLATE "C" NOT NULL,
  -- The user who created the key; null for commands of operators.
  created_by text COLLATE "C",
  created_at bigint NOT NULL,
  expires_at bigint,
  paused_at bigint,
  revoked_at bigint,
  -- JSON, except for read_only. Null means all models, no aliases, no origins and all addresses, respectively.
  models text,
  aliases text,
  origins text,
  addresses text,
  read_only boolean NOT NULL DEFAULT false,
  -- Limits; null without a limit.
  budget bigint,
  daily_budget bigint,
  monthly_budget bigint,
  requests_per_minute bigint,
  tokens_per_minute bigint,
  concurrent_requests bigint,
  revision bigint NOT NULL
);
CREATE INDEX keys_by_revision ON keys (revision);
CREATE INDEX keys_by_account ON keys (account, created_at, id);
CREATE INDEX keys_by_time ON keys (created_at, id);

CREATE TABLE key_secrets (
  -- HMAC of the key. The key itself is not stored.
  hash text COLLATE "C" PRIMARY KEY,
  key text COLLATE "C" NOT NULL REFERENCES keys (id),
  hint text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint
);
CREATE INDEX key_secrets_by_key ON key_secrets (key);

CREATE TABLE codes (
  id text COLLATE "C" PRIMARY KEY,
  -- HMAC of the code. The code itself is not stored.
  hash text COLLATE "C" NOT NULL UNIQUE,
  hint text NOT NULL,
  note text,
  amount bigint NOT NULL CHECK (amount > 0),
  uses bigint NOT NULL CHECK (uses > 0),
  used bigint NOT NULL DEFAULT 0 CHECK (used >= 0 AND used <= uses),
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  author text
);
CREATE INDEX codes_by_time ON codes (created_at, id);

-- Redemptions of codes. An account can redeem each code only once.
CREATE TABLE redemptions (
  code text COLLATE "C" NOT NULL REFERENCES codes (id),
  account text COLLATE "C" NOT NULL REFERENCES accounts (id),
  entry bigint NOT NULL,
  PRIMARY KEY (code, account)
);

CREATE TABLE members (
  id text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL REFERENCES accounts (id),
  user_id text COLLATE "C" NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  joined_at bigint NOT NULL,
  UNIQUE (account, user_id)
);
CREATE INDEX members_by_user ON members (user_id);
CREATE INDEX members_by_time ON members (joined_at, id);

CREATE TABLE invitations (
  id text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL REFERENCES accounts (id),
  -- The email address in lowercase.
  email text COLLATE "C" NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  -- Hash of the token in the link. The token itself is not stored.
  token_hash text COLLATE "C" NOT NULL UNIQUE,
  invited_by text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  accepted_at bigint
);
CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_by_time ON invitations (created_at, id);

-- Settings made in the console.
CREATE TABLE console_settings (
  section text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  body text NOT NULL,
  -- Encrypted credentials.
  encrypted text,
  revision bigint NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (section, id)
);

-- Numbers of changes to keys ('keys') and settings ('settings'). A change locks its row until it is committed, so that
-- a higher revision never becomes visible before a lower one.
CREATE TABLE revisions (name text COLLATE "C" PRIMARY KEY, number bigint NOT NULL);
INSERT INTO revisions VALUES ('keys', 0), ('settings', 0);

-- The latest backup at each destination.
CREATE TABLE backups (
  place text COLLATE "C" PRIMARY KEY,
  at bigint NOT NULL,
  -- Milliseconds until the next backup; null if no backup is scheduled.
  every bigint
);
