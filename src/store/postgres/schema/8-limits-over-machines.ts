/** What nodes on several machines share besides money: the health of deployments, and the rates of keys. */
export const LIMITS_OVER_MACHINES = `
-- Nodes of one machine share memory, and with it their limits; null for nodes of a version that did not say.
ALTER TABLE nodes ADD COLUMN memory text COLLATE "C";

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

-- What nodes have leased of the limits of keys, and has not drained since: units at a moment.
CREATE TABLE rate_buckets (
  key text COLLATE "C" NOT NULL,
  unit text COLLATE "C" NOT NULL,
  level double precision NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (key, unit)
);
`
