/** Where a node runs, and requests that are settled although they had expired. */
export const NODES = `
-- The machine on which the node holds the lock that proves it alive; null where it holds none.
ALTER TABLE nodes ADD COLUMN machine TEXT;

-- An expired request that was settled after all has its receipt in another row. This one keeps what it
-- said, and gives its request's place in the unique index away: here is whose it was. The kind of a row
-- without a number is 'expired', or null.
ALTER TABLE entries ADD COLUMN replaced TEXT;
CREATE INDEX entries_by_replaced ON entries (replaced) WHERE replaced IS NOT NULL;
`
