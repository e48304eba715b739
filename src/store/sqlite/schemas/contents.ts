import type { Schema } from "../migrate.ts"

const CONTENTS = `
CREATE TABLE IF NOT EXISTS contents (
  request TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  at INTEGER NOT NULL,
  asked TEXT NOT NULL,
  answered TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS contents_by_time ON contents (at);
`

/** Prompts and answers that accounts have kept, `contents.db`. Its first form had no version. */
export const CONTENTS_SCHEMA: Schema = {
  file: "contents.db",
  wasUnversioned: true,
  steps: [CONTENTS],
}
