/** Nodes may be set up differently: how long each one's leases last. */
export const LEASE_TERMS = `
-- Milliseconds; null for nodes of a version that had one term for all.
ALTER TABLE nodes ADD COLUMN lease_term bigint;
`
