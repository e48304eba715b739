/** The last backup at each place. */
export const BACKUPS = `
CREATE TABLE backups (
  place text COLLATE "C" PRIMARY KEY,
  at bigint NOT NULL,
  -- Milliseconds until the next one; null: nobody has said.
  every bigint
);
`
