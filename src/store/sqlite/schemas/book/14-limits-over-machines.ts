/** What processes share that have no memory in common: the health of deployments, and the rates of keys. */
export const LIMITS_OVER_MACHINES = `
-- Nodes of one machine share memory, and with it their limits; null for nodes of a version that did not say.
ALTER TABLE nodes ADD COLUMN memory TEXT;

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

-- What nodes have leased of the limits of keys, and has not drained since: units at a moment.
CREATE TABLE rate_buckets (
  key TEXT NOT NULL,
  unit TEXT NOT NULL,
  level REAL NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (key, unit)
) STRICT, WITHOUT ROWID;
`
