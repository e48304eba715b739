-- Serving processes and their shared state: leases of balances, holds, rates, and the health of deployments.

CREATE TABLE nodes (
  id text COLLATE "C" PRIMARY KEY,
  process int NOT NULL,
  host text NOT NULL,
  machine text,
  -- Time of the last heartbeat by the database's clock (tollgate_now).
  beat_at bigint NOT NULL,
  -- Lifetime of the node's leases after a heartbeat, in milliseconds.
  lease_term bigint,
  -- Identifies the memory that the nodes of one machine share. They also share the rate limits in it.
  memory text COLLATE "C"
);

-- Parts of balances that nodes may charge without accessing the balances.
CREATE TABLE leases (
  owner text COLLATE "C" NOT NULL,
  node text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (owner, node)
) WITH (fillfactor = 50);
-- The condition is always true. The index is only used by statements that repeat it. post_batch must use the primary
-- key instead, even if the table has not been analyzed yet and the planner expects few rows for a node.
CREATE INDEX leases_by_node ON leases (node) WHERE amount >= 0;

-- Requests for the unused part of other nodes' leases. The amount, if set, is the reduction of a budget or the debt of
-- an account. It is not leased in the meantime.
CREATE TABLE recalls (
  owner text COLLATE "C" NOT NULL,
  node text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  amount bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, node)
);

-- Requests that have run for a while, with the amounts that they hold.
CREATE TABLE holds (
  request text COLLATE "C" PRIMARY KEY,
  node text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  at bigint NOT NULL,
  receipt text NOT NULL
);
CREATE INDEX holds_by_node ON holds (node);
CREATE INDEX holds_by_account ON holds (account);

-- Failures and recoveries of deployments that nodes have reported.
CREATE TABLE deployment_reports (
  deployment text COLLATE "C" NOT NULL,
  event text COLLATE "C" NOT NULL,
  node text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  until bigint NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (deployment, event)
);
CREATE TABLE deployment_revision (number bigint NOT NULL);
INSERT INTO deployment_revision VALUES (0);

-- Parts of keys' rate limits that nodes have leased and that have not drained yet, as units at a moment.
CREATE TABLE rate_buckets (
  key text COLLATE "C" NOT NULL,
  unit text COLLATE "C" NOT NULL,
  level double precision NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (key, unit)
);

-- Maximum concurrent requests of a key at each node. One row per key contains all nodes, so that concurrent leases of
-- its slots wait for each other.
CREATE TABLE running_slots (
  key text COLLATE "C" PRIMARY KEY,
  slots jsonb NOT NULL
);
