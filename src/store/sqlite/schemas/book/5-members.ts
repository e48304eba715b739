/** Who belongs to an account, and who is invited. Users themselves are kept elsewhere. */
export const MEMBERS = `
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
  -- In small letters.
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  -- Of the token in the link, which itself is nowhere.
  token_hash TEXT NOT NULL UNIQUE,
  invited_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  accepted_at INTEGER
) STRICT;
CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_by_time ON invitations (created_at, id);
`
