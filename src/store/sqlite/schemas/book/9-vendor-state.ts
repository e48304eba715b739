/** What vendors keep for accounts. The oldest have the smallest numbers. */
export const VENDOR_STATE = `
CREATE TABLE vendor_state (
  number INTEGER PRIMARY KEY,
  id_hash TEXT NOT NULL,
  provider TEXT NOT NULL,
  kind TEXT NOT NULL,
  account TEXT NOT NULL,
  request TEXT NOT NULL,
  tokens INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (id_hash, provider)
) STRICT;
CREATE INDEX vendor_state_by_expiry ON vendor_state (expires_at);
`
