-- Users of the console and their credentials, and the secrets of the installation.

CREATE TABLE users (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  email text COLLATE "C" NOT NULL UNIQUE,
  password_hash text,
  is_operator boolean NOT NULL,
  is_disabled boolean NOT NULL,
  created_at bigint NOT NULL,
  last_seen_at bigint
);

-- Accounts of users at OpenID Connect providers.
CREATE TABLE identities (
  provider text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at bigint NOT NULL,
  PRIMARY KEY (provider, subject)
);
CREATE INDEX identities_by_user ON identities (user_id);

CREATE TABLE sessions (
  id text COLLATE "C" PRIMARY KEY,
  token_hash text COLLATE "C" NOT NULL UNIQUE,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  is_remembered boolean NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  address text,
  agent text
);
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE second_factors (
  user_id text COLLATE "C" PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret text NOT NULL,
  backup_codes text NOT NULL,
  is_active boolean NOT NULL,
  last_step bigint,
  failures bigint NOT NULL,
  locked_until bigint
);

CREATE TABLE passkeys (
  id text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The authenticator's id for the passkey, base64url.
  credential text COLLATE "C" NOT NULL UNIQUE,
  -- The public key in COSE format, base64url.
  public_key text NOT NULL,
  counter bigint NOT NULL,
  -- JSON.
  transports text NOT NULL,
  name text NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- Short-lived tokens, such as those in links for setting a password.
CREATE TABLE proofs (
  hash text COLLATE "C" PRIMARY KEY,
  kind text NOT NULL,
  user_id text COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,
  value text NOT NULL,
  attempts bigint NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX proofs_by_user ON proofs (user_id);

-- Attempts to sign in, by network address and by email address. All processes share the counts.
CREATE TABLE attempts (
  key text COLLATE "C" PRIMARY KEY,
  count bigint NOT NULL,
  begun_at bigint NOT NULL
);

-- Secrets that hash keys and encrypt stored data, unless the environment sets TOLLGATE_SECRET.
CREATE TABLE installation_secrets (name text COLLATE "C" PRIMARY KEY, value text NOT NULL);
