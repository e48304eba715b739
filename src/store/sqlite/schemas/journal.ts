import type { Schema } from "../migrate.ts"

const LINES = `
CREATE TABLE lines (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  node TEXT NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL,
  -- The reason why the database rejected the line; null if the line was not rejected.
  rejection TEXT
) STRICT;
`

/** Settlements that wait for the database, in `journal.db`. */
export const JOURNAL_SCHEMA: Schema = { file: "journal.db", steps: [LINES] }
