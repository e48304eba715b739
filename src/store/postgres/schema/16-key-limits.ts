/** Keys that only read, and from where keys may be used. */
export const KEY_LIMITS = `
ALTER TABLE keys ADD COLUMN read_only boolean NOT NULL DEFAULT false;
-- JSON; null: from anywhere.
ALTER TABLE keys ADD COLUMN addresses text;
`
