/** What people manage: accounts, keys, codes, members, settings, and the audit log. */
export const MANAGEMENT = `
CREATE TABLE tollgate_schema (version int NOT NULL, oldest int NOT NULL);

-- The database's clock, Unix milliseconds: no node's clock decides about another node.
CREATE FUNCTION tollgate_now() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

CREATE TABLE accounts (
  id text COLLATE "C" PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  created_at bigint NOT NULL,
  -- Whether prompts and answers of its requests are kept.
  stores_content boolean NOT NULL DEFAULT false
);

CREATE TABLE keys (
  id text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL REFERENCES accounts (id),
  name text COLLATE "C" NOT NULL,
  -- JSON.
  models text,
  aliases text,
  origins text,
  budget bigint,
  daily_budget bigint,
  monthly_budget bigint,
  requests_per_minute bigint,
  tokens_per_minute bigint,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  revision bigint NOT NULL
);
CREATE INDEX keys_by_revision ON keys (revision);
CREATE INDEX keys_by_account ON keys (account, created_at, id);
CREATE INDEX keys_by_time ON keys (created_at, id);

CREATE TABLE key_secrets (
  -- HMAC of the key. The key itself is nowhere.
  hash text COLLATE "C" PRIMARY KEY,
  key text COLLATE "C" NOT NULL REFERENCES keys (id),
  hint text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint
);
CREATE INDEX key_secrets_by_key ON key_secrets (key);

-- How often keys ('keys') and settings ('settings') have changed. A change locks its row until it is committed, so that a
-- greater revision never becomes visible before a smaller one.
CREATE TABLE revisions (name text COLLATE "C" PRIMARY KEY, number bigint NOT NULL);
INSERT INTO revisions VALUES ('keys', 0), ('settings', 0);

-- Where the chains end that are not an account's own: 'audit' and 'write_offs'. Whoever appends locks the row.
CREATE TABLE chain_ends (
  name text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL,
  hash text COLLATE "C" NOT NULL
);
INSERT INTO chain_ends VALUES ('audit', 0, repeat('0', 64)), ('write_offs', 0, repeat('0', 64));

CREATE TABLE audit (
  number bigint PRIMARY KEY,
  at bigint NOT NULL,
  actor_kind text NOT NULL,
  actor_id text COLLATE "C",
  actor_name text NOT NULL,
  action text COLLATE "C" NOT NULL,
  account text COLLATE "C",
  target text COLLATE "C",
  before_body text,
  after_body text,
  address text,
  previous_hash text NOT NULL,
  hash text NOT NULL
);
CREATE INDEX audit_by_account ON audit (account, number);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a record of % is never changed or deleted', TG_TABLE_NAME;
END
$$;
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE OR DELETE ON audit
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE codes (
  id text COLLATE "C" PRIMARY KEY,
  -- HMAC of the code. The code itself is nowhere.
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

-- An account redeems a code once.
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
  -- In lowercase.
  email text COLLATE "C" NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  -- Of the token in the link, which itself is nowhere.
  token_hash text COLLATE "C" NOT NULL UNIQUE,
  invited_by text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  accepted_at bigint
);
CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_by_time ON invitations (created_at, id);

-- What the console has set.
CREATE TABLE console_settings (
  section text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  body text NOT NULL,
  sealed text,
  revision bigint NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (section, id)
);
`
