-- Notices to operators and accounts, their targets and their deliveries.

CREATE TABLE notice_targets (
  id TEXT PRIMARY KEY,
  -- The account; null for a target of the operator.
  account TEXT REFERENCES accounts (id),
  channel TEXT NOT NULL CHECK (channel IN ('webhook', 'slack', 'email')),
  hint TEXT NOT NULL,
  -- The encrypted address.
  encrypted TEXT NOT NULL,
  -- The types of notices as JSON; null for all types.
  types TEXT,
  balance_below INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE notices (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  -- The account; null if the notice is only for the operator.
  account TEXT,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX notices_by_account ON notices (account, number);
CREATE INDEX notices_by_time ON notices (at);

CREATE TABLE notice_deliveries (
  notice TEXT NOT NULL REFERENCES notices (id) ON DELETE CASCADE,
  target TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL,
  at INTEGER NOT NULL,
  error TEXT,
  PRIMARY KEY (notice, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX notice_deliveries_pending ON notice_deliveries (target, at) WHERE state = 'pending';

-- The last state for which a notice was raised, so that only one process raises a notice about the state.
CREATE TABLE notice_marks (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
