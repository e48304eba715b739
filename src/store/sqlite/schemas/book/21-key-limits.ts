/** Keys that only read, and from where keys may be used. */
export const KEY_LIMITS = `
ALTER TABLE keys ADD COLUMN read_only INTEGER NOT NULL DEFAULT 0;
-- JSON; null: from anywhere.
ALTER TABLE keys ADD COLUMN addresses TEXT;
`
