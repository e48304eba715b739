/** The origins of pages that may call with a key, as JSON; null: none of its own. */
export const KEY_ORIGINS = `
ALTER TABLE keys ADD COLUMN origins TEXT;
`
