-- Serving processes and their shared state: leases of balances, holds, rates, and the health of deployments.

CREATE TABLE nodes (
  id TEXT PRIMARY KEY,
  process INTEGER NOT NULL,
  host TEXT NOT NULL,
  -- The machine on which the node holds a lock as proof of being alive; null without a lock.
  machine TEXT,
  beat_at INTEGER NOT NULL,
  -- Identifies the memory that the nodes of one machine share. They also share the rate limits in it.
  memory TEXT
) STRICT, WITHOUT ROWID;

-- Parts of balances that nodes may charge without accessing the balances.
CREATE TABLE leases (
  owner TEXT NOT NULL,
  node TEXT NOT NULL REFERENCES nodes (id),
  amount INTEGER NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (owner, node)
) STRICT, WITHOUT ROWID;

-- Requests for the unused part of other nodes' leases. The amount, if set, is the reduction of a budget or the debt of
-- an account. It is not leased in the meantime.
CREATE TABLE recalls (
  owner TEXT NOT NULL,
  node TEXT NOT NULL,
  at INTEGER NOT NULL,
  amount INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, node)
) STRICT, WITHOUT ROWID;

-- Requests that have run for a while, with the amounts that they hold.
CREATE TABLE holds (
  request TEXT PRIMARY KEY,
  node TEXT NOT NULL REFERENCES nodes (id),
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  amount INTEGER NOT NULL,
  at INTEGER NOT NULL,
  receipt TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX holds_by_account ON holds (account);

-- Failures and recoveries of deployments that nodes have reported.
CREATE TABLE deployment_reports (
  deployment TEXT NOT NULL,
  event TEXT NOT NULL,
  node TEXT NOT NULL,
  at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (deployment, event)
) STRICT, WITHOUT ROWID;
CREATE TABLE deployment_revision (number INTEGER NOT NULL) STRICT;
INSERT INTO deployment_revision VALUES (0);

-- Parts of keys' rate limits that nodes have leased and that have not drained yet, as units at a moment.
CREATE TABLE rate_buckets (
  key TEXT NOT NULL,
  unit TEXT NOT NULL,
  level REAL NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (key, unit)
) STRICT, WITHOUT ROWID;

-- Maximum concurrent requests of a key at each node.
CREATE TABLE running_slots (
  key TEXT NOT NULL,
  node TEXT NOT NULL,
  slots INTEGER NOT NULL,
  PRIMARY KEY (key, node)
) STRICT, WITHOUT ROWID;
