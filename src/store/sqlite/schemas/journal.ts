import type { Schema } from "../migrate.ts"

const LINES = `
CREATE TABLE lines (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  node TEXT NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL,
  -- Why the database rejected it; null if it has not rejected it.
  rejection TEXT
) STRICT;
`

/** Settlements that wait for the database, in `journal.db`. */
export const JOURNAL_SCHEMA: Schema = { file: "journal.db", steps: [LINES] }
