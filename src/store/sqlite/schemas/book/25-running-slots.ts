/** How many requests of a key the nodes on several machines may run at the same time. */
export const RUNNING_SLOTS = `
CREATE TABLE running_slots (
  key TEXT NOT NULL,
  node TEXT NOT NULL,
  slots INTEGER NOT NULL,
  PRIMARY KEY (key, node)
) STRICT, WITHOUT ROWID;
`
