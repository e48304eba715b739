/** The last backup at each place. */
export const BACKUPS = `
CREATE TABLE backups (
  place TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  -- Milliseconds until the next one; null: nobody has said.
  every INTEGER
) STRICT, WITHOUT ROWID;
`
