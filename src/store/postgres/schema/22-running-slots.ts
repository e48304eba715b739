/** How many requests of a key the nodes on several machines may run at the same time. */
export const RUNNING_SLOTS = `
-- By node, in one row for each key: leases of it are made one after the other.
CREATE TABLE running_slots (
  key text COLLATE "C" PRIMARY KEY,
  slots jsonb NOT NULL
);
`
