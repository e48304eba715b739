/** How many requests of a key may run at the same time. */
export const CONCURRENT_REQUESTS = `
-- Null: no limit.
ALTER TABLE keys ADD COLUMN concurrent_requests INTEGER;
`
