/** Further names of models, of a key's own. */
export const ALIASES = `
-- A JSON object of names and the ids that they stand for; null where there are none.
ALTER TABLE keys ADD COLUMN aliases TEXT;
`
