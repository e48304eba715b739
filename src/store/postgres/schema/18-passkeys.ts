/** Passkeys of users. */
export const PASSKEYS = `
CREATE TABLE passkeys (
  id text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- As the authenticator knows it, base64url.
  credential text COLLATE "C" NOT NULL UNIQUE,
  -- COSE, base64url.
  public_key text NOT NULL,
  counter bigint NOT NULL,
  -- JSON.
  transports text NOT NULL,
  name text NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);
`
